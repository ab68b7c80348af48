/* Playing cards, drawn: a large rank and a large suit that can be read from five metres away. */

import { svg } from "./svg.js";

const WIDTH = 100;
const HEIGHT = 140;

/* Each suit in a square of 100, its middle at 50, 50. */
const SUITS = {
  H: "M50 92C20 66 6 50 6 31 6 17 17 8 29 8c9 0 17 5 21 14C54 13 62 8 71 8c12 0 23 9 23 23 0 19-14 35-44 61z",
  D: "M50 4 88 50 50 96 12 50z",
  S: "M50 6c30 25 44 38 44 54 0 12-9 20-20 20-7 0-13-3-17-8 1 11 5 18 13 22H30c8-4 12-11 13-22-4 5-10 8-17 8-11 0-20-8-20-20C6 44 20 31 50 6z",
  C: "M50 6c12 0 21 9 21 20 0 6-3 11-7 15 3-1 5-2 9-2 12 0 21 9 21 20s-9 20-21 20c-7 0-13-4-17-9 1 11 5 20 13 24H31c8-4 12-13 13-24-4 5-10 9-17 9C15 79 6 70 6 59s9-20 21-20c4 0 6 1 9 2-4-4-7-9-7-15C29 15 38 6 50 6z",
};

const suit = (name, x, y, size) =>
  svg("path", { d: SUITS[name], transform: `translate(${x} ${y}) scale(${size / 100})` });

/* A card that lies across has its rank upright all the same: on their side a six and a nine look alike from afar. */
function front(card, across) {
  const rank = card[0] === "T" ? "10" : card[0];
  const isLong = rank.length > 1;
  const text = (x, y, size) => svg("text", { x, y, "font-size": size, "letter-spacing": isLong ? -6 : 0 }, rank);
  return svg("g", { class: "HD".includes(card[1]) ? "suit-red" : "suit-black" },
    ...(across
      ? [text(36, 52, isLong ? 58 : 74), suit(card[1], isLong ? 76 : 71, isLong ? 22 : 19, isLong ? 56 : 62)]
      : [text(isLong ? 31 : 29, 37, isLong ? 50 : 58), suit(card[1], 64, 9, 28), suit(card[1], 19, 69, 62)]));
}

function back() {
  const lines = [];
  for (let at = -140; at <= 100; at += 14) lines.push(`M${at} 0l140 140`, `M${at + 140} 0l-140 140`);
  const clip = svg("clipPath", { id: "back" }, svg("rect", { x: 8, y: 8, width: 84, height: 124, rx: 4 }));
  return svg("g", {}, clip,
    svg("rect", { class: "back", x: 6, y: 6, width: 88, height: 128, rx: 5 }),
    svg("path", { class: "lattice", d: lines.join(""), "clip-path": "url(#back)" }));
}

/* A card such as "9H", or `null` for one that lies face down; the third of a hand lies across. */
export function drawCard(card, across) {
  const [width, height] = across ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
  const turned = across ? { transform: `translate(${HEIGHT} 0) rotate(90)` } : {};
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": card ?? "?" },
    svg("rect", { class: "face", x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8 }),
    card === null ? svg("g", turned, back()) : front(card, across));
}
