// The page's requests to the console. The token of the session goes with everything; PINs are sent and not kept.

import { toast } from "./dom.js";
import { refusal, t } from "./words.js";

let session = null;
let wasOnDuty = false;
let onLost = () => {};

export const signedIn = () => session;

export function whenLost(call) { onLost = call; }

// Unique: the table treats a request with a known id as a repeat.
function newId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (session) headers["X-Console-Token"] = session.token;
  let response;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" });
  } catch {
    return failed({ code: "console_away" });
  }
  if (response.status === 401 || response.status === 403) {
    if (session) { session = null; onLost("ended_session"); }
    return failed({ code: "signed_out" });
  }
  if (response.ok) return response.json();
  return failed({ code: "console_error", status: response.status, text: response.statusText });
}

const failed = (failure) => ({ answer: { status: "error", failure } });

export async function resume() {
  const { session: known } = await (await fetch("/session", { credentials: "same-origin" })).json();
  session = known;
  return session;
}

export async function signIn(person, pin) {
  const reply = await post("/sign-in", { person, pin });
  wasOnDuty = false;
  if (reply.session) session = reply.session;
  return reply.answer;
}

export async function signOut() {
  wasOnDuty = false;
  await post("/sign-out", {});
  session = null;
}

// The table says who is on duty: once that was this person and is no longer, the sign-in is over.
export function noteDuty(dealer) {
  if (!session) return;
  if (dealer === session.person) wasOnDuty = true;
  else if (wasOnDuty) dutyOver();
}

async function dutyOver() {
  await signOut();
  onLost("duty_over");
}

export const touched = () => session && post("/active", {});

const meant = (state) => ({ request_id: newId(), shoe: state?.shoe ?? 0, round: state?.round ?? 0 });

export async function askDealer(state, act, details = {}, reason = "") {
  const { answer } = await post("/dealer", { ...meant(state), act, details, reason });
  if (answer.refusal?.code === "not_signed_in") await dutyOver();
  return answer;
}

export const askSupervisor = async (state, act, who, reason = "", details = {}) =>
  (await post("/supervisor", { ...meant(state), act, details, reason, person: who.person, pin: who.pin })).answer;

export const askWagers = async (state, seat, stakes) =>
  (await post("/wagers", { ...meant(state), seat, stakes })).answer;

export async function lastRounds() {
  const response = await fetch("/rounds", { credentials: "same-origin" });
  return response.ok ? response.json() : null;
}

// Shows the outcome; returns whether it was done.
export function showAnswer(answer, done = "ok") {
  if (answer.status === "ok") { toast(t(done), "good"); return true; }
  toast(refusal(answer), "bad");
  return false;
}
