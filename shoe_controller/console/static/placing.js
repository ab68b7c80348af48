// Where the cards of a round belong: assigned to their hands in the order of the draw, discarded, or seen by everyone.

import { cardFace } from "./cards.js";
import { askCard, openDialog } from "./dialogs.js";
import { button, el } from "./dom.js";
import { discardCause, t } from "./words.js";

const CAUSES = ["face_up", "damaged", "foreign"];

// Every card of the round in the order of the draw; the hand of one that lies in none is what the shoe gave.
function inOrder(shown) {
  const aside = new Map(shown.aside.map((card) => [card.order, card]));
  const laid = [...shown.cards];
  const all = [];
  for (let order = 1; order <= shown.cards.length + shown.aside.length; order += 1) {
    const card = aside.get(order) ?? laid.shift();
    all.push({ order, hand: aside.has(order) ? null : card.hand, card: card.card, was: card.hand });
  }
  return all;
}

const handText = (hand) => t(hand ?? "no_hand");

// What is assigned or discarded, for the person who does or approves it.
export function placingText(act) {
  if (act.act === "assign_cards") {
    return act.cards.map((card, at) => `${at + 1} ${handText(card.hand)}${card.card ? ` ${card.card}` : ""}`).join(t("comma"));
  }
  if (act.act === "use_extra_card") return act.face_up ? t("lay_face_up") : "";
  return act.act === "discard_card" ? `${t("card_number", act)}: ${discardCause(act.cause)}` : "";
}

function askHands(title, what, shown, next, cards = inOrder(shown)) {
  const again = (order, changes) =>
    askHands(title, what, shown, next, cards.map((card) => (card.order === order ? { ...card, ...changes } : card)));
  const row = (card) => {
    const name = (number, face) => again(number, { said: face });
    const face = button(`face-${card.order}`, "", () => askCard(title, {
      places: [{ number: card.order, hand: card.was, card: card.card }], numbers: [card.order], next: name,
    }), { class: `choice ${card.said ? "changed" : ""}` });
    face.append(el("span", { class: "place" }, cardFace(card.said ?? card.card), el("small", {}, String(card.order))));
    const hands = ["player", "banker", null].map((hand) =>
      button(`hand-${card.order}-${hand ?? "none"}`, handText(hand), () => again(card.order, { hand }),
        { class: "choice text", "aria-pressed": String(card.hand === hand) }));
    return el("div", { class: "place-row" }, face, el("div", { class: "choices" }, hands));
  };
  const done = () => next({ cards: cards.map((card) => ({ hand: card.hand, card: card.said ?? null })) });
  openDialog("ask-hands", `${title} · ${t("which_hand")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "place-rows" }, cards.map(row)),
    el("div", { class: "row" }, button("next", t("next"), done, { class: "primary" })));
}

function askDiscarded(title, what, shown, next, possible) {
  const chosen = { number: possible.cards.length === 1 ? possible.cards[0] : null, cause: null };
  const go = button("next", t("next"), () => next({ ...chosen, card: lying(chosen.number)?.card ?? null }),
    { class: "primary", disabled: true });
  const lying = (number) => shown.cards.find((card) => card.number === number);
  const choice = (kind, value, inside) => {
    const made = button(`${kind}-${value}`, "", () => {
      chosen[kind] = value;
      for (const other of made.parentElement.children) other.setAttribute("aria-pressed", String(other === made));
      go.disabled = chosen.number === null || chosen.cause === null;
    }, { class: "choice text", "aria-pressed": String(chosen[kind] === value) });
    made.append(inside);
    return made;
  };
  const places = possible.cards.map((number) => {
    const place = lying(number);
    return choice("number", number, el("span", { class: "place" }, cardFace(place?.card ?? null),
      el("small", {}, `${number} · ${t(place?.hand ?? "no_hand")}`)));
  });
  openDialog("ask-discarded", `${title} · ${t("which_card")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "choices numbers" }, places),
    el("div", { class: "choices" }, CAUSES.map((cause) => choice("cause", cause, discardCause(cause)))),
    el("div", { class: "row" }, go));
}

// Where cards are shown at the draw, everyone has seen it anyhow.
function askSeen(title, what, shown, next) {
  const known = shown.aside.at(-1)?.card;
  if (known) { next({}); return; }
  openDialog("ask-seen", title, el("p", { class: "what" }, what),
    el("div", { class: "row" },
      button("unseen", t("nobody_saw_it"), () => next({})),
      button("face-up", t("lay_face_up"), () => next({ face_up: true }))));
}

export const PLACING = {
  assign_cards: (title, what, shown, next) => askHands(title, what, shown, next),
  discard_card: askDiscarded,
  use_extra_card: askSeen,
};
