// SPDX-License-Identifier: BSD-2-Clause
// The state of the viewer: one object, which is also encoded in the fragment of the page's address. As a link may come
// from anyone, each value is checked, and invalid ones are ignored.

const VIEWS = ["overview", "functions", "flame", "sandwich", "source", "time", "stacks", "tree", "heat"];
const LIST_MAX = 1000, WRONG_MAX = 5;
const REST_PART = /(?<![^.])r\d{1,9}-\d{1,9}(?![^.])/g; // rest cells, see flame_rest.js

function readNumbers(text, limit) {
  const list = text.split(".").slice(0, LIST_MAX).map((part) => part === "" ? NaN : Number(part));
  return list.every((value) => Number.isSafeInteger(value) && value >= 0 && value < limit) ? list : null;
}

function readOne(text, limit) {
  const list = readNumbers(text, limit);
  return list && list.length === 1 ? list[0] : null;
}

const readFlag = (text) => text === "1" ? true : null;
const writeFlag = (value) => value ? "1" : "";

function choiceOf(...names) {
  return {otherwise: names[0], read: (text) => names.includes(text) ? text : null, write: (value) => value};
}

function readSpan(text) {
  const parts = text.split("-").map(Number);
  return parts.length === 2 && parts.every((value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER) && parts[0] < parts[1] ? parts : null;
}

// name: {otherwise, read(text, model) -> value or null, write(value)}. `isStep`: a change adds a history entry; `isStepIn`: only in that view.
const STATE_FIELDS = {
  view: {...choiceOf("overview", ...VIEWS), isStep: true},
  event: {otherwise: 0, isStep: true, read: (text, model) => readOne(text, model.meta.events.length), write: String},
  span: {otherwise: null, isStep: true, read: (text, model) => model.hasTimes ? readSpan(text) : null, write: (span) => span.join("-")},
  threads: {otherwise: null, isStep: true, read: (text, model) => readNumbers(text, model.threads), write: (list) => list.join(".")},
  query: {otherwise: "", isStep: true, read: (text) => text.length <= QUERY_MAX ? text : null, write: (text) => text},
  zoom: {otherwise: "", isStep: true, read: (text) => readNumbers(text.replace(REST_PART, "0"), 2 ** 32) && text, write: (text) => text},
  pivot: {otherwise: -1, isStepIn: "sandwich", read: (text, model) => readOne(text, model.frames), write: String},
  note: {otherwise: -1, isStepIn: "source", read: (text) => readOne(text, Math.max(app.notes.length, 1)), write: String},
  noinline: {otherwise: false, isStep: true, read: readFlag, write: writeFlag},
  own: {otherwise: false, isStep: true, read: readFlag, write: writeFlag},
  merge: {otherwise: null, isStep: true, read: (text, model) => readNumbers(text, model.frames), write: (list) => list.join(".")},
  group: {...choiceOf("none", "process", "thread", "file"), isStep: true},
  reversed: {otherwise: false, read: readFlag, write: writeFlag},
  merged: {otherwise: false, read: readFlag, write: writeFlag},
  upward: {otherwise: false, read: readFlag, write: writeFlag},
  search: {otherwise: "", read: (text) => text.length <= QUERY_MAX ? text : null, write: (text) => text},
  colours: choiceOf("auto", "kind", "change", "weight"),
  widths: choiceOf("after", "before", "both"),
  sort: choiceOf("default", "self", "total", "name", "file", "kind", "samples", "before", "change", "totalbefore", "totalchange", "verdict"),
  order: choiceOf("total", "self", "name", "kind", "change"),
  upwards: {otherwise: false, read: readFlag, write: writeFlag},
  ascending: {otherwise: false, read: readFlag, write: writeFlag},
  by: choiceOf("thread", "cpu"),
  lane: {otherwise: -1, isStepIn: "stacks", read: (text, model) => readOne(text, model.threads), write: String},
  window: {otherwise: null, read: (text, model) => model.hasTimes ? readSpan(text) : null, write: (span) => span.join("-")},
  column: {otherwise: 0, read: (text) => readOne(text, 1e13), write: String},
};

function initialState() {
  return Object.fromEntries(Object.entries(STATE_FIELDS).map(([name, field]) => [name, field.otherwise]));
}

function writeValue(field, value) {
  return value === field.otherwise ? "" : field.write(value);
}

function writeFragment(state) {
  const parts = [];
  for (const [name, field] of Object.entries(STATE_FIELDS)) {
    const text = writeValue(field, state[name]);
    if (text)
      parts.push(`${name}=${encodeURIComponent(text)}`);
  }
  return parts.join("&");
}

function decodeText(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return null; // invalid encoding
  }
}

// Return {state, wrong: descriptions of invalid parts}.
function readFragment(fragment, model) {
  const state = initialState(), wrong = [];
  for (const part of fragment.replace(/^#/, "").split("&").filter((one) => one)) {
    const [name, ...rest] = part.split("="), isKnown = Object.hasOwn(STATE_FIELDS, name), text = decodeText(rest.join("="));
    const value = isKnown && text !== null ? STATE_FIELDS[name].read(text, model) : null;
    if (value !== null)
      state[name] = value;
    else if (wrong.length < WRONG_MAX)
      wrong.push(isKnown ? `no such ${name}: ${shownText(text === null ? rest.join("=") : text, 60)}` : `unknown part of the link: ${shownText(name, 60)}`);
  }
  return {state, wrong};
}

// True if the change from one state to the other should be undone by "back".
function isStep(before, after) {
  return Object.entries(STATE_FIELDS).some(([name, field]) => (field.isStep || field.isStepIn === after.view) && writeValue(field, before[name]) !== writeValue(field, after[name]));
}
