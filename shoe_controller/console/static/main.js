// The console of one table: who is signed in, the updates of the table, and the keyboard. It decides nothing by itself.

import { noteDuty, resume, signedIn, signIn, signOut, touched, whenLost } from "./asking.js";
import { closeDialog, whoForm } from "./dialogs.js";
import { $, button, el, toast } from "./dom.js";
import { useDecimals } from "./money.js";
import { listen } from "./event_stream.js";
import { watchLists } from "./goes_on.js";
import { isWorkedOff, nextStep, toggleTick } from "./payment.js";
import { useTable } from "./putting_right.js";
import { useSeats } from "./past.js";
import { loadRounds } from "./record.js";
import { ACT_KEYS, afterTick, at, enterMode, known, openSeat, openTab, show, state, TAB_KEYS } from "./screen.js";
import { leave, prolong, supervisor, watch } from "./supervisor.js";
import { currentLanguage, LANGUAGES, setLanguage, t, useOffer } from "./words.js";

const TOUCH_EVERY = 15_000;
const LANGUAGE = "language"; // under this name the browser keeps it

// --- news ------------------------------------------------------------------------------------------------------------

let stopListening = () => {};

function begin() {
  stopListening();
  stopListening = listen("/news", { update: takeNews, lost, ended: () => door("ended_session"), refused: lookWhy });
}

function lost(yes) {
  if (at.reachable === !yes) return;
  at.reachable = !yes;
  if (yes) closeDialog();
  show();
}

// The stream was refused: the session has ended, or the console is away, and then it is retried.
async function lookWhy() {
  const session = await resume().catch(() => undefined);
  if (session === null && !$("console").hidden) door("ended_session");
}

const moment = () => `${state()?.shoe} ${state()?.round} ${state()?.phase}`;

function takeNews(news) {
  const before = { ...known, moment: moment() };
  Object.assign(known, news);
  if (known.table) {
    useDecimals(known.table.decimals);
    useOffer(known.table);
    useTable(known.table);
    useSeats(known.table.seats);
  }
  if (known.table?.signs_in && known.play) noteDuty(known.play.state.dealer);
  at.tab = tabAfter(before);
  if ($("dialog").className === "seat-dialog" && !known.play?.betting) closeDialog();
  if (at.tab === "rounds" && before.moment !== moment()) loadRounds(show);
  show();
}

// What has just come up is shown: an alert, then payments; and when all alerts are over, the wagers again.
function tabAfter(before) {
  const had = new Set(before.play?.alerts.map((alert) => alert.number));
  const { play, payment } = known;
  const proposal = play?.state.proposal?.proposal;
  const isProposed = proposal !== undefined && proposal !== before.play?.state.proposal?.proposal;
  if (isProposed || play?.alerts.some((alert) => !had.has(alert.number))) return "alerts";
  if (payment && payment.seq !== before.payment?.seq && !isWorkedOff(payment)) return "payments";
  const latest = known.differences.at(-1);
  if (latest && latest.seq !== before.differences.at(-1)?.seq) return "payments";
  if (isDealtByHand(before)) return "cards";
  const isOver = at.tab === "alerts" && had.size > 0 && !play?.alerts.length && proposal === undefined;
  return isOver ? "wagers" : at.tab;
}

// The pad is shown when dealing by hand begins, and when the next thing to do is a card.
function isDealtByHand(before) {
  const [now, was] = [known.play?.state, before.play?.state];
  if (!now?.hand_entry || (was?.hand_entry && was.phase === now.phase)) return false;
  return ["first_card", "burning", "closed", "dealing"].includes(now.phase);
}

// --- the keyboard, and whether a person is there ---------------------------------------------------------------------

let touchedAt = 0;

function noteTouch() {
  prolong();
  if (performance.now() - touchedAt < TOUCH_EVERY) return;
  touchedAt = performance.now();
  touched();
}

function onKey(event) {
  noteTouch();
  const isChord = event.ctrlKey || event.altKey || event.metaKey;
  if (!signedIn() || $("dialog").open || isChord || event.repeat || event.target.tagName === "INPUT") return;
  if (pressed(event.key)) event.preventDefault();
}

const named = (keys, letter) => Object.keys(keys).find((name) => keys[name] === letter);

function pressed(key) {
  const letter = key.toUpperCase();
  const act = named(ACT_KEYS, letter);
  const tab = named(TAB_KEYS, letter);
  if (act) pressAct(act);
  else if (tab === "supervisor" && !supervisor()) enterMode();
  else if (tab) openTabByKey(tab);
  else if (letter === "T") tickNext();
  else if (known.table?.seats.includes(key) && known.play?.betting) openSeat(key);
  else return false;
  return true;
}

// What must be held is only reached by its letter.
function pressAct(name) {
  const found = document.querySelector(`[data-key="do-${name}"], [data-key^="do-${name}-"]`);
  if (found?.classList.contains("hold")) found.focus();
  else found?.click();
}

function openTabByKey(name) {
  openTab(name);
  document.querySelector(`[data-key="tab-${name}"]`)?.focus();
}

function tickNext() {
  const { payment } = known;
  if (isWorkedOff(payment)) return;
  at.tab = "payments";
  toggleTick(payment, nextStep(payment));
  afterTick();
}

// --- the door --------------------------------------------------------------------------------------------------------

function door(why = "") {
  stopListening();
  at.reachable = false;
  leave();
  closeDialog();
  Object.assign(known, { live: null, table: null, play: null, payment: null, differences: [] });
  $("console").hidden = true;
  const place = $("door");
  place.hidden = false;
  place.replaceChildren(
    languageButtons("door-languages", () => door(why)),
    el("h1", {}, t("door")),
    el("p", { class: "note" }, why ? t(why) : ""),
    whoForm({ text: t("enter"), send: comeIn }));
  place.querySelector("input").focus();
}

async function comeIn({ person, pin }) {
  const answer = await signIn(person, pin);
  if (answer.status === "ok") inside();
  return answer;
}

function inside() {
  $("door").hidden = true;
  $("door").replaceChildren();
  $("console").hidden = false;
  at.tab = "wagers";
  fixedWords();
  begin();
  show();
}

function fixedWords() {
  $("person").textContent = signedIn()?.person ?? "";
  $("sign-out").textContent = t("sign_out");
  $("languages").replaceChildren(languageButtons("", () => { fixedWords(); show(); }));
}

function languageButtons(name, then) {
  const choose = async (tag) => {
    await setLanguage(tag);
    localStorage.setItem(LANGUAGE, tag);
    then();
  };
  return el("div", { class: `languages ${name}` }, Object.entries(LANGUAGES).map(([tag, text]) => {
    const given = { class: "small", "aria-pressed": String(tag === currentLanguage()), lang: tag };
    return button(`language-${tag}`, text, () => choose(tag), given);
  }));
}

// --- beginning -------------------------------------------------------------------------------------------------------

await setLanguage(localStorage.getItem(LANGUAGE) ?? document.documentElement.lang);
whenLost(door);
watch(show);
watchLists();
$("sign-out").addEventListener("click", async () => { await signOut(); door("signed_out"); });
document.addEventListener("keydown", onKey);
document.addEventListener("pointerdown", noteTouch);
$("dialog").addEventListener("close", () => $("dialog").replaceChildren());

resume()
  .then((session) => (session ? inside() : door()))
  .catch(() => { door(); toast(t("page"), "bad"); });
