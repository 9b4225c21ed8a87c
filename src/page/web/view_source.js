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

// Describe where the code of an inlined function is, and which other functions contain it.
function tellHosts() {
  const {model, noteFor, notes} = app;
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

function openNote(frame) {
  const found = frame >= 0 ? findNote(frame) : {note: -1, hosts: []};
  if (found.note >= 0) {
    app.noteFor = {frame, ...found};
    go({view: "source", ...choice(frame), note: found.note});
  } else if (frame >= 0) {
    say(`${frameName(app.model, frame)}: the page does not contain its source`);
  }
}

function numberOf(value) {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function noteRow(weight, whole, most, ...texts) {
  const row = make("tr", {}, make("td", {class: "number"}, weight ? shareCell(weight, whole) : ""));
  for (const [kind, text] of texts)
    row.append(make("td", {class: kind}, text));
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
  return noteTable("Instructions", ["Share", "Address", "Instruction", "Line"], rows.map((row) => noteRow(numberOf(row.weight), whole, most,
    ["address", shownText(String(row.addr || ""), 40)], ["code", shownText(String(row.text || ""), 300)], ["number", lineLink(note, row)])));
}

// Make a link from an instruction to its source line, if the page has the text.
function lineLink(note, row) {
  const source = isList(note.sources)[row.source === undefined ? 0 : row.source], line = numberOf(row.line);
  if (!line)
    return "";
  if (!source || line < source.first || line >= source.first + isList(source.lines).length)
    return String(line);
  return makeButton(String(line), "go to the source line", () => {
    markLine(note, isList(note.sources).indexOf(source), line);
  }, {class: "link"});
}

// Mark a source line, and scroll it into view.
function markLine(note, index, line) {
  const source = isList(note.sources)[index], section = app.panel.querySelectorAll(".pane section")[index];
  const there = section && section.querySelectorAll("tbody tr")[line - source.first];
  for (const old of app.panel.querySelectorAll("tr.chosen"))
    old.classList.remove("chosen");
  if (there) {
    there.classList.add("chosen");
    there.scrollIntoView({block: "center"});
    say(there.textContent);
  }
}

function sourceTable(source, whole) {
  const lines = isList(source.lines).slice(0, NOTE_ROWS_MAX), weights = isList(source.weights), first = numberOf(source.first) || 1;
  const most = weights.reduce((sum, weight) => Math.max(sum, numberOf(weight)), 0);
  const text = (line) => String(line).slice(0, 2000).replace(/\t/g, "        ");
  return make("section", {}, make("h3", {class: "whole"}, shownText(String(source.file || ""))),
    noteTable("Source", ["Share", "Line", "Source"], lines.map((line, i) => noteRow(numberOf(weights[i]), whole, most,
      ["number", String(first + i)], ["code", escapeText(text(line))]))));
}

function drawNote(body, note) {
  const whole = numberOf(note.weight);
  const sources = isList(note.sources);
  body.replaceChildren(
    make("div", {class: "pane", tabIndex: 0, role: "group", "aria-label": "Source"}, ...(sources.length ? sources.map((source) => sourceTable(source, whole))
      : [make("p", {class: "empty"}, "Its source was not found when the page was written.")])),
    make("div", {class: "pane", tabIndex: 0, role: "group", "aria-label": "Instructions"}, instructionTable(note, whole)));
  for (const pane of body.children) {
    const heaviest = pane.querySelector(".heaviest");
    if (heaviest)
      pane.scrollTop = Math.max(0, heaviest.offsetTop - pane.clientHeight / 3);
  }
}

function makeSourceView() {
  const body = make("div", {class: "panes"}), none = make("p", {class: "empty"},
    "The page contains no instructions or source. To include those of the top functions, use tally report --html FILE --html-source.");
  const text = (note) => `${frameName(app.model, note.frame, 90)} (${countOf(numberOf(note.samples), "sample")})`;
  const choice = makeChoice("Function", app.notes.map((note, i) => [String(i), text(note)]), () => String(shownNote()), (note) => go({note: Number(note)}));
  const hint = make("span", {class: "hint told"}, "Refers to the whole recording: not affected by spans, threads and queries.");
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
        markLine(app.notes[note], app.wantedLine.source, app.wantedLine.line);
      app.wantedLine = null;
    },
  };
}
