// Making parts of the page. Text only ever becomes text, so nothing that comes over the network can be markup.

import { t } from "./words.js";

export const HOLD = 2000; // milliseconds that an act which cannot be undone is held
const TOAST = { good: 2500, bad: 6000 }; // milliseconds

export const $ = (id) => document.getElementById(id);

// An element; `on…` are listeners, `data` its data attributes, true and false set an attribute or leave it out.
export function el(name, given = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(made.dataset, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...inside.flat().filter((part) => part !== null && part !== undefined && part !== false));
  return made;
}

export function svg(name, given = {}, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

const drawn = new Map();

// Redraws a part of the page if what it shows has changed; the focused element keeps the focus.
export function draw(place, shows, build) {
  const key = JSON.stringify(shows);
  if (drawn.get(place) === key) return;
  drawn.set(place, key);
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const scrolled = place.scrollTop;
  place.replaceChildren(...[build()].flat().filter(Boolean));
  place.scrollTop = scrolled;
  if (focused !== undefined) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

export function button(key, text, onclick, given = {}) {
  const { hint, ...rest } = given;
  return el("button", { type: "button", data: { key }, onclick, ...rest }, text, hint ? el("kbd", {}, hint) : null);
}

// A button that does what it says only when it is held, by finger, mouse or key.
export function holdButton(key, text, done, given = {}) {
  let timer = null;
  const { hint, ...rest } = given;
  const made = el("button", { type: "button", data: { key }, ...rest, class: `hold ${rest.class ?? ""}` },
    el("span", { class: "fill", "aria-hidden": "true" }), el("span", { class: "label" }, text),
    el("small", {}, t("hold")), hint ? el("kbd", {}, hint) : null);
  const begin = () => {
    if (timer !== null || made.disabled) return;
    made.classList.add("held");
    timer = setTimeout(() => { end(); done(); }, HOLD);
  };
  const end = () => {
    clearTimeout(timer);
    timer = null;
    made.classList.remove("held");
  };
  made.addEventListener("pointerdown", (event) => { if (event.button === 0) begin(); });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"]) made.addEventListener(name, end);
  made.addEventListener("contextmenu", (event) => event.preventDefault());
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); begin(); }
  });
  made.addEventListener("keyup", end);
  return made;
}

let toastTimer = null;

export function toast(text, kind = "") {
  const place = $("toast");
  place.className = `shown ${kind}`;
  place.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { place.className = ""; }, TOAST[kind] ?? TOAST.bad);
}

export const clockTime = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
