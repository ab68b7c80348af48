/* What is wrong with a page as it is painted now, as sentences: text that is too small, cut, or under other text, boxes
   outside the screen, and room that is left empty. */

({ least, leastDrawn, mayScroll }) => {
  const found = [];
  const top = document.querySelector("dialog[open]") ?? document.body;
  const clips = (style) => /hidden|clip|auto|scroll/.test(style.overflowX + style.overflowY);
  const scrolls = (style) => /auto|scroll/.test(style.overflowY);
  const short = (text) => `“${text.trim().slice(0, 40)}”`;
  const px = (size) => `${Math.round(size * 10) / 10} px`;

  const boxOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };

  /* The part of a box that is not clipped away, and whether one can scroll to the rest. */
  function seen(box, element) {
    const part = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
    let reachable = false;
    for (let each = element; each && each !== document.documentElement; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (each === element && style.display === "inline") continue;
      if (each === document.body || !clips(style)) continue;
      const edge = each.getBoundingClientRect();
      reachable ||= scrolls(style);
      part.left = Math.max(part.left, edge.left);
      part.right = Math.min(part.right, edge.right);
      part.top = Math.max(part.top, edge.top);
      part.bottom = Math.min(part.bottom, edge.bottom);
    }
    const whole = part.left <= box.left + 1.5 && part.right >= box.right - 1.5 && part.top <= box.top + 2.5 && part.bottom >= box.bottom - 2.5;
    const nothing = part.right - part.left < 1 || part.bottom - part.top < 1;
    return { part, whole, nothing, reachable };
  }

  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest("#toast, script, style, noscript")) continue;
    const box = boxOf(node);
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(parent);
    const drawing = parent.closest("svg");
    const size = parseFloat(style.fontSize) * (drawing ? Math.abs(parent.getScreenCTM().d) : 1);
    const { part, whole, nothing, reachable } = seen(box, parent);
    if (size < (drawing ? leastDrawn : least) - 0.05) found.push(`${short(node.data)} is ${px(size)} tall`);
    const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
    if (!drawing && !whole && !reachable && !shortened) found.push(`${short(node.data)} is cut`);
    /* Above and below the letters there is room that another line may use. */
    const air = 0.2 * (part.bottom - part.top);
    if (!drawing && !nothing) texts.push({ node, part: { ...part, top: part.top + air, bottom: part.bottom - air } });
    const beside = part.left < -1 || part.right > innerWidth + 1;
    const below = part.top < -1 || part.bottom > innerHeight + 1;
    if (!nothing && (beside || (below && !mayScroll && !reachable))) found.push(`${short(node.data)} is outside the screen`);
  }

  const over = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1.5 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.3 * Math.min(one.bottom - one.top, other.bottom - other.top);
  const fixed = (node) => node.parentElement.closest("#not-live, .sticky");
  texts.forEach((one, number) => {
    for (const other of texts.slice(number + 1)) {
      if (fixed(one.node) !== fixed(other.node)) continue;
      if (over(one.part, other.part)) found.push(`${short(one.node.data)} and ${short(other.node.data)} are over one another`);
    }
  });

  /* A card may lie over no text and no other card. */
  const cards = [...top.querySelectorAll(".card")].filter((card) => card.checkVisibility()).map((card) => ({
    name: card.dataset.card ?? "a card", part: card.getBoundingClientRect(), card,
  }));
  cards.forEach((one, number) => {
    for (const { node, part } of texts) {
      if (!one.card.contains(node) && over(one.part, part)) found.push(`${one.name} lies over ${short(node.data)}`);
    }
    for (const other of cards.slice(number + 1)) {
      if (over(one.part, other.part)) found.push(`${one.name} lies over ${other.name}`);
    }
    const edge = one.card.closest(".hand")?.getBoundingClientRect();
    if (edge && (one.part.right > edge.right + 1 || one.part.bottom > edge.bottom + 1)) found.push(`${one.name} sticks out of its hand`);
  });

  if (document.documentElement.scrollWidth > innerWidth + 1) found.push("the page is wider than the screen");
  if (!mayScroll && document.documentElement.scrollHeight > innerHeight + 1) found.push("the page is taller than the screen");

  /* A list that goes on below its edge says so. */
  for (const list of top.querySelectorAll("#panel, .list, .wager-rows, .place-rows, .seats, dialog")) {
    const more = list.scrollHeight > list.clientHeight + 4 && list.scrollTop + list.clientHeight < list.scrollHeight - 4;
    if (more && list.dataset.goesOn === undefined) found.push(`${list.id || list.className} goes on below without a hint`);
  }
  return [...new Set(found)];
}
