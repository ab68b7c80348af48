// What is wrong: each alert with what happened, what to do and who ends it; and what waits for a second person.
// What can be done about it is what the table lists as possible.

import { possible } from "./acts.js";
import { button, el } from "./dom.js";
import { placingText } from "./placing.js";
import { actText } from "./putting_right.js";
import { disputeCards } from "./open_matters.js";
import { aboutAct } from "./past.js";
import { begin, clearAlert, decide, supervisor } from "./supervisor.js";
import { detail, happened, t, toDo } from "./words.js";

// `todo` has what the page does: `state()`, `act(name, details)` and `enterMode()`.
export function alertPanel(play, todo) {
  const { proposal } = play.state;
  const parts = play.alerts.map((alert) => alertCard(alert, play, todo));
  if (proposal) parts.unshift(proposalCard(proposal, play, todo));
  parts.push(...disputeCards(play, todo));
  return [...(parts.length ? parts : [el("p", { class: "empty" }, t("no_alerts"))]), blinkButton(play, todo)];
}

// Which shoe this table is about: it is asked where something is wrong with it.
const blinkButton = (play, todo) =>
  possible(play, "dealer", "blink_shoe") &&
  button("do-blink_shoe", t("blink_shoe"), () => todo.act("blink_shoe"), { class: "small" });

function alertCard(alert, play, todo) {
  return el("article", { class: `alert ${alert.severity}`, data: { kind: alert.kind } },
    el("h3", {}, happened(alert)),
    // What a program says in its own words is not translated.
    detail(alert) ? el("p", { class: "detail", lang: alert.detail?.text ? "en" : null }, detail(alert)) : null,
    el("p", { class: "to-do" }, toDo(alert)),
    el("footer", {}, el("small", {}, whoEnds(alert)), waysOut(alert, play, todo), clearing(alert, play, todo)));
}

function whoEnds(alert) {
  const acts = alert.ended_by.map((act) => t(act)).join(t("comma"));
  const words = {
    dealer: t("by_dealer"),
    supervisor: t("by_supervisor"),
    nobody: `${t("by_nobody")} ${acts || t("void_round")}`,
  };
  return words[alert.cleared_by] ?? "";
}

function clearing(alert, play, todo) {
  const key = `clear-${alert.number}`;
  const mayClear = (role) => possible(play, role, "clear_alert")?.alerts.includes(alert.number);
  if (mayClear("dealer")) {
    return button(key, t("clear"), () => todo.act("clear_alert", { alert: alert.number }), { class: "primary" });
  }
  if (mayClear("supervisor")) return button(key, t("clear_supervisor"), () => clearAlert(alert, todo.state));
  return null;
}

// What else puts it right: at hand in supervisor mode, and before that the way into it.
function waysOut(alert, play, todo) {
  const helps = (act) => alert.ended_by.includes(act) || (alert.cleared_by === "nobody" && act === "void_round");
  const ways = play.supervisor.filter((listed) => listed.possible && helps(listed.act));
  if (!ways.length) return [];
  if (!supervisor()) return [button(`mend-${alert.number}`, `${t("supervisor")}…`, todo.enterMode)];
  return ways.map((listed) =>
    button(`mend-${alert.number}-${listed.act}`, t(listed.act), () => begin(listed.possible, todo.state)));
}

function proposalCard(proposal, play, todo) {
  const decision = (act, given) =>
    possible(play, "supervisor", act) && button(act, t(act), () => decide(act, proposal, todo.state), given);
  const about = actText(proposal.act) || placingText(proposal.act);
  return el("article", { class: "alert proposal" },
    el("h3", {}, `${proposal.person} ${t("proposed")}: ${t(proposal.act.act)}`),
    about ? el("p", { class: "about" }, about) : null,
    el("p", { class: "detail" }, [about ? "" : aboutAct(proposal.act), `“${proposal.reason}”`].filter(Boolean).join(" · ")),
    el("footer", {},
      el("small", {}, t("waits_for_second")),
      decision("withdraw"),
      decision("approve", { class: "primary" })));
}
