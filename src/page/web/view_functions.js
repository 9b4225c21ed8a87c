// SPDX-License-Identifier: BSD-2-Clause
// All functions of the selection, with self and total.

function shareOf(part, whole) {
  return whole > 0 ? part / whole : 0;
}

// Return the sort value of a column, a number or text, as a function of the frame.
function functionValues(name) {
  const {current, base} = functionsOf(app.model, app.weights), {model, weights} = app;
  const change = (kind) => current[kind].map((value, frame) =>
    Math.abs(shareOf(value, weights.current.whole) - shareOf(base[kind][frame], weights.base.whole)));
  switch (name) {
  case "name": return (frame) => frameName(model, frame);
  case "file": return (frame) => frameFile(model, frame);
  case "before": return base ? (frame) => base.self[frame] : (frame) => current.self[frame];
  case "change": case "totalchange": {
    const values = base ? change(name === "change" ? "self" : "total") : current.self;
    return (frame) => values[frame];
  }
  default: return (frame) => current[name][frame];
  }
}

// Without callers total equals self, so the total columns are omitted.
function functionColumns() {
  const changes = app.model.hasBase
    ? [{name: "before", title: "Self before", class: "number wide"}, {name: "change", title: "Change", class: "number"},
      {name: "totalchange", title: "Total change", class: "number wide"}] : [];
  return [{name: "self", title: app.model.hasBase ? "Self after" : "Self", class: "number"}, ...changes.slice(0, 2),
    ...(chainsOf(app.model).isFlat ? [] : [{name: "total", title: "Total", class: "number"}, ...changes.slice(2)]), {name: "samples", title: "Samples", class: "number wide"}, {name: "name", title: "Function", class: "name"},
    {name: "file", title: "File", class: "file wide"}];
}

// Return the frames that have weight in either recording and are marked by the search, if any.
function sortedFunctions() {
  const {current, base} = functionsOf(app.model, app.weights), {found, state} = app, frames = [];
  for (let frame = 0; frame < app.model.frames; frame++) {
    if ((current.total[frame] > 0 || (base && base.total[frame] > 0)) && (!found || found[frame]))
      frames.push(frame);
  }
  const value = functionValues(state.sort), isText = state.sort === "name" || state.sort === "file";
  const values = new Map(isText ? frames.map((frame) => [frame, value(frame)]) : []);
  const compare = isText ? (a, b) => compareTexts(values.get(a), values.get(b)) || a - b : (a, b) => value(b) - value(a) || a - b;
  const sign = state.ascending ? -1 : 1;
  return frames.sort((a, b) => sign * compare(a, b));
}

function changeText(kind, frame) {
  const {current, base} = functionsOf(app.model, app.weights), {weights} = app;
  const before = shareOf(base[kind][frame], weights.base.whole), after = shareOf(current[kind][frame], weights.current.whole);
  return make("span", {class: changeClass(before, after)}, formatChange(before, after));
}

function functionCells(frame) {
  const {model, weights} = app, {current, base} = functionsOf(model, weights), {whole} = weights.current;
  const swatch = make("span", {class: "swatch"}), file = frameFile(model, frame);
  swatch.style.background = frameColour(model, frame);
  const cells = {
    self: () => shareCell(current.self[frame], whole), total: () => shareCell(current.total[frame], whole),
    before: () => formatShare(base.self[frame], weights.base.whole), change: () => changeText("self", frame),
    totalchange: () => changeText("total", frame), samples: () => formatCount(current.samples[frame]),
    name: () => make("span", {}, swatch, frameName(model, frame, 110)),
    file: () => shownText(baseName(file), 80),
  };
  return functionColumns().map((column) => cells[column.name]());
}

function makeFunctionsView() {
  let frames = [], key = "";
  const sort = (name) => {
    const isText = name === "name" || name === "file", {state} = app;
    go({sort: name, ascending: state.sort === name ? !state.ascending : isText});
  };
  const rows = makeRows({
    label: "Functions", columns: functionColumns, count: () => frames.length, cells: (i) => functionCells(frames[i]),
    select: (i) => selectFrame(frames[i]), choose: (i) => go(choice(frames[i])), frame: (i) => frames[i], enter: (i) => openSandwich(frames[i]),
    sort, sorted: () => [app.state.sort, app.state.ascending],
  });
  const caption = make("p", {class: "caption"});
  return {
    element: make("div", {class: "view fills"}, caption, rows.box),
    focus: () => rows.box.focus(),
    draw() {
      const {state, weights} = app, now = `${state.sort} ${state.ascending} ${state.search}`;
      const isNew = key !== now || rows.weights !== weights;
      if (isNew)
        frames = sortedFunctions();
      [key, rows.weights] = [now, weights];
      setText(caption, `${countOf(frames.length, "function")}${app.found ? " found" : ""}; ${selectionSums()}${inlineNote()}. Press Enter or double-click for callers and callees.`);
      resetRows(rows, !isNew);
    },
  };
}
