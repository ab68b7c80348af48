// The acts that the table lists as possible now, by role and with what each needs.

// What cannot be taken back: it is held for two seconds rather than tapped.
const HELD = new Set([
  "open_shoe", "use_extra_card", "burn_extra_card", "void_round", "void_and_replay", "end_shoe", "approve",
  "count_remainder", "begin_run_out", "end_run_out", "exchange_shoe",
  "set_wager", "move_wager",
  "collect_commission",
]);

export const isHeld = (act) => HELD.has(act);

export const possible = (play, role, act) => play.acts.find((each) => each.role === role && each.act === act);

// These are offered at the door, at the top, on the card pad, among the alerts, and beside what they are about, not as
// buttons of their own.
const ELSEWHERE = ["sign_in", "sign_out", "clear_alert", "deal_card", "note", "collect_commission", "blink_shoe"];

export const dealerActs = (play) =>
  play.acts.filter((each) => each.role === "dealer" && !ELSEWHERE.includes(each.act));
