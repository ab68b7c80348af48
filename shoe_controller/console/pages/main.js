// The console of one table: shows what the news say, and asks for what people do. It decides nothing by itself.

import { askDealer, resume, signedIn, signIn, signOut, tell, touched, whenLost } from "./asking.js";
import { hand } from "./cards.js";
import { closeDialog, whoForm } from "./dialogs.js";
import { $, button, draw, el, holdButton, toast } from "./dom.js";
import { isWorkedOff, nextStep, paymentPanel, ticksOf, toggleTick } from "./payment.js";
import { loadRounds, recordPanel, shownRounds } from "./record.js";
import { begin, clearAlert, decide, enter, leave, prolong, supervisor, supervisorPanel, watch } from "./supervisor.js";
import { currentLanguage, LANGUAGES, promptParts, setLanguage, t } from "./words.js";
import { seatDialog, seatTiles } from "./wagers.js";

const SILENCE = 6000; // milliseconds; the console says every two seconds that it is alive
const TOUCH_EVERY = 15_000;
const KEYS = { no_more_bets: "N", confirm: "C", open_shoe: "O", free_hand: "F", reveal_cards: "R", call_supervisor: "S" };
const TAB_KEYS = { wagers: "W", payments: "P", alerts: "A", rounds: "L", supervisor: "V" };
const MAIN_ACTS = ["confirm", "no_more_bets", "reveal_cards", "open_shoe"];

const known = { live: null, table: null, play: null, payment: null };
let tab = "wagers";
let reachable = false;
let heardAt = 0;
let source = null;
let touchedAt = 0;
let asking = false;

const state = () => known.play?.state ?? null;

// --- drawing ----------------------------------------------------------------------------------------------------------

function show() {
  if (!signedIn()) return;
  const { live, table, play, payment } = known;
  const isLive = reachable && live?.live;
  document.body.classList.toggle("stopped", Boolean(play?.state.stopped));
  document.body.classList.toggle("away", !isLive);
  document.title = table ? `${table.title} · ${t("console")}` : t("console");
  $("title").textContent = table?.title ?? "";
  showWhere(play);
  showHealth(isLive, live);
  showPrompt(isLive, live, play);
  showHands(play);
  showTabs(play, payment);
  showPanel(play, table, payment);
  showActs(isLive, play);
}

function showWhere(play) {
  const at = play?.state;
  const parts = at ? [`${t("shoe")} ${at.shoe}`, at.round ? `${t("round")} ${at.round}` : "", at.free ? t("free") : t(at.phase), at.last_round !== null && at.round >= at.last_round ? t("last") : ""] : [];
  $("where").textContent = parts.filter(Boolean).join(" · ");
}

function showHealth(isLive, live) {
  const trouble = !reachable ? t("page") : !live?.live ? t(live?.why || "controller") : !live.storing ? t("not_storing") : live.unverified ? t("unverified") : "";
  $("health").className = trouble ? "bad" : "good";
  $("health").textContent = trouble || live?.waits && t("waits") || t("live");
}

function showPrompt(isLive, live, play) {
  const [head, why] = !isLive ? [t(!reachable ? "page" : live?.why || "controller"), ""] : promptParts(play?.state.prompt ?? "");
  draw($("sentence"), head, () => head);
  draw($("because"), why, () => why);
}

function showHands(play) {
  const at = play?.state;
  if (!at) return draw($("hands"), null, () => []);
  // Until the first card of the next round lies there, the last result stays to be seen.
  const last = at.cards.length || at.phase === "closed" ? null : at.last_outcome;
  const shows = [at.cards, at.standing, last, currentLanguage(), at.phase];
  draw($("hands"), shows, () => ["player", "banker"].map((side) => {
    if (last) return hand(side, last[side].cards.map((card, number) => ({ card, number: number + 1 })), last[side].total, null, { won: last.winner === side, note: `${t("round")} ${last.round}${last.winner === side ? ` · ${t("wins")}` : last.winner === "tie" ? ` · ${t("tie")}` : ""}` });
    const cards = at.cards.filter((place) => place.hand === side);
    const waits = ["dealing", "closed"].includes(at.phase) ? at.standing?.next_hand : null;
    return hand(side, cards, cards.length ? at.standing?.[`${side}_total`] : null, waits);
  }));
  $("hands").classList.toggle("past", Boolean(last));
}

function tabsNow() {
  return ["wagers", "payments", "alerts", "rounds", ...(supervisor() ? ["supervisor"] : [])];
}

function showTabs(play, payment) {
  const alerts = (play?.alerts.length ?? 0) + (play?.state.proposal ? 1 : 0);
  const left = payment ? payment.settlement.steps.length - ticksOf(payment).size : 0;
  const counts = { alerts, payments: left };
  if (!tabsNow().includes(tab)) tab = "wagers";
  draw($("tabs"), [tab, counts, tabsNow(), currentLanguage(), play?.state.stopped], () => tabsNow().map((name) => {
    const made = button(`tab-${name}`, t(name), () => openTab(name), { role: "tab", "aria-selected": String(name === tab), class: `tab ${name}`, hint: TAB_KEYS[name] });
    if (counts[name]) made.append(el("span", { class: `count ${name === "alerts" && play?.state.stopped ? "stops" : ""}` }, String(counts[name])));
    return made;
  }));
}

function openTab(name) {
  tab = name;
  if (name === "rounds") loadRounds(show);
  show();
}

function showPanel(play, table, payment) {
  const panel = $("panel");
  panel.className = tab;
  const language = currentLanguage();
  if (!play || !table) return draw(panel, null, () => []);
  if (tab === "wagers") draw(panel, [tab, table, play.state.wagers, play.open, language], () => seatTiles(table, play, (seat) => seatDialog(seat, () => known)));
  if (tab === "payments") draw(panel, [tab, payment, payment && [...ticksOf(payment)], language], () => paymentPanel(payment, table, afterTick));
  if (tab === "payments") panel.querySelector(".step.next")?.scrollIntoView({ block: "nearest" });
  if (tab === "alerts") draw(panel, [tab, play.alerts, play.supervisor, play.state.proposal, supervisor(), language], () => alertPanel(play));
  if (tab === "rounds") draw(panel, [tab, shownRounds(), language], () => recordPanel(table, show));
  if (tab === "supervisor") draw(panel, [tab, play.supervisor, supervisor(), language], () => supervisorPanel(play, state));
}

function afterTick() {
  if (isWorkedOff(known.payment) && known.play?.open) tab = "wagers";
  show();
}

function alertPanel(play) {
  const { proposal } = play.state;
  const parts = play.alerts.map((alert) => alertCard(alert));
  if (proposal) parts.unshift(proposalCard(proposal));
  return parts.length ? parts : [el("p", { class: "empty" }, t("no_alerts"))];
}

function alertCard(alert) {
  const who = { dealer: t("by_dealer"), supervisor: t("by_supervisor"), nobody: `${t("by_nobody")} ${alert.ended_by.map((act) => t(act)).join(", ") || t("void_round")}` };
  const clear = {
    dealer: () => button(`clear-${alert.alert}`, t("clear"), () => act("clear_alert", { alert: alert.alert }), { class: "primary" }),
    supervisor: () => button(`clear-${alert.alert}`, t("clear_supervisor"), () => clearAlert(alert, state)),
  }[alert.alert ? alert.cleared_by : "nobody"]?.();
  // What else puts it right: at hand in supervisor mode, and the way into it before.
  const ways = known.play.supervisor.filter((offered) => offered.possible && (alert.ended_by.includes(offered.act) || (alert.cleared_by === "nobody" && offered.act === "void_round")));
  const mend = !ways.length ? [] : supervisor() ? ways.map((offered) => button(`mend-${alert.alert}-${offered.act}`, t(offered.act), () => begin(offered, state))) : [button(`mend-${alert.alert}`, `${t("supervisor")}…`, enterMode)];
  return el("article", { class: `alert ${alert.severity}`, data: { kind: alert.kind } },
    el("h3", {}, alert.happened), alert.detail ? el("p", { class: "detail" }, alert.detail) : null,
    el("p", { class: "to-do" }, alert.to_do), el("footer", {}, el("small", {}, who[alert.cleared_by] ?? ""), mend, clear));
}

function proposalCard(proposal) {
  return el("article", { class: "alert proposal" },
    el("h3", {}, `${proposal.person} ${t("proposed")}: ${t(proposal.act.act)}`), el("p", { class: "detail" }, `“${proposal.reason}”`),
    el("footer", {}, el("small", {}, t("waits_for_second")),
      button("withdraw", t("withdraw"), () => decide("withdraw", proposal, state)),
      button("approve", t("approve"), () => decide("approve", proposal, state), { class: "primary" })));
}

function showActs(isLive, play) {
  const offered = isLive ? play?.dealer ?? [] : [];
  const main = MAIN_ACTS.find((name) => offered.some((each) => each.act === name && (name !== "open_shoe" || ["no_shoe", "ended"].includes(play.state.phase))));
  const sides = hiddenSides(play?.state);
  draw($("acts"), [offered, main, sides, supervisor(), currentLanguage(), isLive], () => [
    offered.filter((each) => each.act !== "call_supervisor").sort((a, b) => (b.act === main) - (a.act === main)).flatMap((each) => {
      const kind = { class: each.act === main ? "primary" : "", hint: KEYS[each.act] };
      if (each.act === "reveal_cards") return sides.map((side) => button(`do-${each.act}-${side}`, `${t(each.act)}: ${t(side)}`, () => act(each.act, { hand: side }), { ...kind, class: `${kind.class} ${side}` }));
      return each.held ? holdButton(`do-${each.act}`, t(each.act), () => act(each.act), kind) : button(`do-${each.act}`, t(each.act), () => act(each.act), kind);
    }),
    el("span", { class: "space" }),
    offered.some((each) => each.act === "call_supervisor") ? button("do-call_supervisor", t("call_supervisor"), () => act("call_supervisor"), { class: "call", hint: KEYS.call_supervisor }) : null,
    isLive && !supervisor() ? button("mode", t("supervisor"), enterMode, { class: "call", hint: TAB_KEYS.supervisor }) : null,
  ].flat());
}

const hiddenSides = (at) => ["player", "banker"].filter((side) => at?.cards.some((place) => place.hand === side && place.card === null));

const enterMode = () => enter(state, () => openTab(known.play?.state.stopped ? "alerts" : "supervisor"));

// --- doing ------------------------------------------------------------------------------------------------------------

async function act(name, details = {}) {
  if (asking) return;
  asking = true;
  try {
    const answer = await askDealer(state(), name, details);
    if (answer.status !== "ok") tell(answer);
  } finally {
    asking = false;
  }
}

function onKey(event) {
  prolong();
  noteTouch();
  if (!signedIn() || $("dialog").open || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.tagName === "INPUT") return;
  const letter = event.key.toUpperCase();
  const press = (key) => document.querySelector(`[data-key="${key}"]`);
  const name = Object.keys(KEYS).find((each) => KEYS[each] === letter);
  const place = Object.keys(TAB_KEYS).find((each) => TAB_KEYS[each] === letter);
  if (name) {
    const found = document.querySelector(`[data-key="do-${name}"], [data-key^="do-${name}-"]`);
    // What must be held is only reached by its letter.
    if (found?.classList.contains("hold")) found.focus();
    else found?.click();
  } else if (place === "supervisor") supervisor() ? openTab(place) : enterMode();
  else if (place) { openTab(place); press(`tab-${place}`)?.focus(); }
  else if (letter === "T" && known.payment && nextStep(known.payment) >= 0) { tab = "payments"; toggleTick(known.payment, nextStep(known.payment)); afterTick(); }
  else if (known.table?.seats.includes(event.key) && known.play?.open) { tab = "wagers"; show(); seatDialog(event.key, () => known); }
  else return;
  event.preventDefault();
}

function noteTouch() {
  if (performance.now() - touchedAt < TOUCH_EVERY) return;
  touchedAt = performance.now();
  touched();
}

// --- news -------------------------------------------------------------------------------------------------------------

function listen() {
  source?.close();
  source = new EventSource("/news");
  heardAt = performance.now();
  source.onmessage = ({ data }) => { heard(); takeNews(JSON.parse(data)); };
  source.addEventListener("alive", heard);
  source.addEventListener("ended", () => door("ended_session"));
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) lookWhy(); };
}

function heard() {
  heardAt = performance.now();
  if (!reachable) { reachable = true; show(); }
}

async function lookWhy() {
  try {
    if (!(await resume())) door("ended_session");
  } catch {
    // The console is away; the next look tries again.
  }
}

function takeNews(news) {
  const before = { alerts: known.play?.alerts.map((alert) => alert.alert) ?? [], seq: known.payment?.seq, proposal: known.play?.state.proposal?.proposal, round: `${state()?.shoe} ${state()?.round} ${state()?.phase}` };
  Object.assign(known, news);
  const fresh = known.play?.alerts.some((alert) => !before.alerts.includes(alert.alert));
  const proposed = known.play?.state.proposal && known.play.state.proposal.proposal !== before.proposal;
  if (fresh || proposed) tab = "alerts";
  else if (known.payment && known.payment.seq !== before.seq && !isWorkedOff(known.payment)) tab = "payments";
  else if (tab === "alerts" && before.alerts.length && !known.play?.alerts.length && !known.play?.state.proposal) tab = "wagers";
  if ($("dialog").className === "seat-dialog" && !known.play?.open) closeDialog();
  if (tab === "rounds" && before.round !== `${state()?.shoe} ${state()?.round} ${state()?.phase}`) loadRounds(show);
  show();
}

function watchLine() {
  setInterval(() => {
    if (!signedIn() || performance.now() - heardAt < SILENCE) return;
    if (reachable) { reachable = false; closeDialog(); show(); }
    listen();
  }, 1000);
}

// --- the door ---------------------------------------------------------------------------------------------------------

function door(why = "") {
  source?.close();
  source = null;
  reachable = false;
  leave();
  closeDialog();
  Object.assign(known, { live: null, table: null, play: null, payment: null });
  $("console").hidden = true;
  const place = $("door");
  place.hidden = false;
  place.replaceChildren(languageButtons("door-languages", () => door(why)), el("h1", {}, t("door")), why ? el("p", { class: "note" }, t(why)) : el("p", { class: "note" }, ""),
    whoForm({ text: t("enter"), send: async ({ person, pin }) => {
      const answer = await signIn(person, pin);
      if (answer.status === "ok") inside();
      return answer;
    } }));
  place.querySelector("input").focus();
}

function inside() {
  $("door").hidden = true;
  $("door").replaceChildren();
  $("console").hidden = false;
  tab = "wagers";
  fixedWords();
  listen();
  show();
}

function fixedWords() {
  $("person").textContent = signedIn()?.person ?? "";
  $("sign-out").textContent = t("sign_out");
  $("languages").replaceChildren(languageButtons("", () => { fixedWords(); show(); }));
}

function languageButtons(name, then) {
  return el("div", { class: `languages ${name}` }, Object.entries(LANGUAGES).map(([tag, text]) =>
    button(`language-${tag}`, text, () => { setLanguage(tag); localStorage.setItem("language", tag); then(); }, { class: "small", "aria-pressed": String(tag === currentLanguage()), lang: tag })));
}

// --- beginning --------------------------------------------------------------------------------------------------------

setLanguage(localStorage.getItem("language") ?? document.documentElement.lang);
whenLost(door);
watch(show);
watchLine();
$("sign-out").addEventListener("click", async () => { await signOut(); door("signed_out"); });
document.addEventListener("keydown", onKey);
document.addEventListener("pointerdown", () => { prolong(); noteTouch(); });
$("dialog").addEventListener("close", () => $("dialog").replaceChildren());

resume().then((session) => (session ? inside() : door())).catch(() => { door(); toast(t("page"), "bad"); });
