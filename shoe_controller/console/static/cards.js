// Playing cards and hands.

import { el, svg } from "./dom.js";
import { t } from "./words.js";

const SUITS = {
  S: "M12 2c4 4.6 9 7.6 9 12a4.6 4.6 0 0 1-7.7 3.3c.3 2 .9 3.4 2.2 4.7h-7" +
    "c1.3-1.3 1.9-2.7 2.2-4.7A4.6 4.6 0 0 1 3 14c0-4.4 5-7.4 9-12z",
  H: "M12 21.5C6 16.5 2 13 2 8.6 2 5.4 4.4 3 7.4 3c2 0 3.7 1 4.6 2.8" +
    "C12.9 4 14.6 3 16.6 3 19.6 3 22 5.4 22 8.6c0 4.4-4 7.9-10 12.9z",
  D: "M12 1.5 20.5 12 12 22.5 3.5 12z",
  C: "M12 2a4.7 4.7 0 0 1 3.7 7.6 4.7 4.7 0 1 1-2.3 7.7c.2 2 .9 3.4 2.1 4.7h-7" +
    "c1.2-1.3 1.9-2.7 2.1-4.7a4.7 4.7 0 1 1-2.3-7.7A4.7 4.7 0 0 1 12 2z",
};

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
export const SUIT_LETTERS = ["S", "H", "D", "C"];

const colourOf = (suit) => ("HD".includes(suit) ? "red" : "black");

export const suitMark = (suit) =>
  svg("svg", { viewBox: "0 0 24 24", class: `suit ${colourOf(suit)}`, "aria-hidden": "true" },
    svg("path", { d: SUITS[suit] }));

export const rankText = (rank) => (rank === "T" ? "10" : rank);

// A card such as "9H"; null lies face down or is not known.
export function cardFace(card, given = {}) {
  const image = { role: "img", "aria-label": card ?? t("card_unknown"), ...given };
  if (!card) return el("span", { class: "card back", ...image }, el("span", {}, "?"));
  return el("span", { class: `card ${colourOf(card[1])}`, data: { card }, ...image },
    el("span", { class: "rank" }, rankText(card[0])), suitMark(card[1]));
}

export function hand(side, cards, total, next, { won = false, note = "" } = {}) {
  const titleOf = (place) => [
    t("card_number", place),
    place.entered_by ? t("entered_by", { person: place.entered_by }) : "",
  ].filter(Boolean).join(" · ");
  const places = cards.map((place) => cardFace(place.card, { title: titleOf(place) }));
  const due = next === side ? el("span", { class: "card due", "aria-hidden": "true" }) : null;
  const marks = [next === side ? "next" : "", won ? "won" : ""].join(" ");
  return el("article", { class: `hand ${side} ${marks}` },
    el("h2", {}, t(side), note ? el("small", {}, note) : null),
    el("p", { class: "total" }, total === null || total === undefined ? "" : String(total)),
    el("div", { class: "cards" }, places, due));
}
