// SPDX-License-Identifier: BSD-2-Clause
// Instructions and source of the functions for which the page contains them. The numbers refer to the whole recording,
// regardless of span, threads and query.

const NOTE_ROWS_MAX = 20000;

function isList(value) {
  return Array.isArray(value) ? value : [];
}

function readNotes(model) {
  const bytes = model.columns.annotations;
  if (!bytes || !bytes.length)
    return [];
  try {
    const notes = isList(JSON.parse(new TextDecoder().decode(bytes)));
    const isNote = (note) => isRecord(note) && Number.isSafeInteger(note.frame) && note.frame >= 0 && note.frame < model.frames;
    return notes.filter((note) => isNote(note) && isList(note.sources).every(isRecord));
  } catch (error) {
    return [];
  }
}

// Return [node, weight] pairs of a cell, or of a function in the whole selection.
function weightsOfNodes(picked, frame) {
  const {model, weights} = app, {total} = weights.current;
  if (picked && picked.cell.at && picked.cell.at !== picked.cell.leaf && picked.cell.depth)
    return picked.cell.at.map((node, i) => [node, picked.tree.leafWeight[picked.cell.leaf[i]]]);
  const list = picked && (picked.cell.node ? [picked.cell.node] : picked.cell.nodes || picked.cell.leaf), nodes = [];
  for (let i = 0; i < (list ? list.length : model.nodes); i++) {
    const node = list ? list[i] : i;
    if (node && model.frame[node] === frame)
      nodes.push([node, total[node]]);
  }
  return nodes;
}

// Return the functions that contain the code of a frame, heaviest first. For an inlined function these are the
// functions it was inlined into.
function hostsOf(picked, frame) {
  const {model} = app, flags = model.columns.frame_flags, sums = new Map();
  for (const [node, weight] of weightsOfNodes(picked, frame)) {
    let at = node;
    while (at && flags[model.frame[at]] & FLAG_INLINED)
      at = model.parent[at];
    if (at)
      sums.set(model.frame[at], (sums.get(model.frame[at]) || 0) + weight);
  }
  return [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a) || a - b);
}

// Return {note, hosts}: the index of the note with the code of a frame, or -1, and the functions that contain the code.
function findNote(frame) {
  const {model, notes} = app, noteAt = (at) => notes.findIndex((note) => note.frame === at), own = noteAt(frame);
  if (own >= 0 || !notes.length || !(model.columns.frame_flags[frame] & FLAG_INLINED))
    return {note: own, hosts: []};
  const hosts = hostsOf(pickedCell(), frame), known = hosts.map(noteAt).find((note) => note >= 0);
  return {note: known === undefined ? -1 : known, hosts};
}

// Describe where the code of an inlined function is, and which other functions contain it; or say that the code of the
// chosen function is missing.
function tellHosts() {
  const {model, notes, state} = app, isChosen = state.note < 0 && state.pivot >= 0;
  const noteFor = isChosen ? {frame: state.pivot, ...findNote(state.pivot)} : app.noteFor;
  if (isChosen && noteFor.note < 0)
    return missingCode(state.pivot);
  if (!noteFor || noteFor.note !== shownNote() || !noteFor.hosts.length)
    return "";
  const name = (frame) => frameName(model, frame, 60), host = notes[shownNote()].frame;
  const others = hostsOf(null, noteFor.frame).filter((frame) => frame !== host);
  const more = others.length > 5 ? ` and ${others.length - 5} more` : "";
  return `${name(noteFor.frame)} is inlined here into ${name(host)}` +
    (others.length ? `, elsewhere into ${others.slice(0, 5).map(name).join(", ")}${more}.` : ".");
}

// Return the note to show: the one asked for, that of the chosen function, or the first, which is the heaviest.
function shownNote() {
  const {state, notes} = app, of = state.note < 0 && state.pivot >= 0 ? findNote(state.pivot).note : -1;
  return state.note >= 0 && state.note < notes.length ? state.note : Math.max(of, 0);
}

const NO_CODE = "The page contains no instructions or source. To include those of the top functions, use tally report --html FILE --html-source.";

// Say why the page has no code for a function, and how to get it.
function missingCode(frame) {
  const {notes, model} = app, name = frameName(model, frame, 60);
  if (!notes.length)
    return NO_CODE;
  if (model.columns.frame_flags[frame] & (FLAG_NAMELESS | FLAG_CUT))
    return `${name} has no name, so the page has no code for it.`;
  const of = notes.length > 1 ? `the ${notes.length} functions` : "the function";
  return `The page contains the code of ${of} with the largest self, but not of ${name}. tally annotate shows it.`;
}

function openNote(frame) {
  const found = frame >= 0 ? findNote(frame) : {note: -1, hosts: []};
  if (found.note >= 0) {
    app.noteFor = {frame, ...found};
    go({view: "source", ...choice(frame), note: found.note});
  } else if (frame >= 0) {
    notify(missingCode(frame));
  }
}

function numberOf(value) {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function noteRow(weight, whole, most, ...texts) {
  const row = make("tr", {}, make("td", {class: "number"}, weight ? shareCell(weight, whole) : ""));
  for (const [kind, text] of texts)
    row.append(make("td", {class: kind}, text));
  if (weight)
    row.dataset.weight = weight;
  if (weight && weight === most)
    row.className = "heaviest";
  return row;
}

function noteTable(label, titles, rows) {
  const head = make("tr", {}, ...titles.map((title) => make("th", {scope: "col"}, title)));
  return make("table", {class: "listing", "aria-label": label}, make("thead", {}, head), make("tbody", {}, ...rows));
}

function instructionTable(note, whole) {
  const rows = isList(note.rows).slice(0, NOTE_ROWS_MAX).filter((row) => row && typeof row === "object");
  const most = rows.reduce((sum, row) => Math.max(sum, numberOf(row.weight)), 0);
  return noteTable("Instructions", ["Share", "Address", "Instruction", "Line"], rows.map((row) => {
    const element = noteRow(numberOf(row.weight), whole, most,
      ["address", shownText(String(row.addr || ""), 40)], ["code", shownText(String(row.text || ""), 300)], ["number", lineLink(note, row)]);
    element.dataset.at = sourceOfRow(note, row) ? `${row.source}:${numberOf(row.line)}` : "";
    return element;
  }));
}

// Make a link from an instruction to its source line, if the line is shown.
function lineLink(note, row) {
  const sources = isList(note.sources), source = sourceOfRow(note, row), line = numberOf(row.line);
  if (!line)
    return "";
  if (!source || !sourceLines(source).numbers.has(line))
    return String(line);
  return makeButton(String(line), "go to the source line", () => markLine(sources.indexOf(source), line), {class: "link"});
}

const TAB = " ".repeat(8);

// Return the file of an instruction's line, if the page has it.
function sourceOfRow(note, row) {
  return Number.isInteger(row.source) ? isList(note.sources)[row.source] : undefined;
}

const linesOfSources = new WeakMap();

// Return {list: [{line, weight, text}], numbers} of a file; without its text only the lines with a cost.
function sourceLines(source) {
  if (!linesOfSources.has(source)) {
    const texts = isList(source.lines).slice(0, NOTE_ROWS_MAX), weights = isList(source.weights).slice(0, NOTE_ROWS_MAX), first = numberOf(source.first) || 1;
    const list = texts.length
      ? texts.map((text, i) => ({line: first + i, weight: numberOf(weights[i]), text: escapeText(String(text).slice(0, 2000).replace(/\t/g, TAB))}))
      : weights.map((weight, i) => ({line: first + i, weight: numberOf(weight), text: ""})).filter(({weight}) => weight);
    linesOfSources.set(source, {list, numbers: new Set(list.map(({line}) => line))});
  }
  return linesOfSources.get(source);
}

// Mark a row, or none, and scroll it into view.
function chooseRow(row) {
  for (const old of app.panel.querySelectorAll("tr.chosen"))
    old.classList.remove("chosen");
  if (row) {
    row.classList.add("chosen");
    row.scrollIntoView({block: "center"});
    say([...row.children].map((cell) => cell.textContent).join(" "));
  }
}

// Mark a source line, or its first instruction if the line is not shown, and scroll it into view.
function markLine(index, line) {
  const section = app.panel.querySelectorAll(".pane section")[index];
  const there = (section && section.querySelector(`tr[data-line="${line}"]`)) || app.panel.querySelector(`tr[data-at="${index}:${line}"]`);
  chooseRow(there);
}

function byWeight(rows) {
  return [...rows].sort((a, b) => b.dataset.weight - a.dataset.weight);
}

// Go to the heaviest instruction, or from there to the next heaviest.
function goHeaviest() {
  const rows = app.state.view === "source" ? app.panel.querySelectorAll("tr[data-at][data-weight]") : [];
  const sorted = byWeight(rows), at = sorted.findIndex((row) => row.classList.contains("chosen"));
  if (sorted.length)
    chooseRow(sorted[(at + 1) % sorted.length]);
}

const NO_TEXT = "The page does not contain the text of this file: it was not found, or not all users may read it, or other files " +
  "of the function are heavier. tally report --html FILE --html-source includes files that only you may read.";

function sourceTable(source, whole) {
  const lines = sourceLines(source).list, most = lines.reduce((sum, {weight}) => Math.max(sum, weight), 0), hasText = isList(source.lines).length > 0;
  const rows = lines.map(({line, weight, text}) => {
    const row = noteRow(weight, whole, most, ["number", String(line)], ["code", text]);
    row.dataset.line = line;
    return row;
  });
  return make("section", {class: hasText ? null : "textless"}, make("h3", {class: "whole"}, shownText(String(source.file || ""))), ...(hasText ? [] : [make("p", {class: "caption"}, NO_TEXT)]),
    noteTable("Source", ["Share", "Line", hasText ? "Source" : ""], rows));
}

function drawNote(body, note) {
  const whole = numberOf(note.weight);
  const sources = isList(note.sources);
  body.replaceChildren(
    make("div", {class: "pane", tabIndex: 0, role: "group", "aria-label": "Source"}, ...(sources.length ? sources.map((source) => sourceTable(source, whole))
      : [make("p", {class: "empty"}, "Its lines are unknown: the program has no line information (-g), or it was not found when the page was written.")])),
    make("div", {class: "pane", tabIndex: 0, role: "group", "aria-label": "Instructions"}, instructionTable(note, whole)));
  for (const pane of body.children) {
    const [heaviest] = byWeight(pane.querySelectorAll("tr[data-weight]"));
    if (heaviest)
      pane.scrollTop = Math.max(0, heaviest.offsetTop - pane.clientHeight / 3);
  }
}

function makeSourceView() {
  const body = make("div", {class: "panes"}), none = make("p", {class: "empty"}, NO_CODE);
  const text = (note) => `${frameName(app.model, note.frame, 90)} (${countOf(numberOf(note.samples), "sample")})`;
  const choice = makeChoice("Function", app.notes.map((note, i) => [String(i), text(note)]), () => String(shownNote()), (note) => go({note: Number(note)}));
  const hint = make("span", {class: "hint told"}, "% of the function in the whole recording: not affected by spans, threads and queries.");
  const told = make("span", {class: "inlined"}), bar = make("div", {class: "bar"}, choice, told, hint);
  let drawn = -1;
  return {
    element: make("div", {class: "view fills"}, bar, none, body),
    focus: () => body.firstElementChild && body.firstElementChild.focus(),
    draw() {
      const note = shownNote();
      none.hidden = app.notes.length > 0;
      bar.hidden = body.hidden = !none.hidden;
      syncAll(bar);
      setText(told, app.notes[note] ? tellHosts() : "");
      if (app.notes[note] && drawn !== note) {
        drawn = note;
        drawNote(body, app.notes[note]);
        selectFrame(app.notes[note].frame);
      }
      if (app.wantedLine && app.notes[note])
        markLine(app.wantedLine.source, app.wantedLine.line);
      app.wantedLine = null;
    },
  };
}
