/* The pit view: a tile for each table, which leads to its board. */

import { listen } from "./event_stream.js";
import { html } from "./svg.js";
import { lost, showTables, update } from "./tiles.js";
import { label, say } from "./words.js";

const SIZES = { roomy: { width: 300, height: 236 }, tight: { width: 290, height: 156 } };

const tile = (name) =>
  html("a", { class: "table", href: `/table/${encodeURIComponent(name)}${location.search}`, "data-table": name });

label();
document.title = say("pit");
showTables({ tile, sizes: SIZES });
listen("/news/pit", { update, lost });
