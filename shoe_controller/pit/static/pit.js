/* The pit's page: the door, and behind it every table with its edges. It decides nothing by itself. */

import { alarmItem, byEdge, edgeBoxes, exposureOf, rankOfEdges, watchDetails } from "./edges.js";
import { listen } from "./event_stream.js";
import { watchLists } from "./goes_on.js";
import { resume, signIn, signOut, signedIn, touched, whenLost } from "./session.js";
import { html, write } from "./svg.js";
import { forgetTables, lost, rows, showTables, update } from "./tiles.js";
import { label, language, say } from "./words.js";

const SIZES = { roomy: { width: 300, height: 330 }, tight: { width: 290, height: 246 } };
const TOUCH_EVERY = 15_000; /* milliseconds */
const LANGUAGES = { en: "EN", "zh-Hant": "繁", "zh-Hans": "简" };

const $ = (id) => document.getElementById(id);
const nobodyMayEnter = "nobody" in document.body.dataset;
let stopListening = () => {};
let stopDetails = () => {};

/* --- language, look and who is there ------------------------------------------------------------------------------ */

function link(change, text, given) {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(change)) query.set(key, value);
  return html("a", { href: `?${query}`, ...given }, text);
}

function choices() {
  const here = (yes) => (yes ? { "aria-current": "true" } : {});
  const look = document.documentElement.dataset.look === "dark" ? "light" : "dark";
  const parts = Object.entries(LANGUAGES).map(([tag, text]) => link({ lang: tag }, text, { lang: tag, ...here(tag === language) }));
  parts.push(link({ look }, look === "light" ? "☀" : "☾", { "aria-label": say(look === "light" ? "light" : "dark") }));
  const person = signedIn();
  if (person) {
    const out = html("button", { type: "button", id: "sign-out" }, say("sign_out"));
    out.addEventListener("click", async () => {
      await signOut();
      door("signed_out");
    });
    parts.push(html("span", { id: "person" }, person.name), out);
  }
  $("choices").replaceChildren(...parts);
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

function field(name, type, autocomplete) {
  const input = html("input", { id: name, name, type, autocomplete, required: "", maxlength: type === "password" ? 200 : 40, spellcheck: "false", autocapitalize: "none" });
  return [html("label", { for: name }, say(name)), input];
}

function door(why = "") {
  stopListening();
  stopDetails();
  stopDetails = () => {};
  forgetTables();
  $("inside").hidden = true;
  $("alarms").hidden = true;
  $("alarms").lastElementChild.replaceChildren();
  $("trouble").hidden = true;
  write($("summary"), "");
  const message = html("p", { id: "message", role: "alert" }, why ? say(why) : nobodyMayEnter ? say("nobody_may_enter") : "");
  const go = html("button", { type: "submit", class: "primary" }, say("sign_in"));
  const form = html("form", {}, ...field("person_id", "text", "username"), ...field("password", "password", "current-password"), go, message);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    comeIn(form, go, message);
  });
  $("door").replaceChildren(html("h2", {}, say("door")), form);
  $("door").hidden = false;
  choices();
  $("person_id").focus();
}

async function comeIn(form, go, message) {
  go.disabled = true;
  write(message, say("checking"));
  const password = $("password").value;
  $("password").value = "";
  const failure = await signIn($("person_id").value.trim(), password);
  go.disabled = false;
  if (failure === null) inside();
  else {
    write(message, say(`failed_${failure.code}`, failure));
    $("password").focus();
  }
}

/* --- inside ------------------------------------------------------------------------------------------------------- */

function inside() {
  $("door").hidden = true;
  $("door").replaceChildren();
  $("inside").hidden = false;
  choices();
  stopListening();
  stopListening = listen("/news/tables", { update: take, lost: away, ended: () => door("session_ended"), refused: lookWhy });
}

/* While the page has lost the server, what was last seen is no edge any more. */
function away(yes) {
  document.body.classList.toggle("lost", yes);
  lost(yes);
}

/* The stream was refused: the session has ended, or the server is away, and then it is tried again. */
async function lookWhy() {
  if ((await resume().catch(() => undefined)) === null && !$("inside").hidden) door("session_ended");
}

function take(news, first) {
  update(news, first);
  const alarms = rows().flatMap((row) => row.exposure.alarms.map((alarm) => ({ row, alarm })));
  alarms.sort((one, other) => other.alarm.raised.time - one.alarm.raised.time || byEdge(one.alarm, other.alarm));
  $("alarms").hidden = !alarms.length;
  $("alarms").lastElementChild.replaceChildren(...alarms.map(({ row, alarm }) => alarmItem(row, alarm)));
}

function tile(name) {
  const made = html("article", { class: "table", "data-table": name });
  made.addEventListener("click", () => open(name));
  return made;
}

function open(name) {
  stopDetails();
  stopDetails = watchDetails($("details"), name);
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

let touchedAt = -TOUCH_EVERY;
function noteTouch() {
  if (!signedIn() || performance.now() - touchedAt < TOUCH_EVERY) return;
  touchedAt = performance.now();
  touched();
}

label();
document.title = say("pit");
showTables({ tile, sizes: SIZES, more: (row) => [exposureOf(row)], boxes: edgeBoxes, rank: rankOfEdges });
whenLost(() => door("session_ended"));
watchLists();
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, noteTouch);
$("details").addEventListener("close", () => stopDetails());

resume().then((session) => (session ? inside() : door())).catch(() => door("failed_away"));
