/* All texts of the board and the pit view. The language of a page is that of its <html> element. */

import { LANGUAGES, alertText, detailText, filled, named as nameIn, rendered, wordsOf } from "./language.js";

const language = LANGUAGES.includes(document.documentElement.lang) ? document.documentElement.lang : "en";
const { own: words, table } = await wordsOf(language);

/* A text by its key, with the values in it; an unknown key is shown as it is. */
export const say = (key, values = {}) => filled(words[key] ?? key, values);

/* The name of a wager in the page's language. */
export const named = (names) => nameIn(names, language);

/* Why a hand draws or stands. */
export const reason = (why) => rendered(table, "reasons", why);

/* What staff read of a table: its phase, an act, a role, an alert. */
export const phase = (name) => table.phases[name] ?? name;
export const act = (name) => table.acts[name] ?? name;
export const role = (name) => table.people[name] ?? name;
export const happened = (alert) => alertText(table, alert, "happened");
export const detail = (alert) => detailText(table, alert);
export const alarm = (code) => rendered(table, "witness_alarms", code);
export const toDo = (alert) => alertText(table, alert, "to_do");

/* Writes the texts that never change into their places. */
export function label(root = document) {
  for (const place of root.querySelectorAll("[data-say]")) place.textContent = say(place.dataset.say);
}

/* When a line of a pay table fits: pairs of a word and its values, as in [["banker_cards", ["3"]]]. */
export function condition(when) {
  const cards = new Set(when.map(([word]) => word));
  const both = cards.has("player_cards") && cards.has("banker_cards");
  return when
    .map(([word, values]) => {
      if (`${word}_${values[0]}` in words) return values.map((value) => say(`${word}_${value}`)).join(say("or"));
      const key = both && word.endsWith("_cards") ? `both_${word}` : word;
      return say(key, { n: values.join(say("or")) });
    })
    .join(say("comma"));
}
