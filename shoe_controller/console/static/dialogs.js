// Questions, one at a time: which card, why, and who. A PIN is typed for one act, and forgotten with its question.

import { cardFace, RANKS, rankText, SUIT_LETTERS, suitMark } from "./cards.js";
import { $, button, el, holdButton } from "./dom.js";
import { padFor } from "./pad.js";
import { quotes, reasonsFor, refusal, t } from "./words.js";

export function closeDialog() {
  const dialog = $("dialog");
  if (dialog.open) dialog.close();
  dialog.replaceChildren();
}

export function openDialog(name, title, ...inside) {
  const dialog = $("dialog");
  dialog.className = name;
  dialog.oncancel = () => dialog.replaceChildren();
  const close = button("close", "×", closeDialog, { class: "quiet", "aria-label": t("close") });
  dialog.replaceChildren(el("header", {}, el("h2", {}, title), close), ...inside.filter(Boolean));
  if (!dialog.open) dialog.showModal();
  (dialog.querySelector("[data-first]") ?? dialog.querySelector("input, .chip, button.primary"))?.focus();
  return dialog;
}

// The keys on the screen take the place of the system's own (inputmode), and a browser keeps nothing of what is typed.
function field(key, label, { pad, ...given }) {
  const quiet = { autocomplete: "off", autocapitalize: "off", spellcheck: "false", inputmode: "none" };
  const input = el("input", { data: { key, pad }, ...quiet, ...given });
  return el("label", { class: "field" }, el("span", {}, label), input);
}

// The most characters of a field, as the table limits them.
const longest = (key) => document.body.dataset[`longest${key[0].toUpperCase()}${key.slice(1)}`];

// The form for an id and a PIN; `send({person, pin})` answers, and a refusal is shown beside it.
export function whoForm({ person = "", send, text, held = false }) {
  const known = field("person", t("id"), { type: "text", maxlength: longest("person"), pad: "letters", value: person });
  const secret = field("pin", t("pin"), { type: "password", maxlength: longest("pin"), pad: "digits" });
  const [idInput, pinInput] = [known.querySelector("input"), secret.querySelector("input")];
  (person ? pinInput : idInput).dataset.first = "";
  const message = el("p", { class: "message", role: "alert" });
  let busy = false;
  const go = async () => {
    if (busy) return;
    if (!idInput.value.trim()) return idInput.focus();
    if (!pinInput.value) return pinInput.focus();
    busy = true;
    message.textContent = t("asking");
    const answer = await send({ person: idInput.value.trim(), pin: pinInput.value });
    busy = false;
    pinInput.value = "";
    if (answer.status === "ok") { message.textContent = ""; return; }
    if (quotes(answer)) message.lang = "en";
    else message.removeAttribute("lang");
    message.textContent = refusal(answer);
    pinInput.focus();
  };
  const onEnter = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (event.target === idInput) pinInput.focus();
    else if (!held) go();
    else form.querySelector(".hold").focus();
  };
  const act = held
    ? holdButton("go", text, go, { class: "primary danger" })
    : button("go", text, go, { class: "primary" });
  const form = el("div", { class: "who", onkeydown: (event) => event.target.tagName === "INPUT" && onEnter(event) },
    el("div", { class: "fields" }, known, secret, message, el("div", { class: "row" }, act)),
    padFor(person ? [pinInput, idInput] : [idInput, pinInput]));
  return form;
}

export function askWho(title, given) {
  openDialog("ask-who", title, given.what ? el("p", { class: "what" }, given.what) : null,
    given.about ? el("p", { class: "about" }, given.about) : null, whoForm(given));
}

export function askWhy(title, act, { what, next }) {
  const input = field("reason", t("reason"), { type: "text", maxlength: longest("reason"), pad: "letters" });
  const text = input.querySelector("input");
  const go = () => (text.value.trim() ? next(text.value.trim()) : text.focus());
  const chips = reasonsFor(act).map((reason, number) =>
    button(`reason-${number}`, reason, () => next(reason), { class: "chip", "data-first": number === 0 }));
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go();
  });
  openDialog("ask-why", `${title} · ${t("why")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "chips" }, chips),
    el("div", { class: "line" }, input, button("next", t("next"), go, { class: "primary" })), padFor([text]));
}

export function askCard(title, { what, places, numbers, next, faceDown = false }) {
  const chosen = { number: numbers.length === 1 ? numbers[0] : null, rank: null, suit: null };
  const whole = () => chosen.number !== null && chosen.rank && chosen.suit;
  const done = () => next(chosen.number, chosen.rank + chosen.suit);
  const go = button("next", t("next"), done, { class: "primary", disabled: true });
  const choice = (kind, value, inside, label) => {
    const made = button(`${kind}-${value}`, "", () => {
      chosen[kind] = value;
      for (const other of made.parentElement.children) other.setAttribute("aria-pressed", String(other === made));
      go.disabled = !whole();
    }, { "aria-pressed": String(chosen[kind] === value), "aria-label": label, class: "choice" });
    made.append(inside);
    return made;
  };
  const known = (number) => places.find((place) => place.number === number);
  const which = numbers.map((number) => {
    const place = known(number);
    const named = place?.hand ? `${number} · ${t(place.hand)}` : String(number);
    const label = place ? named : number ? `${number} · ${t("missing_card")}` : t("first_card");
    const face = el("span", { class: "place" }, cardFace(place?.card ?? null), el("small", {}, label));
    return choice("number", number, face, label);
  });
  openDialog("ask-card", `${title} · ${t("which_card")}`, what ? el("p", { class: "what" }, what) : null,
    el("div", { class: "choices numbers" }, which),
    el("div", { class: "choices ranks" }, RANKS.map((rank) => choice("rank", rank, rankText(rank), rank))),
    el("div", { class: "choices suits" }, SUIT_LETTERS.map((suit) => choice("suit", suit, suitMark(suit), suit)),
      faceDown ? button("face-down", t("face_down"), () => next(chosen.number, null)) : null, go));
}
