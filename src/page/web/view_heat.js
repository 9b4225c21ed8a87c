// SPDX-License-Identifier: BSD-2-Clause
// A heatmap of time: each column is a second (or another unit), with time going upwards. Events that repeat every
// second appear as horizontal lines. Dragging selects the span between two cells.

const HEAT_ROWS = [50, 40, 25, 20, 10, 5], HEAT_COLUMNS_MAX = 4000, HEAT_SAMPLES = 5; // samples in a cell, on average
const HEAT_SHADES = 64;
const HEAT_PIECES = [1e6, 1e7, 1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12];

// Return the possible lengths of a column in ns: as chosen, or a second if that results in a reasonable number of
// columns.
function columnLengths(model, state) {
  const length = model.length * model.unitNs, fits = (ns) => length / ns <= HEAT_COLUMNS_MAX && ns >= model.unitNs;
  if (state.column && fits(state.column))
    return [state.column];
  const list = length >= 6e10 && length / 1e9 <= 1200 ? [1e9] : HEAT_PIECES.filter((ns) => fits(ns) && length / ns <= 400 && ns <= length);
  return list.length ? list : [length || 1];
}

// Return {piece: length of a column in time steps, columns, rows}: as many cells as have enough samples on average.
function heatShape(model, state, samples) {
  const shapes = [];
  for (const ns of columnLengths(model, state)) {
    const piece = ns / model.unitNs, columns = Math.max(1, Math.ceil((model.length + 1) / piece));
    for (const rows of HEAT_ROWS)
      shapes.push({piece, columns, rows, cells: rows * model.length / piece});
  }
  const full = shapes.filter((shape) => shape.cells * HEAT_SAMPLES <= samples).sort((a, b) => b.cells - a.cells || b.rows - a.rows);
  return full[0] || shapes.sort((a, b) => a.cells - b.cells)[0];
}

function* heatSteps(model, state, recording) {
  const list = yield* passingSteps(state, recording);
  const {piece, columns, rows} = heatShape(model, state, list.length), cells = new Float64Array(columns * rows);
  const {sample_time: time, sample_weight: weight} = model.columns;
  let most = 0;
  yield* inBlocks(list.length, (from, to) => {
    for (let k = from; k < to; k++) {
      const i = list[k], column = Math.min(columns - 1, Math.floor(time[i] / piece));
      const row = Math.min(rows - 1, Math.max(0, Math.floor((time[i] / piece - column) * rows)));
      const cell = column * rows + row;
      cells[cell] += weight[i];
      most = Math.max(most, cells[cell]);
    }
  });
  const least = cells.reduce((found, value) => value ? Math.min(found, value) : found, most);
  return {piece, columns, rows, cells, most, least};
}

// Return [x, width] of a column; x is that of its time in the strip. The last column ends with the recording.
function columnPlace(view, column) {
  const {area, columnWidth} = view, x = area.left + column * columnWidth;
  return [x, Math.max(Math.min(columnWidth, area.left + area.width - x), 1)];
}

function paintHeatSpan(context, view, span) {
  const {heat, cellHeight} = view, {rows} = heat, step = heat.piece / rows;
  context.strokeStyle = theme().spanEdge;
  context.fillStyle = theme().span;
  const first = Math.max(0, Math.floor(span[0] / step)), last = Math.min(heat.cells.length - 1, Math.ceil(span[1] / step) - 1);
  for (let column = Math.floor(first / rows); column <= Math.floor(last / rows); column++) {
    const from = Math.max(first - column * rows, 0), to = Math.min(last - column * rows, rows - 1);
    const [x, width] = columnPlace(view, column), box = [x, (rows - 1 - to) * cellHeight, width, (to - from + 1) * cellHeight];
    context.fillRect(...box);
    context.strokeRect(box[0] + 0.5, box[1] + 0.5, Math.max(box[2] - 1, 0.5), Math.max(box[3] - 1, 0.5));
  }
}

const AXIS_WORDS = 130; // pixels that the words next to an axis and its labels need

// Paint the axes: time within a column at the left, start times of columns at the bottom.
function paintHeatAxes(context, view) {
  const {heat, area, cellHeight} = view, pieceNs = heat.piece * app.model.unitNs, high = heat.rows * cellHeight;
  paintTicks(context, area, high);
  context.fillText(`columns of ${formatNs(pieceNs)}`, 6, high + 12);
  context.textAlign = "right";
  const step = niceStep(pieceNs, Math.max(2, Math.min(10, Math.floor(high / 40))));
  for (let at = 0; at <= pieceNs * 1.001; at += step) {
    const y = high * (1 - at / pieceNs);
    context.fillRect(area.left - 5, Math.min(y, high - 1), 4, 1);
    context.fillText(at ? `+${formatNs(at)}` : "0", area.left - 8, Math.max(10, Math.min(y + 4, high - 2)));
  }
  context.textAlign = "left";
  for (const [i, line] of area.left > AXIS_WORDS ? ["time within", "a column"].entries() : [])
    context.fillText(line, 6, high / 2 + 14 * i);
}

// Return the position of a weight between the smallest nonzero cell (0) and the largest (1).
function heatPart(heat, weight) {
  return heat.most > heat.least ? (weight - heat.least) / (heat.most - heat.least) : 1;
}

function paintHeat(view) {
  const {heat, box, canvas} = view, {rows} = heat, width = box.clientWidth, height = Math.max(box.clientHeight, 60);
  const context = fitCanvas(canvas, width, height), colours = theme();
  view.area = timeArea(SIDE);
  view.columnWidth = view.area.width * heat.piece / Math.max(app.model.length, 1);
  view.cellHeight = (height - SCALE_HEIGHT - 4) / rows;
  const gap = view.columnWidth > 4 && view.cellHeight > 4 ? 0.5 : 0;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  context.fillStyle = colours.strip;
  context.fillRect(view.area.left, 0, view.area.width, rows * view.cellHeight);
  const shades = Array.from({length: HEAT_SHADES + 1}, (_, i) => heatColour(i / HEAT_SHADES));
  for (let i = 0; i < heat.cells.length; i++) {
    if (!heat.cells[i])
      continue;
    const [x, wide] = columnPlace(view, Math.floor(i / rows));
    context.fillStyle = shades[Math.round(heatPart(heat, heat.cells[i]) * HEAT_SHADES)];
    context.fillRect(x, (rows - 1 - i % rows) * view.cellHeight, wide - gap, Math.max(view.cellHeight - gap, 0.5));
  }
  paintHeatAxes(context, view);
  const span = view.drag || app.state.span;
  if (span)
    paintHeatSpan(context, view, span);
  paintHeatCursor(context, view);
}

function heatText(weight, cellNs) {
  const event = currentEvent(), text = formatWeight(weight, event.unit);
  return isCpuTime(event) ? `${text} (${(100 * weight / cellNs).toFixed(0)}%)` : text;
}

function makeHeatLegend(view) {
  const legend = make("div", {class: "legend"});
  legend.sync = () => setChildren(legend, `${view.key} ${themeName()}`, () => {
    const {heat} = view;
    if (!heat || !heat.most)
      return [];
    const parts = heat.most > heat.least ? [0, 0.25, 0.5, 0.75, 1] : [1];
    const cellNs = heat.piece * app.model.unitNs / heat.rows;
    return [`a cell is ${formatNs(cellNs)}${isCpuTime(currentEvent()) ? ' (100% is a CPU)' : ''}:`, legendItem(theme().strip, "nothing"),
      ...parts.map((part) => legendItem(heatColour(part), heatText(heat.least + part * (heat.most - heat.least), cellNs)))];
  });
  return legend;
}

// Return [from, to) of the cell at the pointer in time steps.
function heatCellAt(view, event) {
  const area = view.canvas.getBoundingClientRect(), {heat} = view, {rows} = heat;
  const column = Math.max(0, Math.min(heat.columns - 1, Math.floor((event.clientX - area.left - view.area.left) / view.columnWidth)));
  const row = rows - 1 - Math.max(0, Math.min(rows - 1, Math.floor((event.clientY - area.top) / view.cellHeight)));
  const from = column * heat.piece + row * heat.piece / rows;
  return {from, to: from + heat.piece / rows};
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

// Compute the cells of the current selection if it changed.
function* viewHeatSteps(view) {
  const {model, state} = app, key = `${selectionKey(state, true)} ${state.column}`;
  if (model.hasTimes && view.key !== key)
    Object.assign(view, {heat: yield* heatSteps(model, state, model.current), key});
}

function makeHeatView() {
  const canvas = make("canvas", {"aria-hidden": "true"}), box = make("div", {class: "heat", role: "group", tabIndex: 0,
    "aria-label": "Heatmap of samples: arrow keys go from cell to cell, Space starts and ends a span"}, canvas);
  const view = {box, canvas, heat: null, drag: null, cursor: -1, mark: -1, key: "", area: null};
  canvas.addEventListener("mousedown", (event) => {
    if (event.button === 0)
      dragHeat(view, event);
  });
  canvas.addEventListener("mousemove", (event) => {
    const {from} = heatCellAt(view, event), {piece, rows} = view.heat;
    showTip(heatCellText(view, Math.round(from / piece * rows)), event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", hideTip);
  listenHeatKeys(view);
  const choice = makeChoice("Column length", [["0", "automatic"], ...HEAT_PIECES.map((ns) => [String(ns), heatPieceText(ns)])],
    () => String(app.state.column), (column) => go({column: Number(column)}));
  const bar = make("div", {class: "bar"}, choice, make("span", {class: "hint"}, "Time goes upwards in a column, then to the next column. Drag to select a span."), makeHeatLegend(view));
  const none = make("p", {class: "empty"}, "This recording has no times.");
  return {
    element: make("div", {class: "view fills"}, bar, none, box),
    focus: () => box.focus(),
    prepare: () => viewHeatSteps(view),
    draw() {
      none.hidden = app.model.hasTimes;
      box.hidden = !none.hidden;
      if (box.hidden)
        return;
      finish(viewHeatSteps(view));
      syncAll(bar);
      paintHeat(view);
    },
  };
}
