// A display in TypeScript, as somebody would write one: compiled by test_typescript.py, never run.

import type {
  Answer,
  EventMessages,
  Prompt,
  ReplayedEvent,
  RequestMessages,
  RetainedMessages,
  StateMessage,
  TableEvent,
} from "../../shoe_controller/messages/messages";

function bettingIsOpen(state: StateMessage): boolean {
  return state.betting_open;
}

function headline(event: TableEvent): string {
  switch (event.fact) {
    case "shoe_opened":
      return `shoe ${event.shoe}, ${event.decks} decks, ${event.rules?.currency ?? ""}`;
    case "card_burned":
      return `${event.card ?? "a card"} burned, ${event.burned} of ${event.to_burn ?? "?"}`;
    case "cut_card_out":
      return `round ${event.last_round} is the last`;
    case "shoe_ended":
      return event.cause.code === "ended_early" ? event.cause.reason : event.cause.code;
    case "run_out_begun":
      return `${event.expected} cards must be left`;
    case "card_counted":
      return `${event.counted}: ${event.card ?? "not read"}`;
    case "remainder_counted":
      return `${event.found} of ${event.expected}${event.fits ? "" : `, extra ${Object.keys(event.faces?.extra ?? {}).join(" ")}`}`;
    case "shoe_exchanged":
      return `${event.wire} at ${event.port}`;
    case "shoe_link":
      return event.up ? event.shoe_name : `no shoe: ${event.cause?.code ?? ""}`;
    case "betting_opened":
    case "free_hand":
      return event.round_id;
    case "wagers_changed":
      return `${event.seat}: ${event.wagers.map((wager) => wager.stake).join(" + ")} = ${event.total}`;
    case "betting_closed":
      return event.closed_by.code === "person" ? event.closed_by.person : event.closed_by.code;
    case "round_voided":
      return event.replay ? "to be dealt again" : event.reason;
    case "wagers_corrected":
      return `${event.cause}: ${event.seats.map((seat) => `${seat} ${event.difference[seat] ?? 0}`).join(", ")}`;
    case "round_amended":
      return `${event.of_shoe}.${event.of_round}: ${event.old_outcome.winner} is ${event.outcome.winner}`;
    case "wagers_returned":
      return event.cause;
    case "card_dealt":
      return `${event.place.hand} ${event.place.card ?? "face down"}`;
    case "cards_shown":
      return event.places.map((place) => place.card).join(" ");
    case "card_corrected":
      return `${event.replaces} is ${event.place.card}`;
    case "cards_assigned":
      return event.places.map((place) => `${place.hand} ${place.card ?? "?"}`).join(", ");
    case "card_discarded":
      return `${event.place.card ?? "?"}: ${event.cause}`;
    case "card_set_aside":
      return event.why.code;
    case "extra_card_decided":
      return `${event.burned} burned`;
    case "round_result":
      return `${event.outcome.winner} at ${event.head}`;
    case "result_undone":
    case "settlement_undone":
      return `${event.replaces} is taken back`;
    case "round_settled":
      return `${event.settlement.totals.returned}`;
    case "alert_raised":
      return `${event.alert.severity} ${event.alert.kind} ${event.alert.detail?.code ?? ""}`;
    case "alert_ended":
      return `${event.alert.number} ended: ${event.cause.code}`;
    case "person_acted":
    case "act_proposed":
      return `${event.person}: ${event.act.act}`;
    case "proposal_ended":
      return event.cause.code;
    case "dealer_changed":
      return `${event.dealer ?? "nobody"} is on duty`;
    case "hand_entry_changed":
      return event.hand_entry ? "dealt by hand" : "read by the shoe";
    case "entered_card_confirmed":
      return `confirmed ${event.entered}`;
    case "wrong_pin":
      return `${event.person}, ${event.failures}`;
    case "note_made":
      return `${event.of_shoe}/${event.of_round}: ${event.text}`;
    case "dispute_opened":
      return `${event.dispute.number}, seat ${event.dispute.seat ?? "none"}: ${event.dispute.text}`;
    case "dispute_closed":
      return `${event.dispute.number}: ${event.decision}`;
    case "payment_adjusted":
      return `${event.seat}: ${event.amount}`;
    case "commission_collected":
    case "commission_waived":
      return `${event.seat}: ${event.due.map((due) => due.amount).join(" + ")} = ${event.amount}`;
    case "checkpoint_signed":
      return `${event.checkpoint.index} up to ${event.checkpoint.number}`;
    default:
      return unknown(event);
  }
}

/** Compiles only where every case is handled; a newer table may send others all the same. */
function unknown(event: never): string {
  return (event as { fact: string }).fact;
}

function prompt(next: Prompt): string {
  return next.code === "draw_card" ? `draw for ${next.hand}` : next.code;
}

function received(topic: Exclude<keyof RetainedMessages, "pit/presence" | "archive/presence">, payload: string): string {
  const retained = JSON.parse(payload) as RetainedMessages[typeof topic];
  return retained.journal;
}

const card: EventMessages["event/card"]["fact"] = "card_dealt";

const place: RequestMessages["wagers/place"] = {
  request_id: "1",
  shoe: 1,
  round: 2,
  seat: "1",
  stakes: [{ wager: "base.player", stake: 500 }],
};

// @ts-expect-error: a supervisor's act needs a person, a PIN and a reason
const incomplete: RequestMessages["supervisor/void_round"] = { request_id: "1", shoe: 1, round: 2 };

function refused(answer: Answer): string {
  return answer.refusal?.code === "below_minimum" ? `at least ${answer.refusal.min}` : answer.refusal?.code ?? "ok";
}

function replayed(event: ReplayedEvent): string {
  return `${event.topic} ${event.seq} ${headline(event)}`;
}

export { bettingIsOpen, card, incomplete, place, prompt, received, refused, replayed };
