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
export const correctionCause = (cause) => table.correction_causes[cause] ?? "";
export const discardCause = (cause) => table.discard_causes[cause] ?? "";
export const returnCause = (cause) => table.return_causes[cause] ?? "";

// The suggested reasons.
export const reasonsFor = (act) => words.reasons_offered[act] ?? [];

let offer = { wagers: [] };

// The wagers of the table, by whose names people know them.
export function useOffer(known) { offer = known; }

export const wagerName = (id) => nameOf(offer.wagers.find((wager) => wager.id === id)?.names) || id;

// Why something was not done, for the person who asked: the table refused it, or no answer came from the table.
export function refusal({ refusal: refused, failure }) {
  if (failure) return rendered(words, "failures", failure);
  return rendered(table, "refusals", withNames(refused), offer.decimals);
}

// Whether it quotes what a program says in its own words, which are not translated.
export const quotes = ({ refusal: refused, failure }) => Boolean((refused ?? failure)?.text);

// Refusals name wagers by their ids.
function withNames(refused) {
  const named = { ...refused };
  if (refused.wager) named.wager = wagerName(refused.wager);
  if (refused.wagers) named.wagers = refused.wagers.map(wagerName);
  return named;
}

const ended = (text) => (!text || /[.!?。！？]$/.test(text) ? text : text + (language === "en" ? "." : "。"));

export const nameOf = (names) => named(names, language);
