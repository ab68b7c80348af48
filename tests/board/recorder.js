() => {
  /* Notes everything that the page ever shows: each picture of the hands, each result, the roads of each round. */
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const text = (selector) => document.querySelector(selector).textContent;
  const hand = (id) => all(`#${id} .card[data-card]`).map((card) => card.dataset.card);
  const noted = (window.noted = { hands: [], results: [], roads: {} });
  const keep = (list, thing) => {
    if (JSON.stringify(list.at(-1)) !== JSON.stringify(thing)) list.push(thing);
  };
  const look = () => {
    const hands = { shoe: text("#shoe"), player: hand("player"), banker: hand("banker"), totals: [text("#player .total"), text("#banker .total")] };
    keep(noted.hands, hands);
    const band = document.querySelector("#band");
    if (band.classList.contains("result")) {
      keep(noted.results, {
        ...hands, round: text("#band-round"), band: text("#band-text"), kind: band.className,
        wagers: all("#band-wagers li").map((won) => [won.firstChild.textContent, won.lastChild.textContent]),
      });
    }
    const counts = Object.fromEntries(all("#counts div").map((count) => [count.dataset.count, Number(count.lastChild.textContent)]));
    const rounds = counts.banker + counts.player + counts.tie;
    if (!rounds) return;
    const roads = {};
    for (const figure of all("figure")) {
      const panel = figure.querySelector("svg");
      roads[figure.id] = { first: Number(panel.dataset.first), cells: all("g.cell", panel).map((cell) => ({ ...cell.dataset, text: cell.textContent })) };
    }
    noted.roads[rounds] = { counts, roads };
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
}
