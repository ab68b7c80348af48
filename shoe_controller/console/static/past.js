// Questions about rounds that are over and what is still open: which round, which seat, how much, which dispute.

import { lastRounds } from "./asking.js";
import { openDialog } from "./dialogs.js";
import { button, el } from "./dom.js";
import { amount, minorUnits } from "./money.js";
import { padFor } from "./pad.js";
import { t } from "./words.js";

const OFFERED = 6; // rounds that are offered by a button; others are typed
const LONGEST_NUMBER = 6;
const LONGEST_AMOUNT = 12;
const LONGEST_COUNT = 4;

let seats = [];

export function useSeats(names) { seats = names; }

const roundText = (shoe, round) => `${t("shoe")} ${shoe} · ${t("round")} ${round}`;

// What an act is about, for the person who does or approves it.
export function aboutAct(act) {
  if (act.act === "count_remainder") return `${t("cards_left")}: ${act.cards}`;
  const paid = act.amount === undefined ? "" : `${t(act.amount > 0 ? "pay" : "collect")} ${amount(Math.abs(act.amount))}`;
  const where = act.round ? roundText(act.shoe ?? "", act.round) : act.shoe ? `${t("shoe")} ${act.shoe}` : "";
  return [act.seat && `${t("seat")} ${act.seat}`, paid, where].filter(Boolean).join(" · ");
}

// --- one of several --------------------------------------------------------------------------------------------------

// Buttons of which one is pressed; `chosen` is called with what it stands for.
function oneOf(kind, offered, { first, chosen }) {
  const row = el("div", { class: "choices" });
  for (const { value, text } of offered) {
    const pick = () => {
      for (const other of row.children) other.setAttribute("aria-pressed", String(other === made));
      chosen(value);
    };
    const made = button(`${kind}-${value ?? "none"}`, text, pick, { class: "choice", "aria-pressed": String(value === first) });
    row.append(made);
  }
  return row;
}

const askOne = (title, what, kind, offered, next) =>
  openDialog("ask-one", title, el("p", { class: "what" }, what), oneOf(kind, offered, { chosen: next }));

// --- disputes and commission -----------------------------------------------------------------------------------------

export const disputeText = (dispute) =>
  [roundText(dispute.shoe, dispute.round), dispute.seat && `${t("seat")} ${dispute.seat}`].filter(Boolean).join(" · ");

const shoesOf = (due) => due.since ? `${due.since}–${due.shoe}` : due.shoe;
export const dueText = (due) => `${t("seat")} ${due.seat} · ${t("shoe")} ${shoesOf(due)} · ${amount(due.amount)}`;

function askDispute(title, what, shown, next) {
  const offered = shown.disputes.map((each) => ({ value: each.number, text: `${each.number}: ${disputeText(each)}` }));
  askOne(title, what, "dispute", offered, (dispute) => next({ dispute }));
}

function askDue(title, what, shown, next) {
  const offered = shown.commission.map((due, value) => ({ value, text: dueText(due) }));
  askOne(title, what, "due", offered, (at) => next({ seat: shown.commission[at].seat, shoe: shown.commission[at].shoe }));
}

// --- a round ---------------------------------------------------------------------------------------------------------

function numberField(key, label, { pad = "digits", longest = LONGEST_NUMBER, value = "" }) {
  const quiet = { type: "text", autocomplete: "off", inputmode: "none", maxlength: longest };
  const input = el("input", { data: { key, pad }, ...quiet, value, onfocus: (event) => event.target.select() });
  return [el("label", { class: "field" }, el("span", {}, label), input), input];
}

// `wants` says what else is asked: a seat, and an amount with its direction.
async function askRound(title, what, shown, next, wants) {
  const [shoeField, shoe] = numberField("of-shoe", t("shoe"), { value: shown.shoe });
  const [roundField, round] = numberField("of-round", t("round"), { value: shown.round });
  const [paidField, paid] = numberField("amount", t("amount"), { pad: "decimal", longest: LONGEST_AMOUNT });
  const chosen = { seat: wants.anySeat ? null : seats[0], sign: 1 };
  const message = el("p", { class: "message", role: "alert" });
  const go = () => {
    const about = { shoe: Number(shoe.value), round: Number(round.value) };
    // Before the first round of a shoe there is no number to name.
    const isBefore = !shown.round && !about.round && about.shoe === shown.shoe;
    if (isBefore) Object.assign(about, { shoe: null, round: null });
    else if (!about.shoe || !about.round) { message.textContent = t("which_round"); return round.focus(); }
    const minor = wants.amount ? minorUnits(paid.value) : 1;
    if (!minor) { message.textContent = t("bad_amount"); return paid.focus(); }
    if (wants.seat) about.seat = chosen.seat;
    if (wants.amount) about.amount = chosen.sign * minor;
    next(about);
  };
  const onKey = (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    go();
  };
  const past = el("div", { class: "chips" });
  openDialog("ask-round", `${title} · ${t("which_round")}`, el("p", { class: "what" }, what),
    el("div", { class: "betting", onkeydown: onKey, oninput: () => { message.textContent = ""; } },
      el("div", { class: "list" }, past, el("div", { class: "thirds" }, shoeField, roundField, wants.amount ? paidField : null),
        wants.seat ? seatChoice(wants, chosen) : null, wants.amount ? wayChoice(chosen) : null),
      el("div", { class: "keys" }, padFor([shoe, round, paid]), message, button("next", t("next"), go, { class: "primary" }))));
  const answer = await lastRounds();
  const known = [...(answer?.rounds ?? [])].reverse().filter((each) => each.round).slice(0, OFFERED);
  past.append(...known.map((each) => button(`past-${each.shoe}.${each.round}`, `${each.shoe} · ${each.round}`, () => {
    [shoe.value, round.value] = [each.shoe, each.round];
  }, { class: "chip" })));
}

function seatChoice(wants, chosen) {
  const named = seats.map((seat) => ({ value: seat, text: seat }));
  const offered = wants.anySeat ? [{ value: null, text: t("no_seat") }, ...named] : named;
  const row = oneOf("seat", offered, { first: chosen.seat, chosen: (seat) => { chosen.seat = seat; } });
  return el("div", { class: "field" }, el("span", {}, t("seat")), row);
}

function wayChoice(chosen) {
  const ways = [{ value: 1, text: t("pay") }, { value: -1, text: t("collect") }];
  return oneOf("way", ways, { first: chosen.sign, chosen: (sign) => { chosen.sign = sign; } });
}

// How many cards are left in the shoe that ended.
function askCardsLeft(title, what, _shown, next) {
  const [field, cards] = numberField("cards-left", t("cards_left"), { longest: LONGEST_COUNT });
  const message = el("p", { class: "message", role: "alert" });
  const go = () => {
    if (!/^\d+$/.test(cards.value)) { message.textContent = t("cards_left"); return cards.focus(); }
    next({ cards: Number(cards.value) });
  };
  const onKey = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go();
  };
  openDialog("ask-cards-left", title, el("p", { class: "what" }, what),
    el("div", { class: "betting", onkeydown: onKey, oninput: () => { message.textContent = ""; } },
      el("div", { class: "list" }, field),
      el("div", { class: "keys" }, padFor([cards]), message, button("next", t("next"), go, { class: "primary" }))));
}

// The questions of each act that is about a round, a dispute, commission or what is left: `next` gets its details.
export const QUESTIONS = {
  count_remainder: askCardsLeft,
  note: (...given) => askRound(...given, {}),
  open_dispute: (...given) => askRound(...given, { seat: true, anySeat: true }),
  adjust: (...given) => askRound(...given, { seat: true, amount: true }),
  close_dispute: askDispute,
  waive_commission: askDue,
};
