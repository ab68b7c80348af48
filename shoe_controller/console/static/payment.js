// The settlement as the dealer works it off: take, then pay, step by step. Ticks are of this page alone.

import { el } from "./dom.js";
import { amount, signed } from "./money.js";
import { nameOf, t } from "./words.js";

const STORE = "ticks";

function read() {
  try { return JSON.parse(sessionStorage.getItem(STORE)) ?? {}; } catch { return {}; }
}

const key = (payment) => `${payment.round_id}.${payment.seq}`; // the id of a round is unlike that of any other journal

export function ticksOf(payment) {
  const kept = read();
  return new Set(kept.of === key(payment) ? kept.steps : []);
}

export function toggleTick(payment, number) {
  const ticks = ticksOf(payment);
  if (!ticks.delete(number)) ticks.add(number);
  sessionStorage.setItem(STORE, JSON.stringify({ of: key(payment), steps: [...ticks] }));
}

export const nextStep = (payment) => payment.settlement.steps.findIndex((_, number) => !ticksOf(payment).has(number));

export const isWorkedOff = (payment) => !payment || nextStep(payment) < 0;

// What is to be paid or collected for rounds that were settled before, each seat by seat.
export const differencePanels = (differences) => differences.map(differencePanel);

function differencePanel(given) {
  const row = (kind, what, seat, sum) =>
    el("tr", { class: kind }, el("td", {}, what), el("td", {}, `${t("seat")} ${seat}`), el("td", {}, sum));
  const owed = Object.entries(given.difference).map(([seat, sum]) =>
    row(sum > 0 ? "pay" : "take", t(sum > 0 ? "pay" : "collect"), seat, amount(Math.abs(sum))));
  const back = Object.entries(given.commission_back).map(([seat, sum]) =>
    row("pay", t(given.was_collected ? "pay_back" : "pay_back_if_collected"), seat, amount(sum)));
  const marked = Object.entries(given.commission).map(([seat, sum]) =>
    row("", t("commission"), seat, signed(sum)));
  return el("section", { class: "difference", data: { seq: given.seq } },
    el("h3", {}, `${t("difference")} · ${t("shoe")} ${given.shoe} · ${t("round")} ${given.round}`),
    el("table", { class: "paid" }, el("tbody", {}, owed, back, marked)));
}

export function paymentPanel(payment, table, ticked) {
  if (!payment) return [el("p", { class: "empty" }, t("nothing_to_pay"))];
  const names = Object.fromEntries((table?.wagers ?? []).map((wager) => [wager.id, wager.names]));
  const { steps, totals } = payment.settlement;
  const ticks = ticksOf(payment);
  const next = nextStep(payment);
  const rows = steps.map((step, number) =>
    el("li", {}, el("button", {
      type: "button",
      role: "checkbox",
      class: `step ${step.step} ${number === next ? "next" : ""}`,
      "aria-checked": String(ticks.has(number)),
      data: { key: `step-${number}` },
      onclick: () => { toggleTick(payment, number); ticked(); },
    },
      el("span", { class: "tick", "aria-hidden": "true" }, ticks.has(number) ? "✓" : ""),
      el("b", { class: "do" }, t(step.step)),
      el("span", { class: "seat-name" }, `${t("seat")} ${step.seat}`),
      el("span", { class: "on" }, nameOf(names[step.wager]) || step.wager),
      el("span", { class: "amount" }, amount(step.amount)))));
  return [
    el("p", { class: "sum-line" },
      `${t("round")} ${payment.round}`,
      el("span", {}, `${t("taken")} `, el("b", {}, amount(totals.taken))),
      el("span", {}, `${t("paid")} `, el("b", {}, amount(totals.paid))),
      next < 0 ? el("b", { class: "all-done" }, t("done")) : null),
    payment.again ? el("p", { class: "note" }, t("again")) : null,
    el("ol", { class: "steps" }, rows),
  ];
}
