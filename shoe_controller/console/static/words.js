// All texts of the page, in the language that was chosen. Everything comes from data: see `language.js`.

import { LANGUAGES as TAGS, alertText, detailText, filled, named, rendered, wordsOf } from "./language.js";

export const LANGUAGES = { en: "EN", "zh-Hant": "繁", "zh-Hans": "简" };

let language = "en";
let words = {};
let table = {};

export async function setLanguage(tag) {
  const wanted = TAGS.includes(tag) ? tag : "en";
  const loaded = await wordsOf(wanted);
  [language, words, table] = [wanted, loaded.own, loaded.table];
  document.documentElement.lang = language;
}

export const currentLanguage = () => language;

// A word by its key; of the page itself, or else an act or a phase of the table.
export function t(key, values = {}) {
  const text = words[key] ?? table.acts[key] ?? table.phases[key] ?? key.replaceAll("_", " ");
  return filled(text, values);
}

// A code with its values; `family` is its section of the table of words.
export const textOf = (family, code) => rendered(table, family, code);

// What happens next and why, as two sentences.
export const promptParts = (prompt) => [rendered(table, "prompts", prompt), ended(rendered(table, "reasons", prompt.why))];

export const happened = (alert) => alertText(table, alert, "happened");
export const detail = (alert) => detailText(table, alert);
export const toDo = (alert) => alertText(table, alert, "to_do");
export const returnCause = (cause) => table.return_causes[cause] ?? "";

// The suggested reasons.
export const reasonsFor = (act) => words.reasons_offered[act] ?? [];

// Why something was not done, for the person who asked: the table refused it, or no answer came from the table.
export function refusal({ refusal: refused, failure }, offer = null) {
  if (failure) return rendered(words, "failures", failure);
  return rendered(table, "refusals", withNames(refused, offer), offer?.decimals);
}

// Refusals name wagers by their ids; people know them by their names.
function withNames(refused, offer) {
  const nameById = (id) => nameOf(offer?.wagers.find((wager) => wager.id === id)?.names) || id;
  const named = { ...refused };
  if (refused.wager) named.wager = nameById(refused.wager);
  if (refused.wagers) named.wagers = refused.wagers.map(nameById);
  return named;
}

const ended = (text) => (!text || /[.!?。！？]$/.test(text) ? text : text + (language === "en" ? "." : "。"));

export const nameOf = (names) => named(names, language);
