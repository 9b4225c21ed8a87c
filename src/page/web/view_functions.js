// SPDX-License-Identifier: BSD-2-Clause
// All functions of the selection, with self and total.

function shareOf(part, whole) {
  return whole > 0 ? part / whole : 0;
}

// Return the column that the functions are sorted by: changes are what matters of two recordings.
function functionSort() {
  const {sort} = app.state;
  return sort !== "default" ? sort : app.model.hasBase ? "change" : "self";
}

const TEXT_COLUMNS = new Set(["name", "file", "kind", "verdict"]);

// Return the sort value of a column, a number or text, as a function of the frame.
function functionValues(name) {
  const {current, base} = functionsOf(app.model, app.weights), {model} = app;
  const change = (kind) => (frame) => {
    const [before, after] = sharesOf(kind, frame);
    return Math.abs(after - before);
  };
  const values = {
    name: (frame) => frameName(model, frame), file: (frame) => baseName(frameFile(model, frame)), kind: (frame) => KINDS[frameKind(model, frame)], verdict: verdictOf,
    ...(base ? {before: (frame) => base.self[frame], totalbefore: (frame) => base.total[frame], change: change("self"), totalchange: change("total")} : {}),
  };
  return values[name] || ((frame) => (current[name] || current.self)[frame]);
}

// Without callers total equals self, so the total columns are omitted.
function functionColumns() {
  const {hasBase} = app.model, hasTotal = !chainsOf(app.model).isFlat, number = (name, title, more = "") => ({name, title, class: `number ${more}`});
  const columns = hasBase
    ? [number("before", "Self before", "slim wide"), number("self", "Self after", hasVerdicts() ? "slim wide" : "slim"), number("change", "Change", "diverge"), hasTotal && number("total", "Total", "slim wide"), hasTotal && number("totalchange", "Total change", "slim wide")]
    : [number("self", "Self"), hasTotal && number("total", "Total"), number("samples", "Samples", "wide")];
  if (hasBase && hasVerdicts())
    columns.push({name: "verdict", title: window.innerWidth > NARROW_WINDOW ? "Verdict" : "Sign", class: "verdict"});
  return [...columns.filter((column) => column), {name: "name", title: "Function", class: "name"}, {name: "kind", title: "Kind", class: `kind wide${hasBase ? " roomy" : ""}`}, {name: "file", title: "File", class: `file wide${hasBase ? " roomy" : ""}`}];
}

// Return the frames that have weight in either recording and are marked by the search, if any.
function sortedFunctions() {
  const {current, base} = functionsOf(app.model, app.weights), {found, state} = app, frames = [];
  for (let frame = 0; frame < app.model.frames; frame++) {
    if ((current.total[frame] > 0 || (base && base.total[frame] > 0)) && (!found || found[frame]))
      frames.push(frame);
  }
  const value = functionValues(functionSort()), isText = TEXT_COLUMNS.has(functionSort()), values = new Map(frames.map((frame) => [frame, value(frame)]));
  const compare = isText ? (a, b) => compareTexts(values.get(a), values.get(b)) || a - b : (a, b) => values.get(b) - values.get(a) || a - b;
  const sign = state.ascending !== isText ? -1 : 1; // texts ascend from A to Z, numbers from the smallest
  return frames.sort((a, b) => sign * compare(a, b));
}

function functionCells(frame, letters) {
  const {model, weights} = app, {current, base} = functionsOf(model, weights), {whole} = weights.current;
  const file = frameFile(model, frame), kind = frameKind(model, frame);
  const cells = {
    self: () => shareCell(current.self[frame], whole), total: () => shareCell(current.total[frame], whole),
    before: () => formatShare(base.self[frame], weights.base.whole), change: () => changeBar(...sharesOf("self", frame), mostChange()),
    totalchange: () => make("span", {class: changeClass(...sharesOf("total", frame))}, formatChange(...sharesOf("total", frame))),
    samples: () => formatCount(current.samples[frame]), verdict: () => verdictCell(verdictOf(frame)),
    name: () => make("span", {}, functionMark(model, frame), frameName(model, frame, letters), ...(window.innerWidth <= NARROW_WINDOW ? fileHint(frame, letters) : [])),
    kind: () => KINDS[kind], file: () => shownText(baseName(file), 80),
  };
  return functionColumns().map((column) => cells[column.name]());
}

function makeFunctionsView() {
  let frames = [], key = "", isNew = false;
  // Sort the functions again if the selection or the order changed.
  const refresh = () => {
    const {state, weights} = app, now = `${state.sort} ${state.ascending} ${state.search}`;
    if (key === now && rows.weights === weights)
      return;
    frames = sortedFunctions();
    [key, rows.weights, isNew] = [now, weights, true];
  };
  const sort = (name) => {
    const isText = TEXT_COLUMNS.has(name), {state} = app;
    go({sort: name, ascending: functionSort() === name ? !state.ascending : isText});
  };
  const rows = makeRows({
    label: "Functions", columns: functionColumns, count: () => frames.length, cells: (i, letters) => functionCells(frames[i], letters),
    select: (i) => selectFrame(frames[i]), choose: (i) => go(choice(frames[i])), frame: (i) => frames[i], enter: (i) => openSandwich(frames[i]),
    sort, sorted: () => [functionSort(), app.state.ascending],
  });
  const caption = make("p", {class: "caption"});
  return {
    element: make("div", {class: "view fills"}, caption, rows.box),
    focus: () => rows.box.focus(),
    * prepare() {
      functionsOf(app.model, app.weights);
      yield;
      refresh();
    },
    draw() {
      refresh();
      const isNarrow = window.innerWidth <= NARROW_WINDOW, signs = isNarrow && hasVerdicts() ? ` Signs: ${signLegend()}.` : "";
      setText(caption, `${countOf(frames.length, "function")}${app.found ? " found" : ""}; ${selectionSums()}${shareOfAll()}; ${wholeText()}${inlineNote()}.${isNarrow ? signs : " Press Enter or double-click for callers and callees."}`);
      resetRows(rows, !isNew);
      isNew = false;
    },
  };
}
