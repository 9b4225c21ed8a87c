// SPDX-License-Identifier: BSD-2-Clause
// Numbers formatted for display.

const NS_STEPS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

function formatCount(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function formatNs(ns) {
  const [unit, name] = NS_STEPS.find(([step]) => Math.abs(ns) >= step) || NS_STEPS[3];
  const value = ns / unit;
  const digits = unit === 1 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value >= 1000 ? formatCount(value) : value.toFixed(digits)} ${name}`;
}

function formatWeight(value, unit) {
  return unit === "ns" ? formatNs(value) : formatCount(value);
}

// Return "1 function", "2 functions"; for words with a regular plural.
function countOf(value, word) {
  return `${formatCount(value)} ${word}${Math.round(value) === 1 ? "" : "s"}`;
}

// Format a weight with what it measures. As threads run in parallel, CPU time may exceed the length of the recording.
// For counted events add the event name without modifiers.
function formatMeasure(value, event) {
  const name = shownText(String(event.name).replace(/:[ukhGHIpPSDWe]+$/, ""), 40);
  return isCpuTime(event) ? `${formatNs(value)} of CPU time` : event.unit === "ns" ? `${formatNs(value)} of ${name}` : `${formatCount(value)} ${name}`;
}

let shareDigits = 2;

// Shares of few samples are rough, and shown without decimals.
function setShareDigits(samples) {
  shareDigits = samples < FEW_SAMPLES ? 0 : 2;
}

function formatShare(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(shareDigits)}%` : "-";
}

// Format a change of shares in percentage points.
function formatChange(before, after) {
  const points = 100 * (after - before);
  return `${points >= 0 ? "+" : "\u2212"}${Math.abs(points).toFixed(shareDigits)}`;
}

// Return the class of a change: none if the numbers shown do not differ.
function changeClass(before, after) {
  return /[1-9]/.test(formatChange(before, after)) ? after > before ? "more" : "less" : "";
}

// Format seconds since the start of the recording, with as many digits as steps of `stepNs` need.
function formatSeconds(ns, stepNs) {
  const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(stepNs, 1)))));
  return (ns / 1e9).toFixed(digits);
}

// Return a step of 1, 2 or 5 times a power of ten that divides `range` into at most `most` parts.
function niceStep(range, most) {
  const rough = range / Math.max(most, 1);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  return power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
}
