// Wagers by seat: what stands, and taking, changing and clearing while wagers are open.

import { askWagers } from "./asking.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { button, el } from "./dom.js";
import { amount, minorUnits } from "./money.js";
import { padFor } from "./pad.js";
import { nameOf, refusal, t } from "./words.js";

export function seatTiles(table, play, openSeat) {
  const total = sum(play.state.wagers);
  return [
    el("div", { class: "seats" }, table.seats.map((seat) => seatTile(seat, table, play, openSeat))),
    el("p", { class: "sum-line" }, t("stakes"), el("b", {}, `${amount(total)} ${table.currency}`)),
  ];
}

const sum = (wagers) => wagers.reduce((total, wager) => total + wager.stake, 0);

function seatTile(seat, table, play, openSeat) {
  const standing = play.state.wagers.filter((wager) => wager.seat === seat);
  const names = Object.fromEntries(table.wagers.map((wager) => [wager.id, wager.names]));
  const due = play.state.commission.filter((each) => each.seat === seat);
  const owed = due.reduce((total, each) => total + each.amount, 0);
  return el("button", {
    type: "button",
    class: `seat ${standing.length ? "bets" : ""}`,
    data: { key: `seat-${seat}`, seat },
    disabled: !play.betting,
    onclick: () => openSeat(seat),
  },
    el("b", {}, seat),
    el("span", { class: "sum" }, standing.length ? amount(sum(standing)) : t("nothing_yet")),
    owed ? el("small", { class: "owes" }, `${t("owes")} ${amount(owed)}`) : null,
    el("ul", {}, standing.map((wager) =>
      el("li", { class: side(wager.wager) },
        el("span", {}, nameOf(names[wager.wager]) || wager.wager),
        el("span", {}, amount(wager.stake))))));
}

const SIDES = { "base.player": "player", "base.banker": "banker", "base.tie": "tie" };
const side = (wager) => SIDES[wager] ?? "";

const limits = (wager) => `${amount(wager.min)} – ${amount(wager.max)}`;

// For the round that is shown when it is opened: the table refuses what comes too late for it.
export function seatDialog(seat, { table, play }) {
  const standing = play.state.wagers.filter((wager) => wager.seat === seat);
  const before = Object.fromEntries(standing.map((wager) => [wager.wager, wager.stake]));
  const message = el("p", { class: "message", role: "alert" });
  const inputs = new Map();
  const rows = table.wagers.map((wager) => {
    const input = el("input", {
      type: "text",
      inputmode: "none",
      autocomplete: "off",
      maxlength: 12,
      value: before[wager.id] ? amount(before[wager.id]) : "",
      data: { key: wager.id, pad: "amount" },
      onfocus: (event) => event.target.select(),
    });
    inputs.set(wager.id, input);
    return el("label", { class: `wager ${side(wager.id)}` },
      el("span", {}, nameOf(wager.names), el("small", {}, limits(wager))), input);
  });
  const send = async (stakes) => {
    if (!stakes.length) { message.textContent = t("no_change"); return; }
    message.textContent = t("asking");
    const answer = await askWagers(play.state, seat, stakes);
    if (answer.status === "ok") return closeDialog();
    message.textContent = refusal(answer);
  };
  const place = () => {
    const stakes = [];
    for (const [wager, input] of inputs) {
      const stake = minorUnits(input.value);
      if (stake === null) { message.textContent = t("bad_amount"); input.focus(); return; }
      if (stake !== (before[wager] ?? 0)) stakes.push({ wager, stake });
    }
    send(stakes);
  };
  const clear = () => send(Object.keys(before).map((wager) => ({ wager, stake: 0 })));
  const onKey = (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    place();
  };
  const fields = [...inputs.values()];
  openDialog("seat-dialog", `${t("seat")} ${seat}`, el("div", { class: "betting", onkeydown: onKey },
    el("div", { class: "list" }, rows),
    el("div", { class: "keys" }, padFor(fields), message,
      el("div", { class: "row" },
        Object.keys(before).length ? button("clear", t("take_back"), clear, { class: "quiet" }) : null,
        button("place", t("place"), place, { class: "primary" })))));
  fields[0]?.focus();
  fields[0]?.select();
}
