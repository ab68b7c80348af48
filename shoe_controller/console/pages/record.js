// Looking back: the last rounds with their cards and why, payments, alerts, corrections and what people did.

import { lastRounds } from "./asking.js";
import { cardFace } from "./cards.js";
import { amount, clockTime, el } from "./dom.js";
import { nameOf, t } from "./words.js";

let rounds = null;
let opened = null;

export async function loadRounds(then) {
  const told = await lastRounds();
  if (told) { rounds = [...told].reverse(); then(); }
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
  const last = lastResult(round);
  const isOpen = opened === id;
  const toggle = () => { opened = isOpen ? null : id; again(); };
  const winner = last && !last.undone ? last.outcome.winner : null;
  const head = el("button", { type: "button", class: "round-head", "aria-expanded": String(isOpen), data: { key: `round-${id}` }, onclick: toggle },
    el("b", {}, round.round ? `${round.shoe} · ${round.round}` : `${t("shoe")} ${round.shoe}`),
    el("span", { class: `winner ${winner ?? ""}` }, winner ? spaced(t(winner), totals(last.outcome)) : t(round.state)),
    el("span", { class: "marks" }, marks(round)),
    el("span", { class: "amount" }, last?.settlement && !last.undone ? `${t("paid")} ${amount(last.settlement.totals.paid)}` : ""));
  return el("li", { data: { round: id } }, head, isOpen ? details(round, names) : null);
}

const totals = (outcome) => `${outcome.player.total} : ${outcome.banker.total}`;

function lastResult(round) {
  return round.attempts.flatMap((attempt) => attempt.results).at(-1) ?? null;
}

function marks(round) {
  const changed = round.attempts.some((attempt) => attempt.cards.some((card) => card.changes.length));
  const undone = round.attempts.some((attempt) => attempt.results.some((result) => result.undone));
  return [round.alerts.length ? `! ${round.alerts.length}` : "", changed ? t("corrected") : "", undone ? t("undone") : ""].filter(Boolean).join(" · ");
}

function details(round, names) {
  return el("div", { class: "details" },
    round.attempts.flatMap((attempt) => attemptParts(attempt, names)),
    round.returned.map((back) => line(back.time, t("returned"), spaced(amount(back.total), back.why))),
    part(t("alerts"), round.alerts.map((alert) => line(alert.raised, alert.happened, spaced(alert.detail, alert.ended ? `→ ${spaced(alert.ended_by, alert.ended_how && t(alert.ended_how))}` : "")))),
    part(t("people"), round.acts.map((act) => actLine(act))));
}

const part = (title, lines) => (lines.length ? [el("h3", {}, title), ...lines] : []);

const line = (time, what, more = "") =>
  el("p", { class: "told" }, el("time", {}, clockTime(time)), el("span", {}, what, more ? el("small", {}, more) : null));

function attemptParts(attempt, names) {
  const cards = el("ol", { class: "dealt" }, attempt.cards.map((card) =>
    el("li", { class: card.hand }, cardFace(card.card), el("span", {}, el("b", {}, t(card.hand)), el("small", {}, card.why),
      card.changes.map((change) => el("small", { class: "change" }, spaced(t(change.what), change.old ? `${change.old} → ${change.new ?? "?"}` : change.new ?? "", t("by"), change.person, change.reason && `“${change.reason}”`)))))));
  const results = attempt.results.flatMap((result) => [
    line(result.time, spaced(t(result.outcome.winner), totals(result.outcome)), spaced(result.why, "·", t("confirmed_by"), result.confirmed_by)),
    result.settlement?.steps.length ? el("table", { class: "paid" }, el("tbody", {}, result.settlement.steps.map((step) => el("tr", { class: step.step }, el("td", {}, t(step.step)), el("td", {}, `${t("seat")} ${step.seat}`), el("td", {}, nameOf(names[step.wager]) || step.wager), el("td", {}, amount(step.amount)))))) : null,
    result.undone ? line(result.undone.time, t("undone"), spaced(result.undone.person, result.undone.approved_by && `+ ${result.undone.approved_by}`, result.undone.reason && `“${result.undone.reason}”`)) : null,
  ]);
  return [
    attempt.cards.length ? cards : null,
    attempt.set_aside.map((card) => line(card.time, spaced(t("aside"), card.card ?? "?"), card.why)),
    attempt.extra_cards.map((extra) => line(extra.time, t("extra"), extra.begins_next_round ? t("used") : t("burned"))),
    results,
    attempt.ended ? el("p", { class: "told void" }, el("span", {}, t(attempt.ended === "replay" ? "replayed" : "void"), el("small", {}, spaced(attempt.void_why && `“${attempt.void_why}”`, t("by"), attempt.voided_by)))) : null,
  ].flat();
}

function actLine(act) {
  const what = act.outcome === "wrong_pin" ? t("wrong_pin_act") : t(act.act);
  const state = { proposed: t("proposed"), not_done: t("not_done") }[act.outcome] ?? "";
  return line(act.time, spaced(act.person, "·", what, act.card_number && `${act.card_number}: ${act.card ?? "?"}`, state),
    spaced(act.reason && `“${act.reason}”`, act.approved_by && `${t("approved_by")} ${act.approved_by}`, act.detail));
}
