// Supervisor mode: opens the list of a supervisor's acts for a short while. It ends by itself, and holds no PIN: each
// act asks for it again, so that no one can act in the name of a supervisor who has turned away.

import { isHeld } from "./acts.js";
import { askSupervisor, showAnswer } from "./asking.js";
import { askCard, askWho, askWhy, closeDialog } from "./dialogs.js";
import { button, el, toast } from "./dom.js";
import { PLACING, placingText } from "./placing.js";
import { actText, askMove, askRound, askStake } from "./putting_right.js";
import { aboutAct, QUESTIONS } from "./past.js";
import { happened, t } from "./words.js";

const LASTS = 120_000; // milliseconds after the last touch
const mode = { person: null, until: 0 };
let changed = () => {};

export const supervisor = () => mode.person;

export function enter(state, then) {
  askWho(t("supervisor_mode"), {
    text: t("enter"),
    send: async (who) => {
      const answer = await askSupervisor(state(), "sign_in", who);
      if (answer.status === "ok") {
        Object.assign(mode, { person: who.person, until: performance.now() + LASTS });
        closeDialog();
        then();
      }
      return answer;
    },
  });
}

export function leave() {
  mode.person = null;
  changed();
}

export function prolong() {
  if (mode.person) mode.until = performance.now() + LASTS;
}

export function watch(call) {
  changed = call;
  setInterval(() => {
    if (!mode.person) return;
    const left = mode.until - performance.now();
    if (left <= 0) { closeDialog(); leave(); toast(t("mode_over")); return; }
    const clock = document.getElementById("mode-left");
    if (clock) clock.textContent = `${Math.ceil(left / 1000)} s`;
  }, 500);
}

export function supervisorPanel(play, state) {
  const inOrder = [...play.supervisor].sort((a, b) => Boolean(b.possible) - Boolean(a.possible));
  return [
    el("p", { class: "mode" },
      el("b", {}, mode.person),
      el("span", {}, t("supervisor_mode")),
      el("span", { id: "mode-left" }),
      button("leave", t("leave"), leave, { class: "small" })),
    el("div", { class: "act-list" }, inOrder.map((listed) => actButton(listed, state))),
  ];
}

function actButton({ act: name, two_people, possible }, state) {
  const given = { type: "button", class: "act", disabled: !possible, data: { key: `act-${name}` } };
  return el("button", { ...given, onclick: () => begin(possible, state) },
    el("b", {}, t(name), two_people ? el("small", { class: "two" }, t("two_people")) : null),
    el("small", {}, possible ? t(`what_${name}`) : t("not_now")));
}

// The questions of a possible act one after another, then the act itself; `known` are details that need no question.
export function begin(possible, state, known = null) {
  const shown = state();
  const name = possible.act;
  const [title, what] = [t(name), t(`what_${name}`)];
  const finish = (reason, details) =>
    who(name, shown, { reason, details, held: isHeld(name), done: possible.two_people ? "proposed_ok" : "ok" });
  const why = (details) => {
    if (possible.reason) askWhy(title, name, { what, next: (reason) => finish(reason, details) });
    else finish("", details);
  };
  const next = (number, card) => why({ number, card });
  const faceDown = name === "enter_card" && shown.phase === "burning";
  if (known) why(known);
  else if (name === "set_wager") askStake(title, { what, next: why });
  else if (name === "move_wager") askMove(title, { what, wagers: shown.wagers, next: why });
  else if (name === "amend_round") askRound(title, { what, next: why });
  else if (PLACING[name]) PLACING[name](title, what, shown, why, possible);
  else if (QUESTIONS[name]) QUESTIONS[name](title, what, shown, why);
  else if (possible.cards.length) askCard(title, { what, places: shown.cards, numbers: possible.cards, next, faceDown });
  else why({});
}

export function clearAlert(alert, state) {
  const next = (reason) => who("clear_alert", state(), { reason, details: { alert: alert.number } });
  askWhy(t("clear_alert"), "clear_alert", { what: happened(alert), next });
}

// What two people have agreed on cannot be taken back, so the second of them holds.
export function decide(act, proposal, state) {
  const isApproval = act === "approve";
  who(act, state(), {
    details: { proposal: proposal.proposal },
    held: isHeld(act),
    notBy: isApproval ? proposal.person : null,
    what: [
      `${proposal.person} ${t("proposed")}: ${t(proposal.act.act)}`, whatIsDone(proposal.act),
      `“${proposal.reason}”`,
    ].filter(Boolean).join(" "),
  });
}

const whatIsDone = (act) => actText(act) || placingText(act) || aboutAct(act);

function who(act, shown, { reason = "", details = {}, held = false, done = "ok", notBy = null, what = null }) {
  const person = mode.person && mode.person !== notBy ? mode.person : "";
  const about = what ? "" : [whatIsDone({ act, ...details }), reason && `“${reason}”`].filter(Boolean).join(" · ");
  const send = async (typed) => {
    const answer = await askSupervisor(shown, act, typed, reason, details);
    if (answer.status === "ok") {
      closeDialog();
      showAnswer(answer, done);
    }
    prolong();
    return answer;
  };
  askWho(t(act), { person, held, text: t(act), what: what ?? t(`what_${act}`), about, send });
}
