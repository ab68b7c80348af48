/* What is drawn of edges: of one table in its tile, all its wagers on a tap, and alarms. */

import { listen } from "./event_stream.js";
import { amount } from "./language.js";
import { html, svg } from "./svg.js";
import { named, noEdges, pitAlarm, say } from "./words.js";

const WIDTH = 100;
const HEIGHT = 36;
const LEAST_ROUNDS = 60; /* about a shoe; a longer one is drawn as wide */
const [LOW, HIGH] = [-0.02, 0.05]; /* drawn at least; edges beyond stretch it */

const isPlayers = (edge) => edge > 0;

/* An edge with its sign: +3.21 % is the player's. */
export function percent(edge) {
  const text = Math.abs(edge * 100).toFixed(2);
  const sign = Number(text) === 0 ? "" : edge > 0 ? "+" : "−";
  return `${sign}${text}\u00a0%`;
}

const wagerName = (wager) => named(wager.names) || wager.id;

/* The edge of the most exposed wager through the shoe; what is the player's is filled. */
export function curve(points, text) {
  const rounds = Math.max(LEAST_ROUNDS, ...points.map(([round]) => round));
  const low = Math.min(LOW, ...points.map(([, edge]) => edge));
  const high = Math.max(HIGH, ...points.map(([, edge]) => edge));
  const x = (round) => (((round - 0.5) / rounds) * WIDTH).toFixed(2);
  const y = (edge) => (1 + ((high - edge) / (high - low)) * (HEIGHT - 2)).toFixed(2);
  const zero = y(0);
  const line = points.map(([round, edge], n) => `${n ? "L" : "M"}${x(round)} ${y(edge)}`).join("");
  const bars = points.filter(([, edge]) => isPlayers(edge)).map(([round, edge]) => `M${x(round)} ${zero}V${y(edge)}`).join("");
  const last = points.at(-1);
  return svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": text },
    svg("path", { class: "zero", d: `M0 ${zero}H${WIDTH}` }),
    svg("path", { class: "bars", d: bars }),
    svg("path", { class: "line", d: line }),
    ...(last ? [svg("path", { class: "point", d: `M${x(last[0])} ${y(last[1])}h0` })] : []));
}

const whose = (edge) => say(isPlayers(edge) ? "edge_players" : "edge_house");

function stakedText(wager, exposure) {
  if (!wager.staked) return say("nothing_staked");
  return say("staked", { amount: `${exposure.currency} ${amount(wager.staked, exposure.decimals)}`.trim() });
}

/* Of a tile: the most exposed wager now, or why there is none, and the shoe so far. */
export function exposureOf(row) {
  const { exposure } = row;
  const { most } = exposure;
  const now = most === null
    ? [html("span", { class: "why" }, exposure.none === null ? "" : noEdges(exposure.none))]
    : [
      html("span", { class: "wager" }, wagerName(most)),
      html("span", { class: `edge ${isPlayers(most.edge) ? "players" : "house"}` }, html("b", {}, percent(most.edge)), whose(most.edge)),
      html("span", { class: "staked" }, stakedText(most, exposure)),
    ];
  const text = say("curve", { table: row.title });
  const open = html("button", { type: "button", class: "open", "aria-label": say("all_wagers_of", { table: row.title }) }, say("all_wagers"));
  return html("div", { class: "exposure" },
    html("div", { class: "now" }, ...now),
    html("div", { class: "shoe-so-far" }, curve(exposure.curve, text), open));
}

/* --- alarms ------------------------------------------------------------------------------------------------------- */

const withName = (alarm) => ({ ...alarm.raised.alarm, wager: named(alarm.names) || alarm.raised.alarm.wager });
const edgeOf = ({ edge, mean_edge: mean }) => percent(edge ?? mean);
const acts = ({ suggested }) => suggested.map((act) => say(`act_${act}`)).join(say("comma"));
const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false, hour: "2-digit", minute: "2-digit" });

/* How sure it is: whoever does not look at the cards gets so far no more often. */
const sure = ({ evidence }) => (evidence === undefined ? "" : say("sure", { shoes: amount(Math.floor(evidence), 0) }));

function alarmTexts(alarm, decimals) {
  const { raised } = alarm;
  return {
    what: pitAlarm(withName(alarm), decimals),
    edge: say(raised.alarm.code === "stakes_follow_edge" ? "mean_edge" : "edge_now", { edge: edgeOf(raised.alarm) }),
    sure: sure(raised.alarm),
    todo: raised.alarm.suggested.length ? say("suggested", { acts: acts(raised.alarm) }) : "",
    line: raised.line ? say("line", { n: raised.line, time: clock(raised.time) }) : clock(raised.time), /* 0: not in the file yet */
  };
}

function alarmBox(alarm, decimals, more = "") {
  const { what, edge, sure: how, todo, line } = alarmTexts(alarm, decimals);
  return html("div", { class: "alert warns", "data-alarm": alarm.raised.alarm.code },
    html("b", {}, what), ...[edge, how, more, todo, line].filter(Boolean).map((text) => html("small", {}, text)));
}

const isExposed = ({ raised }) => raised.alarm.code === "wager_exposed";
export const byEdge = (one, other) => (other.raised.alarm.edge ?? 0) - (one.raised.alarm.edge ?? 0);

/* Of a tile: late in a shoe many wagers are exposed at once, so the worst of them stands for all. */
export function edgeBoxes({ exposure }) {
  const [worst, ...others] = exposure.alarms.filter(isExposed).sort(byEdge);
  const more = others.length ? say("more_exposed", { n: others.length }) : "";
  return [
    ...(worst ? [alarmBox(worst, exposure.decimals, more)] : []),
    ...exposure.alarms.filter((alarm) => !isExposed(alarm)).map((alarm) => alarmBox(alarm, exposure.decimals)),
  ];
}

/* An alarm wants a person. */
export const rankOfEdges = (row) => (row.exposure.alarms.length ? 2 : 3);

/* One in the list of all tables. */
export function alarmItem(row, alarm) {
  const { what, edge, sure: how, todo, line } = alarmTexts(alarm, row.exposure.decimals);
  return html("li", { "data-alarm-of": row.name },
    html("b", {}, row.title), html("span", {}, what), html("small", {}, [edge, how, todo, line].filter(Boolean).join(" · ")));
}

/* --- all wagers of a table ---------------------------------------------------------------------------------------- */

const cell = (text, given = {}) => html("td", given, text);
const HEADS = [["wager", ""], ["now", "number"], ["full_shoe", "number"], ["staked_head", "number"]];

function wagerTable({ wagers, exposure }) {
  const rows = wagers.map((wager) => html("tr", { "data-wager": wager.id },
    html("th", { scope: "row" }, wagerName(wager)),
    cell(percent(wager.edge), { class: `number ${isPlayers(wager.edge) ? "players" : ""}` }),
    cell(percent(wager.full_shoe), { class: "number" }),
    cell(wager.staked ? amount(wager.staked, exposure.decimals) : "–", { class: "number" })));
  const heads = HEADS.map(([key, name]) => html("th", { scope: "col", class: name }, say(key)));
  return html("table", {}, html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows));
}

function fill(place, details, close) {
  const { exposure } = details;
  place.replaceChildren(
    html("header", {}, html("h2", { id: "details-title" }, details.title), close),
    html("p", {}, say("shoe_round", details), " · ", say("unseen", { n: details.unseen })),
    curve(exposure.curve, say("curve", { table: details.title })),
    details.wagers.length ? wagerTable(details) : html("p", { class: "why" }, exposure.none === null ? "" : noEdges(exposure.none)),
    html("div", { class: "alerts" }, ...exposure.alarms.map((alarm) => alarmBox(alarm, exposure.decimals))));
}

/* Shows all wagers of a table in a dialog, as they change. Returns a function that ends it. */
export function watchDetails(dialog, name) {
  const close = html("button", { type: "button", class: "close", autofocus: "" }, say("close"));
  close.addEventListener("click", () => dialog.close());
  dialog.setAttribute("aria-labelledby", "details-title");
  const update = ({ table }) => {
    if (table === null) return dialog.close();
    const had = dialog.contains(document.activeElement);
    fill(dialog, table, close);
    if (!dialog.open) dialog.showModal();
    else if (had) close.focus();
  };
  const stop = listen(`/news/table/${encodeURIComponent(name)}`, {
    update, lost: (yes) => dialog.classList.toggle("lost", yes), ended: () => dialog.close(),
  });
  return () => {
    stop();
    if (dialog.open) dialog.close();
    dialog.replaceChildren();
  };
}
