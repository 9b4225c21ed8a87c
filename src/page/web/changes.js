// SPDX-License-Identifier: BSD-2-Clause
// Changes between two recordings: bars to the left and right of an axis, and the verdicts of `tally diff`.

// Return the largest change of self of any function, in shares.
function mostChange() {
  const {model, weights} = app, {current, base} = functionsOf(model, weights);
  if (weights.mostChange === undefined) {
    weights.mostChange = 0;
    for (let frame = 0; frame < model.frames; frame++)
      weights.mostChange = Math.max(weights.mostChange, Math.abs(shareOf(current.self[frame], weights.current.whole) - shareOf(base.self[frame], weights.base.whole)));
  }
  return weights.mostChange;
}

// Make a cell with a bar from the middle: to the right for more than before, to the left for less.
function changeBar(before, after, most) {
  const part = most > 0 ? Math.min(1, Math.abs(after - before) / most) : 0, bar = make("span", {class: `change-bar ${after > before ? "grown" : "shrunk"}`});
  bar.style.width = `${(50 * part).toFixed(2)}%`;
  return make("span", {class: "diverging"}, bar, make("span", {class: `change-text ${changeClass(before, after)}`}, formatChange(before, after)));
}

// Return [share before, share after] of a function's self or total.
function sharesOf(kind, frame) {
  const {model, weights} = app, {current, base} = functionsOf(model, weights);
  return [shareOf(base[kind][frame], weights.base.whole), shareOf(current[kind][frame], weights.current.whole)];
}

// Return the verdict on a function, if the page has verdicts.
function verdictOf(frame) {
  const {meta} = app.base;
  if (!meta.verdictMap)
    meta.verdictMap = new Map(isList(meta.verdicts).filter((one) => one && typeof one === "object").map(({frame, text}) => [frame, shownText(String(text), 60)]));
  return meta.verdictMap.get(frame) || "";
}

// Signs of verdicts for narrow windows, by the first words of the verdict. Others have the last sign.
const VERDICT_SIGNS = [["undecided", "?", "undecided"], ["too few", "~", "too few samples"], ["same", "=", "same"], ["grew", "\u2191", "grew"], ["shrank", "\u2193", "shrank"],
  ["new", "+", "new"], ["gone", "\u00d7", "gone"], ["inlined now", "\u25c2", "inlined now"], ["was inlined", "\u25b8", "was inlined"], ["moved to", "\u2192", "moved away"], ["from", "\u2190", "moved here"],
  ["", "\u2022", "see the line below"]];

function verdictSign(text) {
  return VERDICT_SIGNS.find(([start]) => text.startsWith(start));
}

// Make a verdict for a table: its text, or in a narrow window its sign.
function verdictCell(text) {
  const [, sign] = verdictSign(text);
  return window.innerWidth > NARROW_WINDOW || !text ? text : make("span", {title: text, role: "img", "aria-label": text}, sign);
}

// Return the legend of the signs of the page's verdicts, for a narrow window.
function signLegend() {
  const used = new Set(isList(app.base.meta.verdicts).map((one) => isRecord(one) && verdictSign(String(one.text))));
  return VERDICT_SIGNS.filter((sign) => used.has(sign)).map(([, sign, words]) => `${sign} ${words}`).join(", ");
}

function hasVerdicts() {
  return isList(app.base.meta.verdicts).length > 0;
}

const SHARE_LETTERS = 14; // space of the shares before and after, which narrow windows omit

// Return the rows of the functions that changed most, for the overview.
function changeRows({rows, room}) {
  const letters = window.innerWidth <= NARROW_WINDOW ? room : Math.max(18, room - SHARE_LETTERS);
  const {model} = app, changes = Float64Array.from({length: model.frames}, (_, frame) => {
    const [before, after] = sharesOf("self", frame);
    return Math.abs(after - before);
  });
  return heaviest(changes, rows).map((frame) => {
    const [before, after] = sharesOf("self", frame);
    return make("tr", {}, make("td", {class: "number share-cell"}, formatShare(before, 1)), make("td", {class: "number share-cell"}, formatShare(after, 1)),
      make("td", {class: "number change-cell"}, changeBar(before, after, mostChange())),
      make("td", {class: "name"}, makeButton(frameName(model, frame, letters), frameWholeName(model, frame).slice(0, WHOLE_MAX), () => openSandwich(frame), {class: "link"})));
  });
}
