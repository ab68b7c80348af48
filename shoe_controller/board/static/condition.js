import { has, say } from "./words.js";

/* When a line of a pay table fits: pairs of a word and its values, as in [["banker_cards", ["3"]]]. */
export function condition(when) {
  const cards = new Set(when.map(([word]) => word));
  const both = cards.has("player_cards") && cards.has("banker_cards");
  return when
    .map(([word, values]) => {
      if (has(`${word}_${values[0]}`)) return values.map((value) => say(`${word}_${value}`)).join(say("or"));
      const key = both && word.endsWith("_cards") ? `both_${word}` : word;
      return say(key, { n: values.join(say("or")) });
    })
    .join(say("comma"));
}
