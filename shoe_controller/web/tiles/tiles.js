/* Tables as tiles, those that need a person first. A tile is redrawn only when its table has changed, and moves only
   when its urgency has. A page may add to a tile what is its own (`showTables`). */

import { html, svg, write } from "./svg.js";
import { act, alarm, detail, happened, phase, role, say, toDo } from "./words.js";

const tables = new Map(); /* name -> { row, tile, rank, words } */
const place = document.getElementById("tables");
let reachable = true;
let page; /* what the page adds; see `showTables` */

const WAITING = ":waiting"; /* in place of a table's name */
let waiting = null; /* what is waited for in vain, and what there is instead */

/* --- how urgent --------------------------------------------------------------------------------------------------- */

const KINDS = ["stop", "off", "note", "well"];

const rankOf = (row) => Math.min(rankOfTable(row), page.rank(row));

function rankOfTable(row) {
  if (row.alerts.some((alert) => alert.severity === "stops") || !row.storing || row.publishing || row.witness.length) return 0;
  if (!row.live) return 1;
  if (row.alerts.length || row.disputes.length || row.stopped || row.by_hand || !row.link) return 2;
  return 3;
}

const byUrgency = (one, other) =>
  one.rank - other.rank || one.row.title.localeCompare(other.row.title, "en", { numeric: true }) || (one.row.name < other.row.name ? -1 : 1);

/* --- a tile ------------------------------------------------------------------------------------------------------- */

function miniRoad({ columns, cells }) {
  const rings = { B: "", P: "" };
  let slashes = "";
  for (const [column, row, winner, ties] of cells) {
    if (winner) rings[winner] += `M${column + 0.85} ${row + 0.5}a.35 .35 0 1 1-.7 0a.35 .35 0 1 1 .7 0`;
    if (ties) slashes += `M${column + 0.1} ${row + 0.9}l.8-.8`;
  }
  return svg("svg", { viewBox: `0 0 ${columns} 6`, "aria-hidden": "true" },
    svg("path", { d: rings.B, class: "ring ring-B" }),
    svg("path", { d: rings.P, class: "ring ring-P" }),
    svg("path", { d: slashes, class: "tie-slash" }));
}

function lastResult(last) {
  if (last === null) return html("div", { class: "last" }, "–");
  const letter = { banker: "B", player: "P", tie: "T" }[last.winner];
  return html("div", { class: "last" },
    html("i", { class: `won-${last.winner}` }, html("b", {}, say(letter))), `${last.player} : ${last.banker}`);
}

function alertBox(alert) {
  const ends = [];
  if (alert.cleared_by !== "nobody") ends.push(say("cleared_by", { who: role(alert.cleared_by) }));
  if (alert.ended_by.length) ends.push(say("ended_by", { acts: alert.ended_by.map(act).join(say("comma")) }));
  return html("div", { class: `alert ${alert.severity === "stops" ? "stops" : "warns"}`, "data-kind": alert.kind },
    html("b", {}, happened(alert)),
    ...[detail(alert), toDo(alert), ends.join(" · ")].filter(Boolean).map((text) => html("small", {}, text)));
}

/* A round that a player disputes, until a supervisor has decided it. */
function disputeBox(dispute) {
  const where = say("dispute_of", { shoe: dispute.shoe, round: dispute.round });
  const seat = dispute.seat === null ? "" : say("dispute_seat", { seat: dispute.seat });
  return html("div", { class: "alert warns", "data-dispute": dispute.number },
    html("b", {}, say("dispute", { n: dispute.number })),
    html("small", {}, [where, seat, dispute.person].filter(Boolean).join(" · ")),
    html("small", {}, dispute.text));
}

/* What a witness of the journals objects to; the number is that of the line in its file. */
function witnessBox(raised) {
  return html("div", { class: "alert stops", "data-witness": raised.alarm.code },
    html("b", {}, `${say("witness")}: ${alarm(raised.alarm)}`),
    html("small", {}, say("witness_line", { n: raised.line })));
}

/* A dot each for the shoe, the broker and the disk, and in words whatever is not well with them. */
function health(row) {
  const dot = (name, well) => html("span", { class: `dot ${!row.live ? "off" : well ? "well" : "bad"}`, "data-health": name }, say(name));
  const bad = [];
  if (!row.live) bad.push(say("offline"));
  else if (!row.link) bad.push(say("no_link"));
  else if (!row.authenticated) bad.push(say("unverified"));
  if (row.live && row.link && !row.keeps_events) bad.push(say("unkept"));
  if (!row.storing) bad.push(say("disk_full"));
  if (row.publishing) bad.push(`${say("refuses")}: ${row.publishing}`);
  if (row.by_hand) bad.push(say("by_hand"));
  if (row.rules_pending) bad.push(say("waits"));
  return [
    dot("shoe_link", row.link && row.authenticated), dot("broker", !row.publishing), dot("disk", row.storing),
    ...bad.map((text) => html("span", { class: "bad" }, text)),
  ];
}

function fill(tile, row) {
  const round = row.round ? say("shoe_round", { shoe: row.shoe, round: row.round }) : "";
  tile.replaceChildren(
    html("div", { class: "top" }, html("h2", {}, row.title), html("span", { class: "phase" }, row.phase ? phase(row.phase) : ""), html("span", { class: "phase" }, round)),
    html("div", { class: "inside" },
      html("div", { class: "seen" },
        html("div", { class: "body" }, html("div", { class: "drawn" }, miniRoad(row.road)),
          html("div", { class: "came" }, lastResult(row.last), html("div", { class: "pace" }, row.pace === null ? "" : say("per_hour", { n: row.pace })))),
        ...page.more(row)),
      html("div", { class: "alerts" }, ...page.boxes(row), ...row.witness.map(witnessBox), ...row.alerts.map(alertBox), ...row.disputes.map(disputeBox))),
    html("div", { class: "foot" }, ...health(row), html("span", { class: "version" }, row.version)));
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

function show(name, row) {
  let table = tables.get(name);
  if (row === null) {
    table?.tile.remove();
    tables.delete(name);
    return false;
  }
  const isNew = table === undefined;
  if (isNew) {
    table = { tile: page.tile(name) };
    tables.set(name, table);
  }
  const [rank, before] = [rankOf(row), table.row];
  const words = row.alerts.length + row.disputes.length + row.witness.length + page.boxes(row).length > 0;
  const moves = isNew || rank !== table.rank || row.title !== before.title || words !== table.words;
  Object.assign(table, { row, rank, words });
  table.tile.className = `table ${KINDS[rank]}${words ? " wordy" : ""}`;
  fill(table.tile, row);
  return moves;
}

function arrange() {
  const sorted = [...tables.values()].sort(byUrgency);
  sorted.forEach(({ tile }, number) => {
    if (place.children[number] !== tile) place.insertBefore(tile, place.children[number] ?? null);
  });
  fit();
}

const GAP = 12;
const LARGEST = 5;

/* As many columns as make the tiles largest while all of them are on the screen; where they cannot be, as many as fit. */
function fit() {
  const { clientWidth: width } = place;
  const height = innerHeight - place.getBoundingClientRect().top - scrollY - GAP;
  const cells = [...tables.values()].reduce((sum, { words }) => sum + (words ? 2 : 1), 0);
  const { roomy, tight } = page.sizes;
  const scaleOf = (columns) => Math.min(
    (width - (columns - 1) * GAP) / columns / roomy.width,
    (height - (Math.ceil(cells / columns) - 1) * GAP) / Math.ceil(cells / columns) / roomy.height);
  let [columns, scale] = [1, scaleOf(1)];
  for (let more = 2; more <= cells; more += 1) if (scaleOf(more) > scale) [columns, scale] = [more, scaleOf(more)];
  const isRoomy = scale >= 1;
  if (!isRoomy) [columns, scale] = [Math.max(1, Math.floor((width + GAP) / (tight.width + GAP))), 1];
  place.classList.toggle("roomy", isRoomy);
  place.style.setProperty("--columns", columns);
  place.style.setProperty("--scale", Math.min(scale, LARGEST));
}

function waitingText() {
  if (waiting === null) return "";
  const tables = waiting.tables.join(say("comma"));
  if (!waiting.there.length) return say("waits_for_nothing_else", { tables });
  return say("waits_for", { tables, there: waiting.there.join(say("comma")) });
}

function summarise() {
  const waits = waitingText();
  const urgent = [...tables.values()].filter(({ rank }) => rank < 3).length;
  const summary = document.getElementById("summary");
  write(summary, `${say("tables", { n: tables.size })} · ${urgent ? say("attention", { n: urgent }) : waits ? "" : say("all_well")}`.replace(/ · $/, ""));
  summary.classList.toggle("attention", urgent > 0 || Boolean(waits));
  const trouble = document.getElementById("trouble");
  const brokerDown = [...tables.values()].some(({ row }) => row.why === "broker");
  trouble.hidden = reachable && !brokerDown && !waits;
  write(trouble, !reachable ? say("page_lost") : brokerDown ? say("broker_down") : waits);
}

export function update({ [WAITING]: waits, ...news }, first) {
  const before = tables.size;
  if (waits !== undefined || first) waiting = waits ?? null;
  if (first) for (const name of [...tables.keys()]) if (!(name in news)) show(name, null);
  const moved = Object.entries(news).map(([name, row]) => show(name, row));
  if (moved.some(Boolean) || tables.size !== before) arrange();
  summarise();
}

export function lost(yes) {
  if (reachable === !yes) return;
  reachable = !yes;
  summarise();
}

/* The state of a page that begins anew. */
export function forgetTables() {
  for (const name of [...tables.keys()]) show(name, null);
  waiting = null;
}

/* The rows of all tables, in the order in which they stand. */
export const rows = () => [...tables.values()].sort(byUrgency).map(({ row }) => row);

/* `tile(name)` is the element of a table; `more(row)` are elements beside its road, `boxes(row)` those among its alerts;
   `rank(row)` is how urgent the page finds it, 3 where it is well. `sizes` are width and height of a tile at the scale of
   one, in pixels: with the road above the result (`roomy`), and beside it (`tight`). */
export function showTables({ tile, sizes, more = () => [], boxes = () => [], rank = () => 3 }) {
  page = { tile, sizes, more, boxes, rank };
  place.dataset.none = say("no_tables");
  addEventListener("resize", fit);
}
