// Looking back: the last rounds with their cards and why, payments, alerts, corrections and what people did.

import { lastRounds } from "./asking.js";
import { cardFace } from "./cards.js";
import { clockTime, el } from "./dom.js";
import { amount, signed } from "./money.js";
import { correctionCause, detail, discardCause, happened, nameOf, returnCause, t, textOf, wagerName } from "./words.js";

let rounds = null;
let opened = null;

export async function loadRounds(then) {
  const answer = await lastRounds();
  if (!answer) return;
  rounds = [...answer.rounds].reverse();
  then();
}

export const shownRounds = () => [rounds, opened];

const spaced = (...parts) => parts.filter(Boolean).join(" ");

export function recordPanel(table, again) {
  if (!rounds?.length) return [el("p", { class: "empty" }, t("no_rounds"))];
  const names = Object.fromEntries((table?.wagers ?? []).map((wager) => [wager.id, wager.names]));
  return [el("ul", { class: "record" }, rounds.map((round) => roundItem(round, names, again)))];
}

function roundItem(round, names, again) {
  const id = `${round.shoe}.${round.round}`;
  const isOpen = opened === id;
  const toggle = () => { opened = isOpen ? null : id; again(); };
  return el("li", { data: { round: id } }, roundHead(round, id, isOpen, toggle), isOpen ? details(round, names) : null);
}

function roundHead(round, id, isOpen, toggle) {
  const counts = resultThatCounts(round);
  const came = counts ? resultText(counts.outcome) : t(round.state);
  const paid = counts?.settlement ? `${t("paid")} ${amount(counts.settlement.totals.paid)}` : "";
  return el("button", {
    type: "button", class: "round-head", "aria-expanded": String(isOpen), data: { key: `round-${id}` }, onclick: toggle,
  },
    el("b", {}, round.round ? `${round.shoe} · ${round.round}` : `${t("shoe")} ${round.shoe}`),
    el("span", { class: `winner ${counts?.outcome.winner ?? ""}` }, came),
    el("span", { class: "marks" }, marks(round)),
    el("span", { class: "amount" }, paid));
}

// The last result, or what it was amended to; an undo takes both back.
export function resultThatCounts(round) {
  const last = round.attempts.flatMap((attempt) => attempt.results).slice(-1);
  const own = round.amended.filter((each) => each.shoe === round.shoe && each.round === round.round);
  return [...last, ...own].filter((each) => !each.undone).at(-1) ?? null;
}

const resultText = (outcome) => `${t(outcome.winner)} ${outcome.player.total} : ${outcome.banker.total}`;

function marks(round) {
  const changes = round.attempts.flatMap((attempt) => attempt.cards.flatMap((card) => card.changes));
  const kinds = [...new Set(changes.map((change) => change.what))];
  const undone = round.attempts.some((attempt) => attempt.results.some((result) => result.undone));
  const disputed = round.remarks.some(({ of_shoe, of_round, fact }) =>
    fact.fact === "dispute_opened" && of_shoe === round.shoe && of_round === round.round);
  const byHand = round.attempts.some((attempt) => attempt.cards.some((card) => card.entered_by));
  const alerts = round.alerts.length && `! ${round.alerts.length}`;
  const found = [disputed && t("dispute"), alerts, ...kinds.map((kind) => t(kind)), undone && t("undone"), byHand && t("by_hand"),
    round.amended.length && t("amended"), round.corrected.length && t("put_right")];
  return found.filter(Boolean).join(" · ");
}

// --- one round -------------------------------------------------------------------------------------------------------

const why = (reason) => textOf("reasons", reason);
const quoted = (text) => text && `“${text}”`;

// Amendments that were taken back together with a result are told below it, in the order of events.
const undoneWith = ({ undone }, round) => round.amended.filter((each) => undone && each.undone?.time === undone.time);

function details(round, names) {
  const told = new Set(round.attempts.flatMap((attempt) => attempt.results).flatMap((result) => undoneWith(result, round)));
  return el("div", { class: "details" },
    round.attempts.flatMap((attempt) => attemptParts(attempt, round, names)),
    round.returned.map(returnedLine),
    round.corrected.map(correctedLine),
    round.amended.filter((amended) => !told.has(amended)).flatMap((amended) => amendedParts(amended, names)),
    part(t("shoe"), round.about_shoe.map(shoeLine).filter(Boolean)),
    part(t("on_record"), round.remarks.map((remark) => remarkLine(remark, round))),
    part(t("alerts"), round.alerts.map(alertLine)),
    part(t("people"), round.acts.map(actLine)));
}

const returnedLine = (back) =>
  line(back.time, t("returned"), spaced(amount(back.total), returnCause(back.cause), quoted(back.reason)));

const owed = (difference, toSeat, fromSeat) => Object.entries(difference)
  .map(([seat, sum]) => `${t("seat")} ${seat}: ${t(sum > 0 ? toSeat : fromSeat)} ${amount(Math.abs(sum))}`).join(t("comma"));

const correctedLine = (corrected) => line(corrected.time, t("put_right"),
  spaced(owed(corrected.difference, "returned", "collect"), correctionCause(corrected.cause), corrected.person));

const marked = ({ commission }) => Object.entries(commission).map(([seat, minor]) =>
  spaced(t("commission"), `${t("seat")} ${seat}`, signed(minor))).join(t("comma"));

const amendedParts = (amended, names) => [
  line(amended.time, spaced(t("amended"), `${amended.shoe} · ${amended.round}`, resultText(amended.outcome),
    amended.undone && `(${t("undone")})`),
    spaced(owed(amended.difference, "pay", "collect"), marked(amended), "·", amended.person, "+", amended.approved_by, quoted(amended.reason),
      paidBack(amended, amended.was_collected ? "commission_back" : "commission_back_if_collected"))),
  amended.settlement?.steps.length ? stepTable(amended.settlement.steps, names) : null,
];

function remarkLine({ of_shoe, of_round, fact, person, approved_by }, round) {
  const { dispute, seat, text, decision } = fact;
  const paid = fact.amount && amount(Math.abs(fact.amount));
  const way = fact.fact === "payment_adjusted" && t(fact.amount > 0 ? "pay" : "collect");
  const who = seat ?? dispute?.seat;
  const isHere = of_shoe === round.shoe && of_round === round.round;
  const what = spaced(!isHere && `${of_shoe} · ${of_round}:`, t(fact.fact), dispute && String(dispute.number), who && `${t("seat")} ${who}`, way, paid);
  const second = approved_by && `${t("approved_by")} ${approved_by}`;
  return line(fact.time, what, spaced(quoted(text ?? decision ?? dispute?.text), person, second));
}

// --- the shoe --------------------------------------------------------------------------------------------------------

function shoeLine(fact) {
  if (fact.fact === "shoe_ended" && fact.inventory) return inventoryLine(fact);
  if (fact.fact === "remainder_counted") return remainderLine(fact);
  return fact.fact === "shoe_exchanged" ? line(fact.time, t("shoe_exchanged"), spaced(fact.wire, fact.port)) : null;
}

const faceList = (name, faces) => {
  const listed = Object.entries(faces).map(([card, count]) => `${card} ${count}`).join(t("comma"));
  return listed && `${t(name)}: ${listed}`;
};

const counted = (name, cards) => cards !== 0 && `${t(name)}: ${cards}`;

const lines = (...parts) => parts.filter(Boolean).join(" · ");

const inventoryLine = ({ time, cards_out, inventory }) =>
  line(time, t("shoe_ended", { cards: cards_out }), lines(
    counted("must_be_left", inventory.remainder), counted("unseen", inventory.unseen), counted("foreign", inventory.foreign),
    faceList("known_faces", inventory.known)));

const remainderLine = ({ time, expected, found, fits, faces }) =>
  line(time, t(fits ? "remainder_fits" : "remainder_off", { found, expected }), faces && lines(
    faceList("missing_faces", faces.missing), faceList("extra_faces", faces.extra), counted("unseen", faces.unseen),
    faces.duplicates.length && `${t("pieces_twice")}: ${faces.duplicates.join(t("comma"))}`,
    counted("foreign", faces.foreign)));

const part = (title, lines) => (lines.length ? [el("h3", {}, title), ...lines] : []);

const line = (time, what, more = "") =>
  el("p", { class: "log-line" },
    el("time", {}, clockTime(time)),
    el("span", {}, what, more ? el("small", {}, more) : null));

function attemptParts(attempt, round, names) {
  const extra = (cards) => line(cards.time, t("extra"), cards.begins_next_round ? t("used") : t("burned"));
  return [
    attempt.cards.length ? el("ol", { class: "dealt" }, attempt.cards.map(dealtCard)) : null,
    ...attempt.set_aside.map((card) => line(card.time, spaced(t("aside"), card.card ?? "?"), textOf("details", card.why))),
    ...attempt.extra_cards.map(extra),
    ...attempt.put_right.map(placedLine),
    ...attempt.results.flatMap((result) => resultParts(result, round, names)),
    attempt.ended ? voided(attempt) : null,
  ];
}

const placedLine = ({ time, what, number, card, cause, person, reason }) =>
  line(time, spaced(t(`placed_${what}`), number && t("card_number", { number }), card, cause && discardCause(cause)),
    spaced(person, quoted(reason)));

function dealtCard(card) {
  return el("li", { class: card.hand },
    cardFace(card.card),
    el("span", {}, el("b", {}, t(card.hand)), el("small", {}, why(card.why)), entered(card), card.changes.map(changeText)));
}

const entered = (card) => card.entered_by && el("small", { class: "change" }, t("entered_by", { person: card.entered_by }));

function changeText(change) {
  const faces = change.old ? `${change.old} → ${change.new ?? "?"}` : change.new;
  return el("small", { class: "change" }, spaced(t(change.what), faces, t("by"), change.person, quoted(change.reason)));
}

function resultParts(result, round, names) {
  const { settlement, undone } = result;
  return [
    line(result.time, resultText(result.outcome), spaced(why(result.why), "·", t("confirmed_by"), textOf("actors", result.confirmed_by))),
    settlement?.steps.length ? stepTable(settlement.steps, names) : null,
    Object.keys(result.difference ?? {}).length
      ? line(result.time, t("difference"), owed(result.difference, "pay", "collect")) : null,
    ...undoneWith(result, round).flatMap((amended) => amendedParts(amended, names)),
    undone ? takenBack(undone) : null,
  ];
}

const takenBack = (undone) =>
  line(undone.time, t("undone"), spaced(undone.person, "+", undone.approved_by, quoted(undone.reason),
    paidBack(undone, "commission_back")));

const paidBack = ({ commission_back }, how) => Object.entries(commission_back).map(([seat, minor]) =>
  spaced(t(how), `${t("seat")} ${seat}`, amount(minor))).join(" · ");

function stepTable(steps, names) {
  const wager = (step) => nameOf(names[step.wager]) || step.wager;
  const cells = (step) => [t(step.step), `${t("seat")} ${step.seat}`, wager(step), amount(step.amount)];
  const row = (step) => el("tr", { class: step.step }, cells(step).map((text) => el("td", {}, text)));
  return el("table", { class: "paid" }, el("tbody", {}, steps.map(row)));
}

function voided(attempt) {
  const detail = spaced(quoted(attempt.void_reason), t("by"), attempt.voided_by);
  const difference = owed(attempt.void_difference ?? {}, "pay", "collect");
  return el("p", { class: "log-line void" },
    el("span", {}, t(attempt.ended === "replay" ? "replayed" : "void"), el("small", {}, detail),
      difference ? el("small", {}, `${t("difference")} · ${difference}`) : null));
}

function alertLine({ alert, raised, ended, cause, ended_how }) {
  const how = [textOf("alert_ends", cause), ended_how && t(ended_how)].filter(Boolean).join(" · ");
  return line(raised, happened(alert), spaced(detail(alert), ended && `→ ${how}`));
}

function actLine(act) {
  const what = act.outcome === "wrong_pin" ? t("wrong_pin_act") : t(act.act);
  const came = { proposed: t("proposed"), not_done: t("not_done") }[act.outcome];
  const card = act.card_number && `${act.card_number}: ${act.card ?? "?"}`;
  const second = act.approved_by && `${t("approved_by")} ${act.approved_by}`;
  return line(act.time, spaced(act.person, "·", what, card, came), spaced(quoted(act.reason), second, aboutAct(act)));
}

function aboutAct(act) {
  return spaced(
    act.alert_kind && happened({ kind: act.alert_kind }),
    act.hand && t(act.hand),
    act.seat && [`${t("seat")} ${act.seat}`, act.wager && wagerName(act.wager)].filter(Boolean).join(" · "),
    act.stake !== null && amount(act.stake),
    act.to_seat && `→ ${t("seat")} ${act.to_seat}`,
    textOf("proposal_ends", act.not_done),
    act.failures && t("pin_failures", { failures: act.failures }),
    act.locked_out && t("pin_locked_out"));
}
