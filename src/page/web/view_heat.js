// SPDX-License-Identifier: BSD-2-Clause
// A heatmap of time within time: each column is a second (or a shorter or longer piece), and goes upwards through it.
// What repeats with the seconds shows as lines. A drag takes the time from one cell to another.

const HEAT_ROWS = 50, HEAT_COLUMNS_MAX = 4000;
const HEAT_PIECES = [1e6, 1e7, 1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12];

// Nanoseconds of one column: what was chosen, or a second, where that makes neither few nor too many columns.
function columnNs(model, state) {
  const length = model.length * model.unitNs, fits = (ns) => length / ns <= HEAT_COLUMNS_MAX && ns >= model.unitNs;
  if (state.column && fits(state.column))
    return state.column;
  if (length >= 6e10 && length / 1e9 <= 1200)
    return 1e9;
  return HEAT_PIECES.find((ns) => fits(ns) && length / ns <= 400) || length || 1;
}

function binHeat(model, state, recording) {
  const piece = columnNs(model, state) / model.unitNs, columns = Math.max(1, Math.ceil((model.length + 1) / piece));
  const filter = makeFilter(model, state, app.selected, true), cells = new Float64Array(columns * HEAT_ROWS);
  const {sample_time: time, sample_weight: weight} = model.columns, [start, end] = samplesOf(model, recording);
  let most = 0;
  for (let i = start; i < end; i++) {
    if (!filter.passes(i, recording))
      continue;
    const column = Math.min(columns - 1, Math.floor(time[i] / piece));
    const row = Math.min(HEAT_ROWS - 1, Math.max(0, Math.floor((time[i] / piece - column) * HEAT_ROWS)));
    const cell = column * HEAT_ROWS + row;
    cells[cell] += weight[i];
    most = Math.max(most, cells[cell]);
  }
  return {piece, columns, cells, most};
}

function paintHeatSpan(context, view, span) {
  const {heat, cellWidth, cellHeight} = view, step = heat.piece / HEAT_ROWS;
  context.strokeStyle = theme().spanEdge;
  context.fillStyle = theme().span;
  const first = Math.max(0, Math.floor(span[0] / step)), last = Math.min(heat.cells.length - 1, Math.ceil(span[1] / step) - 1);
  for (let column = Math.floor(first / HEAT_ROWS); column <= Math.floor(last / HEAT_ROWS); column++) {
    const from = Math.max(first - column * HEAT_ROWS, 0), to = Math.min(last - column * HEAT_ROWS, HEAT_ROWS - 1);
    const box = [column * cellWidth, (HEAT_ROWS - 1 - to) * cellHeight, cellWidth, (to - from + 1) * cellHeight];
    context.fillRect(...box);
    context.strokeRect(box[0] + 0.5, box[1] + 0.5, Math.max(box[2] - 1, 0.5), Math.max(box[3] - 1, 0.5));
  }
}

function paintHeat(view) {
  const {heat, box, canvas} = view, width = box.clientWidth, height = Math.max(box.clientHeight, 60);
  const context = fitCanvas(canvas, width, height), colours = theme();
  view.cellWidth = Math.min(40, width / heat.columns);
  view.cellHeight = (height - SCALE_HEIGHT - 4) / HEAT_ROWS;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  context.fillStyle = colours.strip;
  context.fillRect(0, 0, heat.columns * view.cellWidth, HEAT_ROWS * view.cellHeight);
  for (let i = 0; i < heat.cells.length; i++) {
    if (!heat.cells[i])
      continue;
    context.fillStyle = heatColour(heat.cells[i] / heat.most);
    context.fillRect(Math.floor(i / HEAT_ROWS) * view.cellWidth, (HEAT_ROWS - 1 - i % HEAT_ROWS) * view.cellHeight,
      Math.max(view.cellWidth - (view.cellWidth > 4 ? 0.5 : 0), 0.5), Math.max(view.cellHeight - (view.cellHeight > 4 ? 0.5 : 0), 0.5));
  }
  context.fillStyle = colours.faint;
  context.font = "11px system-ui, sans-serif";
  const pieceNs = heat.piece * app.model.unitNs, step = Math.max(1, Math.ceil(70 / view.cellWidth));
  for (let column = 0; column < heat.columns; column += step)
    context.fillText(`${formatSeconds(column * pieceNs, pieceNs)} s`, column * view.cellWidth + 2, height - 5);
  const span = view.drag || app.state.span;
  if (span)
    paintHeatSpan(context, view, span);
}

// [from, to) of the cell at the pointer, in steps of time.
function heatCellAt(view, event) {
  const area = view.canvas.getBoundingClientRect(), {heat} = view;
  const column = Math.max(0, Math.min(heat.columns - 1, Math.floor((event.clientX - area.left) / view.cellWidth)));
  const row = HEAT_ROWS - 1 - Math.max(0, Math.min(HEAT_ROWS - 1, Math.floor((event.clientY - area.top) / view.cellHeight)));
  const from = column * heat.piece + row * heat.piece / HEAT_ROWS;
  return {from, to: from + heat.piece / HEAT_ROWS, weight: heat.cells[column * HEAT_ROWS + row]};
}

function dragHeat(view, event) {
  const start = heatCellAt(view, event);
  const span = (next) => [Math.min(start.from, next.from), Math.max(start.to, next.to)];
  const move = (next) => {
    view.drag = span(heatCellAt(view, next));
    paintHeat(view);
  };
  const end = (next) => {
    window.removeEventListener("mousemove", move);
    window.removeEventListener("mouseup", end);
    view.drag = null;
    takeSpan(...span(heatCellAt(view, next)));
  };
  window.addEventListener("mousemove", move);
  window.addEventListener("mouseup", end);
}

function heatPieceText(ns) {
  return ns >= 1e9 ? `${formatCount(ns / 1e9)} s` : `${formatCount(ns / 1e6)} ms`;
}

function makeHeatView() {
  const canvas = make("canvas", {"aria-hidden": "true"}), box = make("div", {class: "heat", role: "img", tabIndex: 0,
    "aria-label": "Heatmap of samples; the strip above takes spans by the keyboard"}, canvas);
  const view = {box, canvas, heat: null, drag: null, key: ""};
  canvas.addEventListener("mousedown", (event) => {
    if (event.button === 0)
      dragHeat(view, event);
  });
  canvas.addEventListener("mousemove", (event) => {
    const cell = heatCellAt(view, event), {unitNs} = app.model, {unit} = app.model.meta.events[app.state.event];
    const text = (time) => formatSeconds(time * unitNs, view.heat.piece * unitNs / HEAT_ROWS);
    showTip([`${text(cell.from)} to ${text(cell.to)} s`, formatWeight(cell.weight, unit)], event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", hideTip);
  const choice = makeChoice("A column is", [["0", "chosen by length"], ...HEAT_PIECES.map((ns) => [String(ns), heatPieceText(ns)])],
    () => String(app.state.column), (column) => go({column: Number(column)}));
  const bar = make("div", {class: "bar"}, choice, make("span", {class: "hint"}, "Time goes upwards in a column, then to the next one. Drag: a span."));
  const none = make("p", {class: "empty"}, "There are no times in this recording.");
  return {
    element: make("div", {class: "view fills"}, bar, none, box),
    focus: () => box.focus(),
    draw() {
      const {model, state} = app, key = `${selectionKey(state, true)} ${state.column}`;
      syncAll(bar);
      none.hidden = model.hasTimes;
      box.hidden = !none.hidden;
      if (box.hidden)
        return;
      if (view.key !== key)
        Object.assign(view, {key, heat: binHeat(model, state, model.current)});
      paintHeat(view);
    },
  };
}
