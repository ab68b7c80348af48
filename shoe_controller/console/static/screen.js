// Draws what is known of the table: the sentence, the hands, the panel that is open, and the buttons.

import { dealerActs, isHeld } from "./acts.js";
import { alertPanel } from "./alerts.js";
import { cardPad, chosenCard } from "./card_pad.js";
import { askDealer, signedIn, showAnswer } from "./asking.js";
import { hand } from "./cards.js";
import { askWhy, closeDialog } from "./dialogs.js";
import { $, button, draw, el, holdButton } from "./dom.js";
import { differencePanels, isWorkedOff, paymentPanel, ticksOf } from "./payment.js";
import { commissionList } from "./open_matters.js";
import { loadRounds, recordPanel, shownRounds } from "./record.js";
import { enter, supervisor, supervisorPanel } from "./supervisor.js";
import { seatDialog, seatTiles } from "./wagers.js";
import { currentLanguage, promptParts, t } from "./words.js";

export const ACT_KEYS = {
  no_more_bets: "N", confirm: "C", open_shoe: "O", free_hand: "F", reveal_cards: "R", call_supervisor: "S",
};
export const TAB_KEYS = { cards: "D", wagers: "W", payments: "P", alerts: "A", rounds: "L", supervisor: "V" };

// Of those that are offered the first of these is the main one.
const MAIN_ACTS = ["reveal_cards", "confirm", "no_more_bets", "open_shoe"];
const CALL = "call_supervisor";
const SIDES = ["player", "banker"];

// The sections received so far, and what the page is showing.
export const known = { live: null, table: null, play: null, payment: null, differences: [] };
export const at = { tab: "wagers", reachable: false };

export const state = () => known.play?.state ?? null;

export function show() {
  if (!signedIn()) return;
  const { live, table, play, payment } = known;
  const isLive = at.reachable && Boolean(live?.live);
  document.body.classList.toggle("stopped", Boolean(play?.state.stopped));
  document.body.classList.toggle("away", !isLive);
  document.title = table ? `${table.title} · ${t("console")}` : t("console");
  $("title").textContent = table?.title ?? "";
  $("where").textContent = whereText(play?.state);
  showHealth(live);
  showPrompt(isLive, live, play);
  showHands(play?.state);
  showTabs(play, payment);
  showPanel(play, table, payment);
  showActs(isLive, play);
}

// --- the head --------------------------------------------------------------------------------------------------------

function whereText(now) {
  if (!now) return "";
  const isLast = now.last_round !== null && now.round >= now.last_round;
  return [
    `${t("shoe")} ${now.shoe}`,
    now.round ? `${t("round")} ${now.round}` : "",
    t(now.stopped ? "stopped" : now.free ? "free" : now.phase),
    isLast ? t("last") : "",
    now.carried ? [t("carried"), now.carried.card].filter(Boolean).join(" ") : "",
    now.hand_entry ? t("by_hand") : "",
  ].filter(Boolean).join(" · ");
}

const whyAway = (live) => t(!at.reachable ? "page" : live?.why || "controller");

function troubleText(live) {
  if (!at.reachable || !live?.live) return whyAway(live);
  if (!live.storing) return t("not_storing");
  return [live.unverified ? t("unverified") : "", live.unkept ? t("unkept") : ""].filter(Boolean).join(" · ");
}

function showHealth(live) {
  const trouble = troubleText(live);
  $("health").className = trouble ? "bad" : "good";
  $("health").textContent = trouble || (live.rules_pending ? t("waits") : t("live"));
}

function showPrompt(isLive, live, play) {
  const [head, why] = !isLive ? [whyAway(live), t("wait_for_it")] : play ? promptParts(play.state.prompt) : ["", ""];
  draw($("sentence"), head, () => head);
  draw($("because"), why, () => why);
}

// --- hands -----------------------------------------------------------------------------------------------------------

function showHands(now) {
  // Until the first card of the next round lies there, the last result stays to be seen.
  const last = !now || now.cards.length || now.phase === "closed" ? null : now.last_outcome;
  $("hands").classList.toggle("past", Boolean(last));
  draw($("hands"), [now?.cards, now?.standing, now?.phase, now?.stopped, last, currentLanguage()], () => {
    if (!now) return [];
    return SIDES.map((side) => (last ? lastHand(side, last) : handNow(side, now)));
  });
}

function lastHand(side, last) {
  const cards = last[side].cards.map((card, number) => ({ card, number: number + 1 }));
  const won = last.winner === side;
  const came = won ? t("wins") : last.winner === "tie" ? t("tie") : "";
  const note = [`${t("round")} ${last.round}`, came].filter(Boolean).join(" · ");
  return hand(side, cards, last[side].total, null, { won, note });
}

function handNow(side, now) {
  const cards = now.cards.filter((place) => place.hand === side);
  const isDealt = ["dealing", "closed"].includes(now.phase) && !now.stopped; // no card is due before it is put right
  const next = isDealt ? now.standing?.next_hand : null;
  return hand(side, cards, cards.length ? now.standing?.[`${side}_total`] : null, next);
}

// --- panels ----------------------------------------------------------------------------------------------------------

// Those that are there at times only.
const AT_TIMES = { supervisor: () => supervisor(), cards: () => state()?.hand_entry };

const tabsNow = () => Object.keys(TAB_KEYS).filter((name) => AT_TIMES[name]?.() ?? !(name in AT_TIMES));

function showTabs(play, payment) {
  if (!tabsNow().includes(at.tab)) at.tab = "wagers";
  const counts = {
    alerts: (play?.alerts.length ?? 0) + (play?.state.proposal ? 1 : 0) + (play?.state.disputes.length ?? 0),
    payments: payment ? payment.settlement.steps.length - ticksOf(payment).size : 0,
  };
  const stopped = Boolean(play?.state.stopped);
  draw($("tabs"), [at.tab, counts, tabsNow(), currentLanguage(), stopped], () => tabsNow().map((name) => {
    const given = { role: "tab", "aria-selected": String(name === at.tab), class: `tab ${name}`, hint: TAB_KEYS[name] };
    const made = button(`tab-${name}`, t(name), () => openTab(name), given);
    const grave = name === "alerts" && stopped ? "stops" : "";
    if (counts[name]) made.append(el("span", { class: `count ${grave}` }, String(counts[name])));
    return made;
  }));
}

export function openTab(name) {
  at.tab = name;
  if (name === "rounds") loadRounds(show);
  show();
}

export function openSeat(seat) {
  at.tab = "wagers";
  show();
  seatDialog(seat, known);
}

let differenceSeen;

function showPanel(play, table, payment) {
  const panel = $("panel");
  if (panel.className !== at.tab) panel.scrollTop = 0;
  panel.className = at.tab;
  if (!play || !table) return draw(panel, null, () => []);
  // For each panel: what it shows, and how it is made of that.
  const [shows, build] = {
    cards: () => [[play.acts, play.state.phase, chosenCard()], () => cardPad(play, { act, redraw: show })],
    wagers: () => [
      [table, play.state.wagers, play.state.commission, play.betting],
      () => seatTiles(table, play, openSeat),
    ],
    payments: () => [
      [table, payment, payment && [...ticksOf(payment)], known.differences, play.state.commission, play.acts],
      () => [
        ...differencePanels(known.differences),
        ...paymentPanel(payment, table, afterTick),
        ...commissionList(play, act),
      ],
    ],
    alerts: () => [
      [play.alerts, play.acts, play.supervisor, play.state.proposal, play.state.disputes, supervisor()],
      () => alertPanel(play, { state, act, enterMode }),
    ],
    rounds: () => [
      [table, shownRounds(), play.acts],
      () => [noteButton(play), ...recordPanel(table, show)],
    ],
    supervisor: () => [[play.supervisor, supervisor()], () => supervisorPanel(play, state)],
  }[at.tab]();
  draw(panel, [at.tab, currentLanguage(), shows], build);
  const newest = [...panel.querySelectorAll(".difference")].at(-1);
  if (!newest) showNextStep();
  else if (newest.dataset.seq !== differenceSeen) newest.scrollIntoView({ block: "nearest" });
  differenceSeen = newest?.dataset.seq;
}

// A difference that is open is not scrolled away for it, unless somebody works the steps off.
const showNextStep = () => $("panel").querySelector(".step.next")?.scrollIntoView({ block: "nearest" });

export function afterTick() {
  if (isWorkedOff(known.payment) && known.play?.betting) at.tab = "wagers";
  show();
  showNextStep();
}

export const enterMode = () => enter(state, () => openTab(state()?.stopped ? "alerts" : "supervisor"));

// A dealer's note on the round that is on the table; its text is the reason.
function noteButton(play) {
  if (!play.acts.some((each) => each.role === "dealer" && each.act === "note")) return null;
  const ask = () => askWhy(t("note"), "note", {
    what: t("what_note_dealer"),
    next: async (reason) => {
      closeDialog();
      if (showAnswer(await askDealer(state(), "note", {}, reason))) loadRounds(show);
    },
  });
  return button("note", t("note"), ask, { class: "small note-button" });
}

// --- buttons ---------------------------------------------------------------------------------------------------------

let asking = false;

export async function act(name, details = {}) {
  if (asking) return; // a double tap counts once
  asking = true;
  try {
    const answer = await askDealer(state(), name, details);
    if (answer.status !== "ok") showAnswer(answer);
  } finally {
    asking = false;
  }
}

function mainAct(offered, now) {
  const isDue = (name) => name !== "open_shoe" || ["no_shoe", "ended"].includes(now.phase);
  return MAIN_ACTS.find((name) => offered.some((each) => each.act === name) && isDue(name));
}

function showActs(isLive, play) {
  const offered = isLive && play ? dealerActs(play) : [];
  const main = play ? mainAct(offered, play.state) : null;
  draw($("acts"), [offered, main, supervisor(), currentLanguage(), isLive], () => {
    const others = offered.filter((each) => each.act !== CALL);
    const inOrder = others.sort((a, b) => (b.act === main) - (a.act === main));
    return [
      ...inOrder.flatMap((each) => actButtons(each, each.act === main)),
      el("span", { class: "space" }),
      others.length < offered.length ? callButton(`do-${CALL}`, CALL, () => act(CALL), ACT_KEYS[CALL]) : null,
      isLive && !supervisor() ? callButton("mode", "supervisor", enterMode, TAB_KEYS.supervisor) : null,
    ];
  });
}

const callButton = (key, word, onclick, hint) => button(key, t(word), onclick, { class: "call", hint });

function actButtons(offered, isMain) {
  const name = offered.act;
  const given = { class: isMain ? "primary" : "", hint: ACT_KEYS[name] };
  if (name === "reveal_cards") {
    return offered.hands.map((side) =>
      button(`do-${name}-${side}`, `${t(name)}: ${t(side)}`, () => act(name, { hand: side }), given));
  }
  const make = isHeld(name) ? holdButton : button;
  return [make(`do-${name}`, t(name), () => act(name), given)];
}
