/* Who is signed in at this page. The token of the session goes with every request; a password is sent and not kept. */

let session = null;
let onLost = () => {};

export const signedIn = () => session;

export function whenLost(call) { onLost = call; }

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (session) headers["X-Pit-Token"] = session.token;
  let response;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" });
  } catch {
    return { failure: { code: "away" } };
  }
  if (response.ok) return response.json();
  if ((response.status === 401 || response.status === 403) && session) {
    session = null;
    onLost();
  }
  return { failure: { code: "not_accepted" } };
}

export async function resume() {
  const { session: known } = await (await fetch("/session", { credentials: "same-origin" })).json();
  session = known;
  return session;
}

/* Why not, or null. */
export async function signIn(person, password) {
  const { session: begun, failure } = await post("/sign-in", { person, password });
  if (begun) session = begun;
  return failure ?? null;
}

export async function signOut() {
  await post("/sign-out", {});
  session = null;
}

export const touched = () => post("/active", {});
