/* All texts of a page that shows tables: its own (`words.*.json`), and those of a tile (`tiles.*.json`). The language of a
   page is that of its <html> element. */

import { LANGUAGES, alertText, detailText, filled, named as nameIn, rendered, wordsOf } from "./language.js";

export const language = LANGUAGES.includes(document.documentElement.lang) ? document.documentElement.lang : "en";
const { own: words, table } = await wordsOf(language, "tiles");

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

/* What the pit reads of a table: why it has no edges, and what a person should look into. */
export const noEdges = (code) => rendered(table, "no_edges", code);
export const pitAlarm = (code, decimals) => rendered(table, "pit_alarms", code, decimals);

/* Whether there is a text with this key. */
export const has = (key) => key in words;

/* Writes the texts that never change into their places. */
export function label(root = document) {
  for (const place of root.querySelectorAll("[data-say]")) place.textContent = say(place.dataset.say);
}
