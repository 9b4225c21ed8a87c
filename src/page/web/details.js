// SPDX-License-Identifier: BSD-2-Clause
// Details of a cell or function: in the tooltip, in the line below the view, in a dialog with full names, and for
// screen readers.

const WHOLE_MAX = 1000; // characters of a full name in the tooltip and below the view

function say(text) {
  setText(byId("status"), text);
}

// Return the lines of text that describe a cell.
function describeCell(tree, cell) {
  const {model} = tree, event = model.meta.events[app.state.event], {current, base} = tree.wholes;
  const lines = [cellName(tree, cell)];
  if (cell.frame >= 0 && cell.frame < app.base.frames) {
    const whole = shownText(frameWholeName(model, cell.frame), WHOLE_MAX);
    if (whole !== lines[0])
      lines.push(whole);
    const file = shownText(frameFile(model, cell.frame));
    lines.push(`${KINDS[frameKind(model, cell.frame)]}${file ? `, ${file}` : ""}`);
  }
  lines.push(`${formatShare(cell.total, current)}: ${formatMeasure(cell.total, event)}` + (cell.self ? `, self ${formatWeight(cell.self, event.unit)}` : ""));
  if (tree.hasBase) {
    const before = base ? cell.base / base : 0, after = current ? cell.total / current : 0;
    lines.push(`before ${formatShare(cell.base, base)}, after ${formatShare(cell.total, current)}: ${formatChange(before, after)} points` +
      (showsChange(app.state) === "weight" ? `; ${weightsOf(cell)}` : ""));
    if (verdictOf(cell.frame))
      lines.push(`verdict on self: ${verdictOf(cell.frame)}`);
  }
  return lines;
}

function showTip(lines, x, y) {
  const tip = byId("tip");
  tip.replaceChildren(...lines.map((line, i) => make(i ? "div" : "strong", {}, line)));
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = `${Math.max(0, Math.min(x + 14, window.innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height < window.innerHeight ? y + 18 : Math.max(0, y - height - 12)}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

// Show the full names in a dialog, escaped and wrapped.
function showWhole(frame) {
  const {model} = app;
  if (frame < 0)
    return;
  const rows = [["function", frameWholeName(model, frame)], ["kind", KINDS[frameKind(model, frame)]],
    ["file", escapeText(model.strings.whole(model.columns.frame_file[frame]))]];
  const list = make("dl", {});
  for (const [name, text] of rows)
    list.append(make("dt", {}, name), make("dd", {class: "whole", tabIndex: 0}, text || "unknown"));
  showDialog("Full names", list);
}

// Select the function at the cursor for the keys s, a, w and the buttons; it is remembered for each view. `pick()` returns {tree, cell} of the view's cursor, or
// null; it is called again when the selection changes.
function selectFrame(at, pick) {
  const frame = at < app.base.frames ? at : -1;
  app.shown.picked = {frame, pick: pick || null};
  Object.assign(app, {...app.shown.picked, pickedIn: app.shown});
  drawDetails();
}

// Return the cell at the cursor of the current view, if it still shows the selected function.
function pickedCell() {
  const picked = app.pick && app.pickedIn === app.shown ? app.pick() : null;
  return picked && picked.cell && picked.cell.frame === app.frame ? picked : null;
}

// Return a function in the form of a cell, with its sums over the whole selection.
function functionCell(frame) {
  const {model, weights} = app, {current, base} = functionsOf(model, weights);
  return {tree: {model, hasBase: model.hasBase, wholes: {current: weights.current.whole, base: base && weights.base.whole}},
    cell: {frame, total: current.total[frame], self: current.self[frame], base: base ? base.total[frame] : 0}};
}

// Draw the line below the view for the current selection.
function drawDetails() {
  const {frame} = app;
  byId("details").hidden = frame < 0;
  if (frame < 0)
    return;
  const {tree, cell} = pickedCell() || functionCell(frame);
  setText(byId("details-text"), describeCell(tree, cell).join(" \u00b7 "));
  byId("details-source").hidden = findNote(frame).note < 0;
}

function makeDetails() {
  const act = (label, title, act, id) => makeButton(label, title, act, {id});
  return make("div", {id: "details", hidden: true},
    make("span", {id: "details-text"}),
    act("Callers, callees", "show its callers and callees (s)", () => openSandwich(app.frame)),
    act("Source", "show its instructions and source (a)", () => openNote(app.frame), "details-source"),
    act("Filter by it", "filter by samples with it on the stack (f)", () => onlyFunction(app.frame)),
    act("Copy stack", "copy the stack of the cell, a line for each frame (y)", () => copyStack("\n")),
    act("More", "menu of the function (.)", () => openMenuByKey()),
    act("Full names", "show names and paths in full (w)", () => showWhole(app.frame)));
}

// Return the word of a query that selects samples with a function, or with the file of unnamed code.
function functionQuery(frame) {
  const {columns, strings} = app.model;
  const isNameless = columns.frame_flags[frame] & FLAG_NAMELESS;
  const whole = strings.text(columns.frame_name[frame]), isLong = whole.length > WHOLE_MAX;
  const name = isNameless ? frameFile(app.model, frame) : isLong ? strings.text(shortId(app.model, frame)) : whole;
  return name ? quoteName(isNameless ? "dso" : "sym", name) : "";
}

function onlyFunction(frame) {
  if (frame >= 0)
    addQuery(functionQuery(frame));
}

function onlyFile(frame) {
  const file = frame >= 0 ? frameFile(app.model, frame) : "";
  if (file)
    addQuery(quoteName("dso", file));
}

// Add a word to the query.
function addQuery(word) {
  const query = `${app.state.query} ${word}`.trim();
  if (word.length > 1 && query.length <= QUERY_MAX)
    go({query});
}
