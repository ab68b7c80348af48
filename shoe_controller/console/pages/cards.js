// Playing cards and hands.

import { el, svg } from "./dom.js";
import { t } from "./words.js";

const SUITS = {
  S: "M12 2c4 4.6 9 7.6 9 12a4.6 4.6 0 0 1-7.7 3.3c.3 2 .9 3.4 2.2 4.7h-7c1.3-1.3 1.9-2.700 2.200-4.700A4.600 4.600 0 0 1 3 14c0-4.400 5-7.400 9-12z",
  H: "M12 21.500C6 16.500 2 13 2 8.600 2 5.400 4.400 3 7.400 3c2 0 3.700 1 4.600 2.800C12.900 4 14.600 3 16.600 3 19.600 3 22 5.400 22 8.600c0 4.400-4 7.900-10 12.900z",
  D: "M12 1.500 20.500 12 12 22.500 3.500 12z",
  C: "M12 2a4.700 4.700 0 0 1 3.700 7.600 4.700 4.700 0 1 1-2.300 7.700c.2 2 .9 3.400 2.100 4.700h-7c1.200-1.300 1.900-2.700 2.100-4.700a4.700 4.700 0 1 1-2.300-7.700A4.700 4.700 0 0 1 12 2z",
};

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
export const SUIT_LETTERS = ["S", "H", "D", "C"];

export const suitMark = (suit) =>
  svg("svg", { viewBox: "0 0 24 24", class: `suit ${"HD".includes(suit) ? "red" : "black"}`, "aria-hidden": "true" }, svg("path", { d: SUITS[suit] }));

export const rankText = (rank) => (rank === "T" ? "10" : rank);

// A card such as "9H"; null lies face down or is not known.
export function cardFace(card, given = {}) {
  if (!card) return el("span", { class: "card back", role: "img", "aria-label": t("card_unknown"), ...given }, el("span", {}, "?"));
  return el("span", { class: `card ${"HD".includes(card[1]) ? "red" : "black"}`, role: "img", "aria-label": card, data: { card }, ...given },
    el("span", { class: "rank" }, rankText(card[0])), suitMark(card[1]));
}

export function hand(side, cards, total, next, { won = false, note = "" } = {}) {
  const places = cards.map((place) => cardFace(place.card, { title: `${t("card_number")} ${place.number}` }));
  const due = next === side ? el("span", { class: "card due", "aria-hidden": "true" }) : null;
  return el("article", { class: `hand ${side} ${next === side ? "next" : ""} ${won ? "won" : ""}`, data: { side } },
    el("h2", {}, t(side), note ? el("small", {}, note) : null),
    el("p", { class: "total" }, total === null || total === undefined ? "" : String(total)),
    el("div", { class: "cards" }, places, due));
}
