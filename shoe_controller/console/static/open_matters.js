// What is still open at this table: disputes that wait for a decision, and commission that a seat owes.

import { possible } from "./acts.js";
import { button, el, holdButton } from "./dom.js";
import { dueText, disputeText } from "./past.js";
import { begin, supervisor } from "./supervisor.js";
import { t } from "./words.js";

export function disputeCards(play, todo) {
  const close = play.supervisor.find((listed) => listed.act === "close_dispute")?.possible;
  return play.state.disputes.map((dispute) => el("article", { class: "alert dispute", data: { dispute: dispute.number } },
    el("h3", {}, `${t("dispute")} ${dispute.number}`),
    el("p", { class: "detail" }, `${disputeText(dispute)} · ${dispute.person}`),
    el("p", { class: "to-do" }, `“${dispute.text}”`),
    el("footer", {}, el("small", {}, t("by_supervisor_dispute")),
      close ? closing(dispute, close, todo) : null)));
}

function closing(dispute, close, todo) {
  const key = `close-dispute-${dispute.number}`;
  if (!supervisor()) return button(key, `${t("supervisor")}…`, todo.enterMode);
  return button(key, t("close_dispute"), () => begin(close, todo.state, { dispute: dispute.number }));
}

// Each seat that owes commission, by shoe, with the button for the dealer who collects it.
export function commissionList(play, act) {
  const { commission } = play.state;
  if (!commission.length) return [];
  const may = possible(play, "dealer", "collect_commission");
  return [
    el("h3", { class: "owed-head" }, t("commission_owed")),
    el("ul", { class: "owed" }, commission.map((due) => el("li", { data: { due: `${due.shoe}.${due.seat}` } },
      el("span", {}, dueText(due)),
      may?.seats.includes(due.seat)
        ? holdButton(`collect-${due.shoe}-${due.seat}`, t("collect"), () =>
          act("collect_commission", { seat: due.seat, shoe: due.shoe }))
        : null))),
  ];
}
