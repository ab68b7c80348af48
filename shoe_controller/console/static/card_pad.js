// The pad of a table that is dealt by hand: the dealer enters each card as it is dealt.

import { possible } from "./acts.js";
import { cardFace, RANKS, rankText, SUIT_LETTERS, suitMark } from "./cards.js";
import { button, el } from "./dom.js";
import { t } from "./words.js";

const chosen = { rank: null, suit: null };

export const chosenCard = () => `${chosen.rank ?? ""}${chosen.suit ?? ""}`;

function forget() {
  Object.assign(chosen, { rank: null, suit: null });
}

export function cardPad(play, { act, redraw }) {
  const isOffered = Boolean(possible(play, "dealer", "deal_card"));
  const key = (kind, value, inside) => {
    const press = () => { chosen[kind] = value; redraw(); };
    const made = button(`deal-${value}`, "", press,
      { class: "choice", disabled: !isOffered, "aria-pressed": String(chosen[kind] === value), "aria-label": value });
    made.append(inside);
    return made;
  };
  const deal = async (details) => { forget(); await act("deal_card", details); redraw(); };
  const card = chosen.rank && chosen.suit ? chosen.rank + chosen.suit : null;
  const shown = card ? `${rankText(chosen.rank)}${chosen.suit}` : "";
  const enter = button("deal", card ? t("enter_dealt", { card: shown }) : t("choose_card"), () => deal({ card }),
    { class: "primary", disabled: !isOffered || !card });
  const isBurning = play.state.phase === "burning";
  return [
    el("div", { class: "choices ranks" }, RANKS.map((rank) => key("rank", rank, rankText(rank)))),
    el("div", { class: "choices suits" }, SUIT_LETTERS.map((suit) => key("suit", suit, suitMark(suit)))),
    el("div", { class: "deal-line" },
      card ? cardFace(card) : null, enter,
      isBurning ? button("deal-burned", t("face_down"), () => deal({}), { disabled: !isOffered }) : null,
      button("deal-cut", t("cut_card"), () => deal({ cut_card: true }), { disabled: !isOffered })),
  ];
}
