/* The board of one table: draws the sections that the server sends. It decides nothing by itself. */

import { drawCard } from "./cards.js";
import { condition } from "./condition.js";
import { listen } from "./event_stream.js";
import { amount } from "./language.js";
import { ROADS, bead, drawRoad } from "./roads.js";
import { html, svg, write } from "./svg.js";
import { label, named, reason, say } from "./words.js";

const TURN_PRICES = 9000; /* milliseconds until the next side wagers are shown, where they do not fit all at once */

const $ = (id) => document.getElementById(id);
const known = { live: null, table: null, round: null, roads: null };
let reachable = true;

/* --- hands and what happens now ----------------------------------------------------------------------------------- */

function showHand(id, hand, next, moment) {
  const place = $(id);
  const cards = place.querySelector(".cards");
  write(place.querySelector(".total"), hand.total === null ? "" : String(hand.total));
  const wanted = hand.cards.map((card, number) => ({ key: `${card}`, card, third: number > 1 }));
  while (wanted.length < 2) wanted.push({ key: "slot", third: false });
  if (wanted.length < 3) wanted.push({ key: "slot", third: true }); /* seen only while it is the next; keeps the place */
  wanted.forEach((want, number) => {
    const isNext = next && want.key === "slot" && number === hand.cards.length;
    const key = `${want.key} ${isNext}`;
    if (cards.children[number]?.dataset.key === key) return;
    const third = want.third ? " third" : "";
    const made = want.key === "slot"
      ? html("div", { class: `card slot${third}${isNext ? " next" : ""}`, "data-key": key })
      : html("div", { class: `card new${third}`, "data-key": key, "data-card": want.card ?? "hidden" }, drawCard(want.card, want.third));
    if (cards.children[number]) cards.children[number].replaceWith(made);
    else cards.append(made);
  });
  while (cards.children.length > wanted.length) cards.lastChild.remove();
  const winner = moment?.kind === "result" ? moment.winner : null;
  place.classList.toggle("won", winner === id);
  place.classList.toggle("lost", winner !== null && winner !== id && winner !== "tie");
  place.classList.toggle("next", Boolean(next));
}

function phaseText(round) {
  if (round.phase === "betting" && round.free) return say("free");
  return say(round.phase);
}

function showBand(round) {
  const { moment } = round;
  const band = $("band");
  const now = isLive() ? phaseText(round) : ""; /* an old "place your bets" would be false */
  const kind = round.trouble ? "trouble" : moment?.kind === "result" ? `result winner-${moment.winner}` : moment ? "void" : "";
  band.className = kind;
  const lines = { round: "", text: "", next: round.last && round.phase !== "ended" ? say("last") : "" };
  if (moment) lines.round = say("round_n", { n: moment.round });
  if (round.trouble) {
    lines.text = say("trouble");
    lines.next = "";
  } else if (moment?.kind === "result") {
    lines.text = say(`${moment.winner}_wins`);
    lines.next ||= now;
  } else if (moment) {
    lines.text = say(moment.again ? "void_again" : "void", { n: moment.round });
    lines.round = "";
    lines.next ||= now;
  } else {
    lines.text = reason(round.reason) || now;
  }
  write($("band-round"), lines.round);
  write($("band-text"), lines.text);
  write($("band-next"), lines.next);
  const won = !round.trouble && moment?.kind === "result" ? moment.wagers : [];
  $("band-wagers").replaceChildren(...won.map(({ names, pays }) => html("li", {}, named(names), html("b", {}, pays))));
}

function showRound(round) {
  write($("shoe"), round.shoe ? String(round.shoe) : "–");
  write($("round"), round.round ? String(round.round) : "–");
  const next = round.trouble ? null : round.next; /* no card is due before it is put right */
  showHand("player", round.player, next === "player", round.moment);
  showHand("banker", round.banker, next === "banker", round.moment);
  showBand(round);
}

/* --- what is posted ----------------------------------------------------------------------------------------------- */

let pages = [];
let page = 0;

const isBase = (wager) => wager.id.startsWith("base.");
const pays = (price) => html("span", { class: "pays" }, price.pays === "push" ? say("push") : price.pays);
const money = (minor) => amount(minor, known.table.decimals);
const limits = (wager) => `${money(wager.min)} – ${money(wager.max)}`;

/* The prices of a wager that has several, each with the condition that distinguishes it from the others. */
function lines(wager) {
  return wager.prices.map((price) => html("span", {}, condition(price.when) || say("otherwise"), pays(price)));
}

function baseWager(wager, star) {
  const first = wager.prices.length === 1 ? pays(wager.prices[0]) : html("span");
  const row = html("div", { "data-wager": wager.id }, html("b", {}, star && wager.limited ? `${named(wager.names)} *` : named(wager.names)), first, html("span", { class: "limits" }, limits(wager)));
  if (wager.prices.length > 1) row.append(html("span", { class: "more lines" }, ...lines(wager)));
  return row;
}

function sideWager(wager, star) {
  const only = wager.prices.length === 1;
  return html("div", { class: only ? "wager" : "wager wide", "data-wager": wager.id },
    html("span", { class: "name" }, star && wager.limited ? `${named(wager.names)} *` : named(wager.names)),
    only ? pays(wager.prices[0]) : html("span", { class: "lines" }, ...lines(wager)));
}

const sameLimits = (wager) =>
  html("p", { class: "limits" }, html("span", {}, say("side_wagers")), html("span", {}, limits(wager)));

function showTable(table) {
  document.title = table.title;
  write($("title"), table.title);
  write($("headline"), table.headline);
  write($("limits-head"), table.currency ? `${say("limits")} ${table.currency}` : say("limits"));
  write($("wager-head"), table.commission === "0%" ? say("wager") : say("commission", { rate: table.commission }));
  /* Where the limit is not simply that of all side wagers, those that it is for are marked. */
  const starred = table.wagers.some((wager) => wager.limited === isBase(wager));
  const most = table.round_limit === null ? "" : `${table.currency} ${money(table.round_limit)}`.trim();
  write($("notes"), most && say(starred ? "round_limit_starred" : "round_limit", { amount: most }));
  $("base").replaceChildren(...table.wagers.filter(isBase).map((wager) => baseWager(wager, starred)));
  turnPrices(table, starred);
}

/* Lays out the pages of side wagers again; the visible one stays if it can. */
function turnPrices(table, starred) {
  pages = paged(table.wagers.filter((wager) => !isBase(wager)), starred);
  page = Math.min(page, Math.max(0, pages.length - 1));
  showPrices();
}

/* Side wagers, as many on a page as there is room for; above those with the same limits stands what these are. A wager
   whose name and price do not fit beside another has the whole line. */
function paged(wagers, star) {
  const side = $("side");
  const made = [];
  let before = null;
  side.replaceChildren();
  for (const wager of wagers) {
    const heads = before !== null && limits(before) === limits(wager) ? [] : [sameLimits(wager)];
    const item = sideWager(wager, star);
    side.append(...heads, item);
    const name = item.querySelector(".name");
    if (name.scrollWidth > name.clientWidth) item.classList.add("wide");
    if (!made.length) made.push([]);
    if (side.scrollHeight > side.clientHeight && made.at(-1).length) {
      made.push([sameLimits(wager), item]);
      side.replaceChildren(...made.at(-1));
    } else made.at(-1).push(...heads, item);
    before = wager;
  }
  return made;
}

function showPrices() {
  $("side").replaceChildren(...(pages[page] ?? []));
  write($("price-page"), pages.length > 1 ? say("price_page", { page: page + 1, pages: pages.length }) : "");
}

setInterval(() => {
  if (pages.length < 2) return;
  page = (page + 1) % pages.length;
  showPrices();
}, TURN_PRICES);

/* --- roads and counts --------------------------------------------------------------------------------------------- */

const COUNTS = {
  banker: () => bead("B"),
  player: () => bead("P"),
  tie: () => bead("T"),
  banker_pair: () => [svg("circle", { cx: 0.5, cy: 0.5, r: 0.24, class: "mark-banker" })],
  player_pair: () => [svg("circle", { cx: 0.5, cy: 0.5, r: 0.24, class: "mark-player" })],
  natural: () => [svg("path", { d: "M.5 .2l.3 .3-.3 .3-.3-.3z", class: "mark-natural" })],
};

function showRoads({ roads, counts }) {
  for (const name of ROADS) drawRoad($(name).querySelector("svg"), name, roads[name].cells);
  $("counts").replaceChildren(...Object.entries(COUNTS).map(([name, icon]) =>
    html("div", { "data-count": name },
      svg("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, ...icon()),
      html("dt", {}, say(name)),
      html("dd", {}, String(counts[name])))));
}

/* --- whether it is live ------------------------------------------------------------------------------------------- */

const isLive = () => reachable && known.live !== null && known.live.live;

function showLive() {
  const why = reachable ? known.live?.why || "unknown" : "page";
  $("not-live").hidden = isLive();
  document.body.classList.toggle("not-live", !isLive());
  document.body.classList.toggle("empty", known.round === null);
  write($("not-live-why"), isLive() ? "" : say(`not_live_${why}`));
  $("by-hand").hidden = !known.live?.by_hand;
  $("unverified").hidden = !known.live?.unverified;
  $("unkept").hidden = !known.live?.unkept;
  if (known.round) showBand(known.round);
}

/* --- all together ------------------------------------------------------------------------------------------------- */

const SHOW = { table: showTable, round: showRound, roads: showRoads };

function update(news) {
  Object.assign(known, news);
  for (const [name, show] of Object.entries(SHOW)) if (news[name]) show(known[name]);
  showLive();
}

function lost(yes) {
  if (reachable === !yes) return;
  reachable = !yes;
  showLive();
}

/* Prices and roads take the room that they have. */
new ResizeObserver(() => known.table && showTable(known.table)).observe($("prices"));
new ResizeObserver(() => known.roads && showRoads(known.roads)).observe($("big_road"));

label();
$("title").textContent = decodeURIComponent(location.pathname.split("/").at(-1)); /* until its title is known */
listen(`/news${location.pathname}`, { update, lost });
