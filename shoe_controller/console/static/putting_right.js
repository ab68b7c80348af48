// Wagers put right after the close, and rounds that are settled again: which one, and what was different in truth.

import { lastRounds } from "./asking.js";
import { cardFace } from "./cards.js";
import { askCard, openDialog } from "./dialogs.js";
import { button, el } from "./dom.js";
import { amount, minorUnits } from "./money.js";
import { padFor } from "./pad.js";
import { resultThatCounts } from "./record.js";
import { nameOf, t, wagerName } from "./words.js";

let offer = { seats: [], wagers: [] };

// The seats and wagers of the table.
export function useTable(table) { offer = table; }

const wagerText = ({ seat, wager, stake }) =>
  [`${t("seat")} ${seat}`, wagerName(wager), stake === undefined ? null : amount(stake)].filter(Boolean).join(" · ");

// What an act is about, for the person who is to approve it.
export function actText(act) {
  if (act.act === "set_wager") return wagerText(act);
  if (act.act === "move_wager") return `${wagerText(act)} → ${t("seat")} ${act.to_seat}`;
  if (["identify_card", "correct_card", "enter_card"].includes(act.act)) return `${t("card_number", act)}: ${act.card ?? "?"}`;
  if (act.act !== "amend_round") return "";
  const cards = act.cards.map((card) => `${t("card_number", card)}: ${card.card}`);
  const parts = [...cards, ...act.wagers.map(wagerText)].join(t("comma"));
  return `${t("shoe")} ${act.shoe} · ${t("round")} ${act.round}: ${parts}`;
}

// --- a wager ---------------------------------------------------------------------------------------------------------

function choices(kind, values, chosen, changed) {
  const made = values.map(([value, text]) => button(`${kind}-${value}`, text, (event) => {
    chosen[kind] = value;
    for (const other of event.currentTarget.parentElement.children) {
      other.setAttribute("aria-pressed", String(other === event.currentTarget));
    }
    changed();
  }, { class: "choice text", "aria-pressed": String(chosen[kind] === value) }));
  return el("div", { class: "choices" }, made);
}

const seatChoices = (kind, chosen, changed) => choices(kind, offer.seats.map((seat) => [seat, seat]), chosen, changed);

// A seat, a wager and its stake; 0 removes it.
export function askStake(title, { what, begin = {}, next }) {
  const chosen = { seat: begin.seat ?? null, wager: begin.wager ?? null };
  const given = { type: "text", inputmode: "none", autocomplete: "off", maxlength: 12 };
  const input = el("input", { ...given, data: { key: "stake", pad: "amount" }, value: begin.stake ? amount(begin.stake) : "" });
  const stake = () => (input.value.trim() === "" ? null : minorUnits(input.value));
  const ready = () => { go.disabled = !chosen.seat || !chosen.wager || stake() === null; };
  const go = button("next", t("next"), () => next({ ...chosen, stake: stake() }), { class: "primary", disabled: true });
  input.addEventListener("input", ready);
  ready();
  openDialog("ask-stake", `${title} · ${t("which_wager")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "betting" },
      el("div", { class: "list" },
        seatChoices("seat", chosen, ready),
        choices("wager", offer.wagers.map((wager) => [wager.id, nameOf(wager.names)]), chosen, ready)),
      el("div", { class: "keys" },
        el("label", { class: "field" }, el("span", {}, t("stake")), input), padFor([input]), el("div", { class: "row" }, go))));
}

// One of the wagers that stand, and the seat that it belongs to.
export function askMove(title, { what, wagers, next }) {
  const chosen = { from: null, to_seat: null };
  const go = button("next", t("next"), () => {
    const { seat, wager } = wagers[chosen.from];
    next({ seat, wager, to_seat: chosen.to_seat });
  }, { class: "primary", disabled: true });
  const ready = () => { go.disabled = chosen.from === null || !chosen.to_seat; };
  openDialog("ask-move", `${title} · ${t("which_wager")}`, what ? el("p", { class: "what" }, what) : null,
    choices("from", wagers.map((wager, number) => [number, wagerText(wager)]), chosen, ready),
    el("p", { class: "what" }, t("to_seat")),
    seatChoices("to_seat", chosen, ready),
    el("div", { class: "row" }, go));
}

// --- a round that is over --------------------------------------------------------------------------------------------

// What is known of a round: its cards in the order of the draw, and its wagers, as they were settled or amended last.
function asSettled(round) {
  const last = resultThatCounts(round);
  if (!last || round.state !== "settled") return null;
  const { player, banker } = last.outcome;
  const [p, b] = [player.cards, banker.cards];
  const dealt = [["player", p[0]], ["banker", b[0]], ["player", p[1]], ["banker", b[1]],
    ...p.slice(2).map((card) => ["player", card]), ...b.slice(2).map((card) => ["banker", card])];
  return {
    shoe: round.shoe,
    round: round.round,
    winner: last.outcome.winner,
    totals: `${player.total} : ${banker.total}`,
    places: dealt.map(([hand, card], place) => ({ number: place + 1, hand, card })),
    wagers: (last.settlement?.wagers ?? []).map(({ seat, wager, stake }) => ({ seat, wager, stake })),
  };
}

export async function askRound(title, { what, next }) {
  const known = (await lastRounds())?.rounds ?? [];
  const rounds = known.map(asSettled).filter(Boolean).reverse();
  const one = (round) => button(`round-${round.shoe}-${round.round}`, "", () => askChanges(title, { what, round, next }), {
    class: "round-choice", "aria-label": `${round.shoe} · ${round.round}`,
  });
  const filled = rounds.map((round) => {
    const made = one(round);
    made.append(el("b", {}, `${round.shoe} · ${round.round}`),
      el("span", { class: `winner ${round.winner}` }, `${t(round.winner)} ${round.totals}`));
    return made;
  });
  openDialog("ask-round", `${title} · ${t("which_round")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "betting" },
      el("div", { class: "list" }, filled),
      otherRound((shoe, round) => askChanges(title, { what, round: unknownRound(shoe, round), next }))));
}

// Rounds that are not in the list have a number: only what was different is said of them.
const unknownRound = (shoe, round) => ({
  shoe, round, wagers: [], places: [1, 2, 3, 4, 5, 6].map((number) => ({ number, hand: null, card: null })),
});

function otherRound(chosen) {
  const field = (key) => {
    const input = el("input", { type: "text", inputmode: "none", autocomplete: "off", maxlength: 9, data: { key, pad: "digits" } });
    return [input, el("label", { class: "field" }, el("span", {}, t(key)), input)];
  };
  const [[shoe, shoeField], [round, roundField]] = [field("shoe"), field("round")];
  const go = () => {
    const wanted = [Number(shoe.value), Number(round.value)];
    if (wanted.every((number) => Number.isInteger(number) && number > 0)) chosen(...wanted);
  };
  return el("div", { class: "keys" }, el("b", {}, t("other_round_of")), el("div", { class: "two-fields" }, shoeField, roundField),
    padFor([shoe, round]), el("div", { class: "row" }, button("other-round", t("next"), go, { class: "primary" })));
}

// What was different: cards and wagers, each by touching it.
function askChanges(title, { what, round, next, cards = {}, wagers = [] }) {
  const again = (changes) => askChanges(title, { what, round, next, cards, wagers, ...changes });
  const key = (wager) => `${wager.seat} ${wager.wager}`;
  const changed = new Map(wagers.map((wager) => [key(wager), wager]));
  const setWager = (wager) => again({ wagers: [...wagers.filter((other) => key(other) !== key(wager)), wager] });
  const card = (place) => {
    const made = button(`card-${place.number}`, "", () => askCard(title, {
      places: [place], numbers: [place.number], next: (number, face) => again({ cards: { ...cards, [number]: face } }),
    }), { class: `choice ${cards[place.number] ? "changed" : ""}` });
    const label = place.hand ? `${place.number} · ${t(place.hand)}` : String(place.number);
    made.append(el("span", { class: "place" }, cardFace(cards[place.number] ?? place.card), el("small", {}, label)));
    return made;
  };
  const added = wagers.filter((wager) => !round.wagers.some((stood) => key(stood) === key(wager)));
  const row = (stood) => {
    const now = changed.get(key(stood)) ?? stood;
    const isChanged = changed.has(key(stood));
    return button(`wager-${key(stood)}`, wagerText(now), () => askStake(title, { begin: now, next: setWager }),
      { class: `wager-row ${isChanged ? "changed" : ""}` });
  };
  const done = () => next({
    shoe: round.shoe,
    round: round.round,
    cards: Object.entries(cards).map(([number, face]) => ({ number: Number(number), card: face })),
    wagers,
  });
  openDialog("ask-changes", `${title} · ${round.shoe} · ${round.round} · ${t("what_changes")}`,
    what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "choices numbers" }, round.places.map(card)),
    el("div", { class: "wager-rows" }, [...round.wagers, ...added].map(row),
      button("add-wager", t("add_wager"), () => askStake(title, { next: setWager }), { class: "wager-row quiet" })),
    el("div", { class: "row" },
      button("next", t("next"), done, { class: "primary", disabled: !wagers.length && !Object.keys(cards).length })));
}
