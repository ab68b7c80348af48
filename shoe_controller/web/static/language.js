/* The words of a page in one language: its own (`words.*.json`), and those for the codes that tables publish
   (`table.*.json`). `words/render.py` makes words from codes by the same rules. */

export const LANGUAGES = ["en", "zh-Hant", "zh-Hans"];

const AGAIN_AFTER = 1000; /* milliseconds; a display that is switched on before its server must not stay empty */

async function load(name) {
  for (;;) {
    try {
      const response = await fetch(`/files/${name}`);
      if (response.ok) return await response.json();
    } catch {
      /* The server is not there yet. */
    }
    await new Promise((done) => setTimeout(done, AGAIN_AFTER));
  }
}

/* `more` names files whose texts belong to the page too, unless it has its own. */
export async function wordsOf(language, ...more) {
  const names = ["table", ...more, "words"];
  const [table, ...own] = await Promise.all(names.map((name) => load(`${name}.${language}.json`)));
  return { own: Object.assign({}, ...own), table };
}

/* A code with its values, as text. `family` is the section of the table that has its words, such as "reasons";
   `decimals` are those of the table's currency. A code that is not known is shown by its name. */
export function rendered(table, family, code, decimals = 2) {
  if (!code) return "";
  const entry = table[family]?.[code.code];
  return entry === undefined ? code.code.replaceAll("_", " ") : filled(entry, code, table, decimals);
}

/* A text with its values in it: {name} is a value, {name|section} is looked up in a section of the table,
   {name|section.part} in a part of it, {name|amount} is an amount of money. Where the grammar depends on a number, the
   entry is an object: `by` names the value, `one` and `other` are the texts. */
export function filled(entry, values, table = {}, decimals = 2) {
  const text = typeof entry === "string" ? entry : values[entry.by] === 1 ? entry.one : entry.other;
  return text.replace(/\{(\w+)(?:\|([\w.]+))?\}/g, (_, name, section) => shown(values[name], section, table, decimals));
}

function shown(value, section, table, decimals) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) {
    return value.map((one) => shown(one, section, table, decimals)).join(table.list_separator);
  }
  if (section === undefined) return String(value);
  if (section === "amount") return amount(value, decimals);
  const [name, part] = section.split(".");
  const found = table[name]?.[value] ?? value;
  return String(part ? found[part] ?? value : found);
}

/* Minor units as people write them: with two decimals, 1050 is 10.50 and 100000 is 1,000. */
export function amount(minor, decimals) {
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (minor < 0 ? "-" : "") + grouped + (/[1-9]/.test(rest) ? `.${rest}` : "");
}

/* What happened, or what is to be done ("happened", "to_do"), of an alert; what exactly is wrong. */
export const alertText = (table, alert, part) => table.alerts[alert.kind]?.[part] ?? alert.kind.replaceAll("_", " ");
export const detailText = (table, alert) =>
  [rendered(table, "details", alert.detail).trim(), table.remedies?.[alert.remedy]].filter(Boolean).join(table.detail_separator);

/* The name of a wager. */
export const named = (names, language) =>
  names?.[{ en: "en", "zh-Hant": "zh_hant", "zh-Hans": "zh_hans" }[language]] || names?.en || "";
