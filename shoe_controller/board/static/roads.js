/* The five roads, drawn cell by cell as the controller has laid them out. A road that is longer than its panel shows its
   last columns: it scrolls by whole columns and never shrinks. Every mark differs in shape or letter, not in colour alone. */

import { say } from "./words.js";
import { svg } from "./svg.js";

const ROWS = 6;

const at = (cell, first, ...inside) =>
  svg("g", { class: "cell", transform: `translate(${cell.column - first} ${cell.row})`, "data-column": cell.column, "data-row": cell.row }, ...inside);

const letter = (text, size, colour) =>
  svg("text", { x: 0.5, y: 0.52, "font-size": text.charCodeAt(0) > 255 ? size * 1.05 : size, class: colour }, text);

/* Pairs and naturals, each in a corner of its own. */
const marks = {
  banker_pair: () => svg("circle", { cx: 0.18, cy: 0.2, r: 0.14, class: "mark mark-banker" }),
  player_pair: () => svg("circle", { cx: 0.82, cy: 0.82, r: 0.14, class: "mark mark-player" }),
  natural: () => svg("path", { d: "M.82 .02l.17 .17-.17 .17-.17-.17z", class: "mark mark-natural" }),
};

function marksOf(cell) {
  return Object.keys(marks).filter((name) => cell[name]);
}

function noted(element, cell) {
  element.dataset.marks = marksOf(cell).join(" ");
  element.append(...marksOf(cell).map((name) => marks[name]()));
  return element;
}

export function bead(winner) {
  return [svg("circle", { cx: 0.5, cy: 0.5, r: 0.44, class: `fill-${winner}` }), letter(say(winner), 0.56, "on-fill")];
}

function beadCell(cell, first) {
  const drawn = at(cell, first, ...bead(cell.winner));
  drawn.dataset.winner = cell.winner;
  return noted(drawn, cell);
}

function bigRoadCell(cell, first) {
  const inside = [];
  if (cell.winner !== null) {
    inside.push(svg("circle", { cx: 0.5, cy: 0.5, r: 0.4, class: `ring ring-${cell.winner}` }));
  }
  if (cell.ties) inside.push(svg("path", { d: "M.06 .94L.94 .06", class: "tie-slash" }));
  if (cell.winner !== null) inside.push(letter(say(cell.winner), 0.54, `over ink-${cell.winner}`));
  if (cell.ties > 1) inside.push(svg("text", { x: 0.2, y: 0.78, "font-size": 0.53, class: "tie-count" }, String(cell.ties)));
  const drawn = at(cell, first, ...inside);
  drawn.dataset.winner = cell.winner ?? "";
  drawn.dataset.ties = cell.ties;
  return noted(drawn, cell);
}

/* Red and blue also differ in shape: rings and discs with a dot or a hole are blue, and blue slashes lean back. */
const DERIVED = {
  big_eye: (colour) => [
    svg("circle", { cx: 0.5, cy: 0.5, r: 0.34, class: `ring ${colour}`, "stroke-width": 0.15 }),
    ...(colour === "blue" ? [svg("circle", { cx: 0.5, cy: 0.5, r: 0.11, class: "disc blue" })] : []),
  ],
  small: (colour) => [
    svg("circle", { cx: 0.5, cy: 0.5, r: 0.4, class: `disc ${colour}` }),
    ...(colour === "blue" ? [svg("circle", { cx: 0.5, cy: 0.5, r: 0.14, class: "hole" })] : []),
  ],
  cockroach: (colour) => [
    svg("path", { d: colour === "red" ? "M.18 .82L.82 .18" : "M.18 .18L.82 .82", class: `slash ${colour}` }),
  ],
};

function derivedCell(name) {
  return (cell, first) => {
    const drawn = at(cell, first, ...DERIVED[name](cell.colour));
    drawn.dataset.colour = cell.colour;
    return drawn;
  };
}

const DRAW = {
  bead_plate: beadCell,
  big_road: bigRoadCell,
  big_eye: derivedCell("big_eye"),
  small: derivedCell("small"),
  cockroach: derivedCell("cockroach"),
};

export const ROADS = Object.keys(DRAW);

/* Draws a road into its panel, with as many columns as it has room for; the last one is free for what comes next. */
export function drawRoad(panel, name, cells) {
  const { width, height } = panel.getBoundingClientRect();
  if (!width || !height) return;
  const columns = Math.max(1, Math.floor((width / height) * ROWS + 0.01));
  const used = cells.reduce((most, cell) => Math.max(most, cell.column + 1), 0);
  const first = Math.max(0, used + 1 - columns);
  panel.setAttribute("viewBox", `0 0 ${columns} ${ROWS}`);
  panel.setAttribute("preserveAspectRatio", "xMinYMin meet");
  panel.setAttribute("aria-label", say(name));
  panel.dataset.first = first;
  panel.dataset.columns = columns;
  const lines = [];
  for (let x = 0; x <= columns; x += 1) lines.push(`M${x} 0V${ROWS}`);
  for (let y = 0; y <= ROWS; y += 1) lines.push(`M0 ${y}H${columns}`);
  panel.replaceChildren(
    svg("path", { d: lines.join(""), class: "grid" }),
    ...cells.filter((cell) => cell.column >= first).map((cell) => DRAW[name](cell, first)));
}
