// SPDX-License-Identifier: BSD-2-Clause
// The parts of the selection: as chips with a button to remove each, and as a message if they select no sample.

const FEW_SAMPLES = 100;
const CHIP_LETTERS = 80, NARROW_LETTERS = 34; // characters of a part, and in a narrow window

function chip({text, title}, undo) {
  return make("span", {class: "chip", title: title || null}, text, makeButton("\u00d7", `remove: ${text}`, undo, {"aria-label": `take away: ${text}`}));
}

function chipLetters() {
  return window.innerWidth <= NARROW_WINDOW ? NARROW_LETTERS : CHIP_LETTERS;
}

// Return the short name of the function with this whole name, or the name itself.
function shortOf(name) {
  const {base} = app, {strings} = base, names = base.columns.frame_name, frame = names.findIndex((id) => id && strings.text(id) === name);
  return frame < 0 ? name : strings.text(shortId(base, frame));
}

// Return a query with at most `max` characters. The names in it are folded to what is left by the other words.
function shownQuery(query, max) {
  if (query.length <= max)
    return escapeText(query);
  const words = query.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) || [], equal = max / words.length - 1, isLong = (word) => word.length > equal;
  const used = words.reduce((sum, word) => sum + 1 + (isLong(word) ? 0 : word.length), -1), letters = Math.floor((max - used) / words.filter(isLong).length);
  const texts = words.map((word) => {
    const {sign, field, value} = wordAtCaret(word, word.length), head = `${sign}${field}${field ? ":" : ""}`;
    if (!isLong(word))
      return escapeText(word);
    return head + foldName(escapeText(shortOf(value.replace(/"$/, "").replace(/\\(.)/g, "$1"))), Math.max(8, letters - head.length));
  });
  return cutText(texts.join(" "), Math.max(max, 20));
}

function spanText(model, span) {
  const text = (time) => formatSeconds(time * model.unitNs, Math.max((span[1] - span[0]) * model.unitNs / 100, 1));
  return `${text(span[0])} to ${text(span[1])} s`;
}

// Return {name, text, none: the changes of the state that remove it} for each active part of the selection.
function selectionParts() {
  const {model, state} = app, parts = [];
  if (state.span)
    parts.push({text: spanText(model, state.span), none: {span: null}});
  if (state.threads) {
    const text = state.threads.length > 1 ? countOf(state.threads.length, "thread") : threadLabel(model, state.threads[0], Math.min(60, chipLetters()));
    parts.push({text, none: {threads: null}});
  }
  if (app.applied)
    parts.push({text: shownQuery(app.applied, chipLetters()), title: escapeText(app.applied).slice(0, WHOLE_MAX), none: {query: ""}});
  return parts;
}

// Return the weight of all samples of the current event in the current recording.
function wholeOfEvent() {
  const {base, state: {event}, wholes} = app;
  wholes[event] = wholes[event] === undefined ? eventWeight(base, event) : wholes[event];
  return wholes[event];
}

// Return the selection's share of the recording, if it is a part: " (29% of all)".
function shareOfAll() {
  return selectionParts().length ? ` (${formatShare(app.weights.current.whole, wholeOfEvent())} of all)` : "";
}

function selectionSums() {
  const {current} = app.weights;
  if (!app.base.columns.sample_node.length)
    return "no samples";
  return `${countOf(current.count, "sample")}, ${formatMeasure(current.whole, app.model.meta.events[app.state.event])}`;
}

// Return {text, none} for each fold that is active, as selectionParts().
function foldParts() {
  const {state, model} = app, parts = [];
  if (state.own)
    parts.push({text: "just my code", none: {own: false}});
  if (state.noinline)
    parts.push({text: "inlining off", none: {noinline: false}});
  if (state.merge)
    parts.push({text: `folded: ${state.merge.length > 2 ? countOf(state.merge.length, "function") : state.merge.map((frame) => frameName(model, frame, chipLetters() / 2)).join(", ")}`, none: {merge: null}});
  return parts;
}

// Return the number of samples of the recording with fewer of them.
function fewestSamples() {
  const {current, base} = app.weights;
  return base ? Math.min(base.count, current.count) : current.count;
}

function makeChips() {
  const count = fewestSamples(), few = count && count < FEW_SAMPLES
    ? [make("span", {class: "few", title: "with so few samples, shares are rough: they are shown without decimals"}, "only")] : [];
  const chips = [...foldParts(), ...selectionParts()].map((part) => chip(part, () => go(part.none)));
  return [...chips, ...few, make("span", {class: "sum", title: `all shares are of the selection${shareOfAll()}`}, selectionSums())];
}

const SUMMED_VIEWS = ["overview", "functions"];

// On phones, the line is omitted if it only repeats the sum that the view shows.
function drawChips() {
  const isEmpty = !foldParts().length && !selectionParts().length && fewestSamples() >= FEW_SAMPLES;
  byId("chips").classList.toggle("repeated", isEmpty && SUMMED_VIEWS.includes(app.state.view));
  setChildren(byId("chips"), `${app.key} ${app.queryError} ${chipLetters()}`, makeChips);
}

const MORE_SAMPLES = "record for a longer time, or more often, as with tally record -F 999";
const NO_SAMPLES = `The program may have used too little CPU time. To get samples, ${MORE_SAMPLES}; tally doctor checks what can be recorded here.`;

// Return the warning about shares of few samples, or an empty text.
function fewText() {
  const count = fewestSamples(), what = selectionParts().length ? `${count === 1 ? "is" : "are"} selected` : app.base.hasBase ? "in one of the recordings" : "in the recording";
  return count && count < FEW_SAMPLES ? `Only ${countOf(count, "sample")} ${what}: shares are rough, and shown without decimals.${selectionParts().length ? "" : ` For more, ${MORE_SAMPLES}.`}` : "";
}

// Return the message that is shown if no sample is selected: what removes the cause, one by one or all at once.
function makeNothing() {
  const parts = selectionParts(), all = Object.assign({}, ...parts.map((part) => part.none));
  const buttons = parts.map((part) => makeButton(`\u00d7 ${part.text}`, "remove this part of the selection", () => go(part.none)));
  if (parts.length > 1)
    buttons.push(makeButton("Show all", "remove all parts of the selection", () => go(all)));
  if (!app.base.columns.sample_node.length)
    return [make("strong", {}, "This recording has no samples."), ` ${NO_SAMPLES}`];
  const {events} = app.model.meta, other = events.length > 1 ? " Another event may have samples (e)." : "";
  return [make("strong", {}, "No sample is selected."), parts.length ? " Remove:" : other, ...buttons];
}

function drawNothing() {
  const {current, base} = app.weights, element = byId("nothing");
  element.hidden = current.count > 0 || (base !== null && base.count > 0);
  if (!element.hidden)
    setChildren(element, `${app.key} ${app.queryError} ${chipLetters()}`, makeNothing);
}
