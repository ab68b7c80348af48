// Keys on the screen, for tables without a keyboard. They type into whichever field of the dialog was touched last.

import { el } from "./dom.js";
import { t } from "./words.js";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "⌫"];
const AMOUNT = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "00", "0", "⌫"];
const DECIMAL = ["1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "0", "⌫"];
const LETTERS = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm.-_"];

// `fields` are inputs, each with data-pad "digits", "amount", "decimal" or "letters"; the keys fit the one that has the focus.
export function padFor(fields) {
  const place = el("div", { class: "pad", "aria-hidden": "true" });
  let target = fields[0];
  const use = (field) => {
    target = field;
    if (place.dataset.kind === field.dataset.pad) return;
    place.dataset.kind = field.dataset.pad;
    place.replaceChildren(...KINDS[field.dataset.pad](type));
  };
  const type = (text) => {
    const [from, to] = [target.selectionStart, target.selectionEnd];
    const after = target.value.length - (to - from) + text.length;
    if (text === "⌫") target.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end");
    else if (target.maxLength < 0 || after <= target.maxLength) target.setRangeText(text, from, to, "end");
    target.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const field of fields) field.addEventListener("focus", () => use(field));
  use(target);
  return place;
}

// Pressing a key must not take the focus from the field.
function key(text, type, given = {}) {
  const press = (event) => {
    event.preventDefault();
    type(given.types ?? text);
  };
  return el("button", { type: "button", tabindex: "-1", onpointerdown: press, class: given.class }, text);
}

const rowOf = (keys, type) => keys.map((text) => (text ? key(text, type) : el("span")));

// Ids may have capitals: after the arrow one letter is large.
function letters(type) {
  let isLarge = false;
  const place = el("div", { class: "letters" });
  const turn = (large) => {
    isLarge = large;
    place.classList.toggle("large", large);
  };
  const press = (text) => {
    type(isLarge ? text.toUpperCase() : text);
    turn(false);
  };
  const rows = LETTERS.map((row) => el("div", {}, [...row].map((text) => key(text, press))));
  rows[2].append(key("⌫", type));
  const shift = key("⇧", () => turn(!isLarge));
  rows.push(el("div", { class: "last-row" }, shift, key(t("space"), type, { types: " " })));
  place.append(...rows);
  return [place];
}

const KINDS = {
  digits: (type) => rowOf(DIGITS, type),
  amount: (type) => rowOf(AMOUNT, type),
  decimal: (type) => rowOf(DECIMAL, type),
  letters,
};
