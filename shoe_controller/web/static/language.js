/* The words of a page in one language: its own (`words.*.json`), and those for what tables say (`table.*.json`).
   What a table says itself in English is there in Chinese alone; what has no words here is shown as it came. */

export const LANGUAGES = ["en", "zh-Hant", "zh-Hans"];

const AGAIN_AFTER = 1000; /* milliseconds; a display that is switched on before its board must not stay empty */

async function load(name) {
  for (;;) {
    try {
      const response = await fetch(`/files/${name}`);
      if (response.ok) return await response.json();
    } catch {
      /* Nobody is there yet. */
    }
    await new Promise((done) => setTimeout(done, AGAIN_AFTER));
  }
}

export async function wordsOf(language) {
  const [own, table] = await Promise.all([load(`words.${language}.json`), load(`table.${language}.json`)]);
  return { own, table };
}

/* A text with its values in it. */
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

/* What the table said, as the process has taken it apart: `group` is "prompts" or "reasons". */
export function sentence(table, group, said) {
  if (!said) return "";
  return said.code in table[group] ? filled(table[group][said.code], said) : said.text ?? "";
}

/* What happened, or what is to be done ("happened", "to_do"), of an alert. */
export const alertText = (table, alert, part) => table.alerts[alert.kind]?.[part] ?? alert[part];

/* Which card an alert is about; whatever else is added to an alert is shown as it came. */
export function detailText(table, detail) {
  const [, number, hand] = /^card (\d+), (Player|Banker)'s$/.exec(detail) ?? [];
  return hand ? filled(table.details[`card_${hand.toLowerCase()}`], { number }) : detail;
}

/* The name of a wager. */
export const named = (names, language) =>
  names?.[{ en: "en", "zh-Hant": "zh_hant", "zh-Hans": "zh_hans" }[language]] || names?.en || "";
