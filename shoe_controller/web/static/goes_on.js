// Marks every list that goes on below its edge, so that nobody takes what is seen of it for all.

const LISTS = "#panel, dialog, .list, .seats, .wager-rows, .place-rows";
const ROUNDED = 4; // pixels that are no line

function mark(list) {
  const goesOn = list.scrollTop + list.clientHeight < list.scrollHeight - ROUNDED;
  if (goesOn) list.dataset.goesOn = "";
  else delete list.dataset.goesOn;
}

let isDue = false;

function look() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    document.querySelectorAll(LISTS).forEach(mark);
  });
}

export function watchLists() {
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class", "hidden", "open"] });
  addEventListener("resize", look);
  addEventListener("scroll", look, { capture: true, passive: true });
  look();
}
