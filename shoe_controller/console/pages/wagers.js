// Wagers by seat: what stands, and taking, changing and clearing while wagers are open.

import { askWagers } from "./asking.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { amount, button, el, minorUnits } from "./dom.js";
import { padFor } from "./pad.js";
import { currentLanguage, nameOf, refusal, t } from "./words.js";

export function seatTiles(table, play, openSeat) {
  const names = Object.fromEntries(table.wagers.map((wager) => [wager.id, wager.names]));
  const tiles = table.seats.map((seat) => {
    const standing = play.state.wagers.filter((wager) => wager.seat === seat);
    const total = standing.reduce((sum, wager) => sum + wager.stake, 0);
    return el("button", { type: "button", class: `seat ${standing.length ? "bets" : ""}`, data: { key: `seat-${seat}`, seat }, disabled: !play.open, onclick: () => openSeat(seat) },
      el("b", {}, seat), el("span", { class: "sum" }, total ? amount(total) : t("nothing_yet")),
      el("ul", {}, standing.map((wager) => el("li", { class: side(wager.wager) }, el("span", {}, nameOf(names[wager.wager]) || wager.wager), el("span", {}, amount(wager.stake))))));
  });
  const total = play.state.wagers.reduce((sum, wager) => sum + wager.stake, 0);
  return [el("div", { class: "seats" }, tiles), el("p", { class: "sum-line" }, t("stakes"), el("b", {}, `${amount(total)} ${table.currency}`))];
}

const side = (wager) => ({ "base.player": "player", "base.banker": "banker", "base.tie": "tie" })[wager] ?? "";

const limits = (wager) => `${amount(wager.min)} – ${amount(wager.max)}`;

// Amounts in the refusals of the table are minor units; here they are said as people write them.
function why(answer, table) {
  const wager = table.wagers.find((known) => answer.message.includes(known.id));
  if (!wager || currentLanguage() !== "en") return refusal(answer) + (wager ? ` ${nameOf(wager.names)}: ${limits(wager)}` : "");
  const words = { below_minimum: `is below the minimum of ${amount(wager.min)}`, above_maximum: `is above the maximum of ${amount(wager.max)}`, no_multiple: `must be a multiple of ${amount(table.unit)}` };
  if (words[answer.code]) return `${nameOf(wager.names)}: the stake ${words[answer.code]}.`;
  return refusal({ ...answer, message: answer.message.replace(/^seat [^,]*, [^:]*: /, `${nameOf(wager.names)}: `) });
}

// For the round that is shown when it is opened: the table refuses what comes too late for it.
export function seatDialog(seat, { table, play }) {
  const before = Object.fromEntries(play.state.wagers.filter((wager) => wager.seat === seat).map((wager) => [wager.wager, wager.stake]));
  const said = el("p", { class: "said", role: "alert" });
  const inputs = new Map();
  const rows = table.wagers.map((wager) => {
    const input = el("input", { type: "text", inputmode: "none", autocomplete: "off", maxlength: 12, value: before[wager.id] ? amount(before[wager.id]) : "", data: { key: wager.id, pad: "amount" }, "aria-label": nameOf(wager.names), onfocus: (event) => event.target.select() });
    inputs.set(wager.id, input);
    return el("label", { class: `wager ${side(wager.id)}` }, el("span", {}, nameOf(wager.names), el("small", {}, limits(wager))), input);
  });
  const send = async (stakes) => {
    if (!stakes.length) { said.textContent = t("no_change"); return; }
    said.textContent = t("asking");
    const answer = await askWagers(play.state, seat, stakes);
    if (answer.status === "ok") return closeDialog();
    said.textContent = why(answer, table);
  };
  const place = () => {
    const stakes = [];
    for (const [wager, input] of inputs) {
      const stake = minorUnits(input.value);
      if (stake === null) { said.textContent = t("bad_amount"); input.focus(); return; }
      if (stake !== (before[wager] ?? 0)) stakes.push({ wager, stake });
    }
    send(stakes);
  };
  const clear = () => send(Object.keys(before).map((wager) => ({ wager, stake: 0 })));
  const onKey = (event) => { if (event.key === "Enter" && event.target.tagName === "INPUT") { event.preventDefault(); place(); } };
  const fields = [...inputs.values()];
  openDialog("seat-dialog", `${t("seat")} ${seat}`, el("div", { class: "betting", onkeydown: onKey },
    el("div", { class: "list" }, rows),
    el("div", { class: "keys" }, padFor(fields), said,
      el("div", { class: "row" },
        Object.keys(before).length ? button("clear", t("take_back"), clear, { class: "quiet" }) : null,
        button("place", t("place"), place, { class: "primary" })))));
  fields[0]?.focus();
  fields[0]?.select();
}
