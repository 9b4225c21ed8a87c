// SPDX-License-Identifier: BSD-2-Clause
// Completion of the query: names of fields, then names of functions, files and threads, the heaviest first. Functions
// have their short names, which queries find as well.

const COMPLETIONS_MAX = 10, COMPLETION_LETTERS = 70, COMPLETION_LETTER = 8.7, COMPLETION_MARGIN = 44; // letters; pixels, as in page.css

function sortedByWeight(ids, weights, nameOf) {
  const sums = new Map();
  ids.forEach((id, i) => sums.set(id, (sums.get(id) || 0) + weights[i]));
  return [...sums].filter(([id, sum]) => id && sum > 0).sort((a, b) => b[1] - a[1]).map(([id]) => nameOf(id));
}

// Return [{text, whole}] of all functions, the heaviest first. `whole` is searched, too.
function functionValuesOf(sums) {
  const {model} = app, {strings, columns} = model, frames = Uint32Array.from(sums.keys()).filter((frame) => sums[frame] > 0 && columns.frame_name[frame]);
  return Array.from(frames.sort((a, b) => sums[b] - sums[a]), (frame) => ({text: strings.text(shortId(model, frame)), whole: strings.text(columns.frame_name[frame])}));
}

function distinctValues(values) {
  return [...new Map(values.map((value) => [value.text, value])).values()];
}

// Return the values of a field as {text, whole?}, the heaviest first; computed once for each selection.
function fieldValues(field) {
  const {model, weights, base} = app, {columns, strings} = model, kept = app.completions;
  if (kept.weights !== weights)
    app.completions = {weights};
  const {current} = functionsOf(model, weights), isSelf = field.startsWith("self-"), text = (id) => strings.text(id), values = app.completions;
  const threads = (ids, nameOf) => sortedByWeight(ids, threadWeights(base.current), nameOf).map((text) => ({text}));
  const makers = {
    sym: () => functionValuesOf(isSelf ? current.self : current.total),
    dso: () => sortedByWeight(columns.frame_file, isSelf ? current.self : current.total, text).map((path) => ({text: baseName(path), whole: path})),
    comm: () => threads(columns.thread_name, text),
    tid: () => threads(columns.thread_tid, (tid) => String(tid - 1)),
    pid: () => threads(columns.thread_pid, (pid) => String(pid - 1)),
  };
  const build = makers[field.replace("self-", "")];
  if (build && !values[field])
    values[field] = distinctValues(build());
  return values[field] || [];
}

// Return the word before the caret: {start, sign, field, value}.
function wordAtCaret(text, caret) {
  const start = text.slice(0, caret).search(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)*$/), word = text.slice(start, caret), sign = /^[-!]?/.exec(word)[0];
  const found = /^([a-z-]+):(?!:)/.exec(word.slice(sign.length)), field = found && Object.hasOwn(QUERY_FIELDS, found[1]) ? found[1] : "";
  return {start, sign, field, value: word.slice(sign.length + (field ? field.length + 1 : 0)).replace(/^={0,2}"?/, "")};
}

// Write a value as a word of the query.
function queryWord(field, value) {
  if (QUERY_FIELDS[field] === "numbers")
    return `${field}:${value}`;
  return /^[\w.@+~:-][\w.@+~:/-]*$/.test(value) ? `${field}:=${value}` : `${field}:="${value.replace(/["\\]/g, "\\$&")}"`;
}

// Return how well a value matches: 0 if a name begins with the wanted text, 1 if one of its scopes does, 2 if it contains
// the text, 3 if it does not.
function matchRank(value, wanted) {
  let rank = 3;
  for (const name of value.lower || (value.lower = [value.text, value.whole || ""].map((name) => name.toLowerCase()))) {
    const at = name.indexOf(wanted);
    if (at >= 0)
      rank = Math.min(rank, at === 0 ? 0 : name.includes(`::${wanted}`) ? 1 : 2);
  }
  return rank;
}

// Return the values to offer, the best matches first, and those that match equally well in their order.
function bestValues(values, wanted) {
  const ranks = [[], [], [], []];
  for (let i = 0; i < values.length && ranks[0].length <= COMPLETIONS_MAX; i++) {
    if (values[i].text.length < QUERY_MAX / 4)
      ranks[matchRank(values[i], wanted)].push(values[i]);
  }
  return ranks.slice(0, 3).flat().slice(0, COMPLETIONS_MAX + 1); // one of them may be written already
}

// Return [{text: to show, word: to insert, isDone}] for the word at the caret.
function completionsOf(text, caret) {
  const {start, sign, field, value} = wordAtCaret(text, caret), wanted = value.toLowerCase(), list = [];
  if (!field)
    list.push(...Object.keys(QUERY_FIELDS).filter((name) => name.startsWith(wanted)).map((name) => ({text: `${name}:`, word: `${name}:`, isDone: false})));
  if (field || wanted.length > 1) {
    const of = field || "sym", written = text.slice(start + sign.length, caret);
    for (const {text: name} of bestValues(fieldValues(of), wanted)) {
      if (queryWord(of, name) !== written)
        list.push({text: name, word: queryWord(of, name), isDone: true});
    }
  }
  return list.slice(0, COMPLETIONS_MAX).map((one) => ({...one, start, sign}));
}

// Return the number of characters of a completion that fit into the window.
function completionLetters() {
  return Math.max(12, Math.min(COMPLETION_LETTERS, Math.floor((0.9 * window.innerWidth - COMPLETION_MARGIN) / COMPLETION_LETTER)));
}

function drawCompletions(box) {
  const {input, list, items, at} = box, letters = completionLetters();
  list.hidden = !items.length;
  input.setAttribute("aria-expanded", String(items.length > 0));
  list.replaceChildren(...items.map((item, i) => make("div", {role: "option", id: `completion-${i}`, class: i === at ? "chosen" : null, title: escapeText(item.text).slice(0, WHOLE_MAX), "aria-selected": String(i === at),
    onmousedown: (event) => {
      event.preventDefault();
      takeCompletion(box, i);
    }}, item.isDone ? foldName(escapeText(item.text), letters) : item.text)));
  if (at >= 0)
    input.setAttribute("aria-activedescendant", `completion-${at}`);
  else
    input.removeAttribute("aria-activedescendant");
}

function takeCompletion(box, i) {
  const {input, items} = box, {start, sign, word, isDone} = items[i], after = input.value.slice(input.selectionStart);
  const before = input.value.slice(0, start) + sign + word + (isDone ? " " : "");
  input.value = before + after.trimStart();
  input.setSelectionRange(before.length, before.length);
  refreshCompletions(box);
}

function refreshCompletions(box) {
  const {input} = box;
  Object.assign(box, {items: completionsOf(input.value, input.selectionStart), at: -1});
  drawCompletions(box);
}

function closeCompletions(box) {
  Object.assign(box, {items: [], at: -1});
  drawCompletions(box);
}

function completionKey(box, event) {
  const {items, at} = box, step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!items.length)
    return;
  if (step)
    box.at = (at + step + items.length + (at < 0 && step < 0 ? 1 : 0)) % items.length;
  else if (event.key === "Tab" || (event.key === "Enter" && at >= 0))
    return takeAtCursor(box, event);
  else if (event.key === "Enter" || event.key === "Escape")
    return closeCompletions(box);
  else
    return;
  event.preventDefault();
  drawCompletions(box);
}

function takeAtCursor(box, event) {
  event.preventDefault();
  event.stopImmediatePropagation();
  takeCompletion(box, Math.max(box.at, 0));
}

// Add completion to a field. Returns the element that contains both.
function withCompletions(input) {
  const list = make("div", {id: "completions", role: "listbox", "aria-label": "Completions", hidden: true}), box = {input, list, items: [], at: -1};
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-controls", "completions");
  input.setAttribute("aria-expanded", "false");
  input.addEventListener("input", () => refreshCompletions(box));
  input.addEventListener("keydown", (event) => completionKey(box, event), {capture: true});
  input.addEventListener("blur", () => closeCompletions(box));
  return make("div", {class: "completed"}, input, list);
}
