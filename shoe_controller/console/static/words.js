// All that the page says, in the language that was chosen. Everything comes from data: see `language.js`.

import { LANGUAGES as TAGS, alertText, detailText, filled, named, sentence, wordsOf } from "./language.js";

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

// What happens next and why, as two sentences. When an alert stops the table, it is what to do about the alert.
export function promptParts({ what, why }, alerts) {
  const alert = alerts.find((each) => each.to_do === what.text);
  return [alert ? toDo(alert) : sentence(table, "prompts", what), ended(sentence(table, "reasons", why))];
}

export const reason = (said, text) => (said ? sentence(table, "reasons", said) : text);

export const happened = (alert) => alertText(table, alert, "happened");
export const detail = (alert) => detailText(table, alert.detail);
export const toDo = (alert) => alertText(table, alert, "to_do");

// The words that are offered to say why.
export const reasonsFor = (act) => words.reasons_offered[act] ?? [];

// Why something was refused, for the person who asked.
export function refusal({ code, message }) {
  const own = table.refusals[code];
  if (own) return own;
  return (code === "locked_out" ? ended(message) : ended(capital(message))) || code; // that one begins with an id
}

const capital = (text) => (text ? text[0].toUpperCase() + text.slice(1) : "");

const ended = (text) => (!text || /[.!?。！？]$/.test(text) ? text : text + (language === "en" ? "." : "。"));

export const nameOf = (names) => named(names, language);
