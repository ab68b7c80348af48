// The acts that the table lists as possible now, by role and with what each needs.

// What cannot be taken back: it is held for two seconds rather than tapped.
const HELD = new Set([
  "open_shoe", "use_extra_card", "burn_extra_card", "void_round", "void_and_replay", "end_shoe", "approve",
]);

export const isHeld = (act) => HELD.has(act);

export const possible = (play, role, act) => play.acts.find((each) => each.role === role && each.act === act);

// These are offered at the door and beside an alert, not as buttons of their own.
const ELSEWHERE = ["sign_in", "clear_alert"];

export const dealerActs = (play) =>
  play.acts.filter((each) => each.role === "dealer" && !ELSEWHERE.includes(each.act));
