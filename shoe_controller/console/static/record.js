// Looking back: the last rounds with their cards and why, payments, alerts, corrections and what people did.

import { lastRounds } from "./asking.js";
import { cardFace } from "./cards.js";
import { clockTime, el } from "./dom.js";
import { amount } from "./money.js";
import { detail, happened, nameOf, returnCause, t, textOf } from "./words.js";

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
  const last = round.attempts.flatMap((attempt) => attempt.results).at(-1);
  const counts = last && !last.undone ? last : null;
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

const resultText = (outcome) => `${t(outcome.winner)} ${outcome.player.total} : ${outcome.banker.total}`;

function marks(round) {
  const changes = round.attempts.flatMap((attempt) => attempt.cards.flatMap((card) => card.changes));
  const kinds = [...new Set(changes.map((change) => change.what))];
  const undone = round.attempts.some((attempt) => attempt.results.some((result) => result.undone));
  const found = [round.alerts.length && `! ${round.alerts.length}`, ...kinds.map((kind) => t(kind)), undone && t("undone")];
  return found.filter(Boolean).join(" · ");
}

// --- one round -------------------------------------------------------------------------------------------------------

const why = (reason) => textOf("reasons", reason);
const quoted = (text) => text && `“${text}”`;

function details(round, names) {
  return el("div", { class: "details" },
    round.attempts.flatMap((attempt) => attemptParts(attempt, names)),
    round.returned.map(returnedLine),
    part(t("alerts"), round.alerts.map(alertLine)),
    part(t("people"), round.acts.map(actLine)));
}

const returnedLine = (back) =>
  line(back.time, t("returned"), spaced(amount(back.total), returnCause(back.cause), quoted(back.reason)));

const part = (title, lines) => (lines.length ? [el("h3", {}, title), ...lines] : []);

const line = (time, what, more = "") =>
  el("p", { class: "log-line" },
    el("time", {}, clockTime(time)),
    el("span", {}, what, more ? el("small", {}, more) : null));

function attemptParts(attempt, names) {
  const extra = (cards) => line(cards.time, t("extra"), cards.begins_next_round ? t("used") : t("burned"));
  return [
    attempt.cards.length ? el("ol", { class: "dealt" }, attempt.cards.map(dealtCard)) : null,
    ...attempt.set_aside.map((card) => line(card.time, spaced(t("aside"), card.card ?? "?"), textOf("details", card.why))),
    ...attempt.extra_cards.map(extra),
    ...attempt.results.flatMap((result) => resultParts(result, names)),
    attempt.ended ? voided(attempt) : null,
  ];
}

function dealtCard(card) {
  return el("li", { class: card.hand },
    cardFace(card.card),
    el("span", {}, el("b", {}, t(card.hand)), el("small", {}, why(card.why)), card.changes.map(changeText)));
}

function changeText(change) {
  const faces = change.old ? `${change.old} → ${change.new ?? "?"}` : change.new;
  return el("small", { class: "change" }, spaced(t(change.what), faces, t("by"), change.person, quoted(change.reason)));
}

function resultParts(result, names) {
  const { settlement, undone } = result;
  return [
    line(result.time, resultText(result.outcome), spaced(why(result.why), "·", t("confirmed_by"), textOf("actors", result.confirmed_by))),
    settlement?.steps.length ? stepTable(settlement.steps, names) : null,
    undone ? takenBack(undone) : null,
  ];
}

const takenBack = (undone) =>
  line(undone.time, t("undone"), spaced(undone.person, "+", undone.approved_by, quoted(undone.reason)));

function stepTable(steps, names) {
  const wager = (step) => nameOf(names[step.wager]) || step.wager;
  const cells = (step) => [t(step.step), `${t("seat")} ${step.seat}`, wager(step), amount(step.amount)];
  const row = (step) => el("tr", { class: step.step }, cells(step).map((text) => el("td", {}, text)));
  return el("table", { class: "paid" }, el("tbody", {}, steps.map(row)));
}

function voided(attempt) {
  const detail = spaced(quoted(attempt.void_reason), t("by"), attempt.voided_by);
  return el("p", { class: "log-line void" },
    el("span", {}, t(attempt.ended === "replay" ? "replayed" : "void"), el("small", {}, detail)));
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
    textOf("proposal_ends", act.not_done),
    act.failures && t("pin_failures", { failures: act.failures }),
    act.locked_out && t("pin_locked_out"));
}
