// Amounts of money: minor units of the table's currency, as people write and type them.

import { amount as written } from "./language.js";

let decimals = 2;

// How many digits stand behind the decimal point.
export function useDecimals(count) { decimals = count; }

export const amount = (minor) => written(minor, decimals);

// What a person typed, in minor units; null if it is not an amount.
export function minorUnits(text) {
  const match = /^\s*([\d,\s]*)(?:\.(\d*))?\s*$/.exec(text);
  if (!match || !(match[1] || match[2])) return text.trim() === "" ? 0 : null;
  const [whole, rest] = [(match[1] || "0").replace(/[,\s]/g, ""), match[2] || ""];
  if (rest.length > decimals) return null;
  const minor = Number(whole + rest.padEnd(decimals, "0"));
  return Number.isSafeInteger(minor) ? minor : null;
}

// By how much something changes.
export const signed = (minor) => `${minor > 0 ? "+" : "−"}${amount(Math.abs(minor))}`;
