// SPDX-License-Identifier: BSD-2-Clause
// A heatmap of time: each column is a second (or another unit), with time going upwards. Events that repeat every
// second appear as horizontal lines. Dragging selects the span between two cells.

const HEAT_ROWS = 50, HEAT_COLUMNS_MAX = 4000;
const HEAT_PIECES = [1e6, 1e7, 1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12];

// Return the length of a column in ns: as chosen, or a second if that results in a reasonable number of columns.
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
  const least = cells.reduce((found, value) => value ? Math.min(found, value) : found, most);
  return {piece, columns, cells, most, least};
}

// Return [x, width] of a column; x is that of its time in the strip. The last column ends with the recording.
function columnPlace(view, column) {
  const {area, columnWidth} = view, x = area.left + column * columnWidth;
  return [x, Math.max(Math.min(columnWidth, area.left + area.width - x), 1)];
}

function paintHeatSpan(context, view, span) {
  const {heat, cellHeight} = view, step = heat.piece / HEAT_ROWS;
  context.strokeStyle = theme().spanEdge;
  context.fillStyle = theme().span;
  const first = Math.max(0, Math.floor(span[0] / step)), last = Math.min(heat.cells.length - 1, Math.ceil(span[1] / step) - 1);
  for (let column = Math.floor(first / HEAT_ROWS); column <= Math.floor(last / HEAT_ROWS); column++) {
    const from = Math.max(first - column * HEAT_ROWS, 0), to = Math.min(last - column * HEAT_ROWS, HEAT_ROWS - 1);
    const [x, width] = columnPlace(view, column), box = [x, (HEAT_ROWS - 1 - to) * cellHeight, width, (to - from + 1) * cellHeight];
    context.fillRect(...box);
    context.strokeRect(box[0] + 0.5, box[1] + 0.5, Math.max(box[2] - 1, 0.5), Math.max(box[3] - 1, 0.5));
  }
}

// Paint the axes: time within a column at the left, start times of columns at the bottom.
function paintHeatAxes(context, view) {
  const {heat, area, cellHeight} = view, pieceNs = heat.piece * app.model.unitNs, high = HEAT_ROWS * cellHeight;
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
  for (const [i, line] of ["time within", "a column"].entries())
    context.fillText(line, 6, high / 2 + 14 * i);
}

// Return the position of a weight between the smallest nonzero cell (0) and the largest (1).
function heatPart(heat, weight) {
  return heat.most > heat.least ? (weight - heat.least) / (heat.most - heat.least) : 1;
}

function paintHeat(view) {
  const {heat, box, canvas} = view, width = box.clientWidth, height = Math.max(box.clientHeight, 60);
  const context = fitCanvas(canvas, width, height), colours = theme();
  view.area = timeArea(SIDE);
  view.columnWidth = view.area.width * heat.piece / Math.max(app.model.length, 1);
  view.cellHeight = (height - SCALE_HEIGHT - 4) / HEAT_ROWS;
  const gap = view.columnWidth > 4 && view.cellHeight > 4 ? 0.5 : 0;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  context.fillStyle = colours.strip;
  context.fillRect(view.area.left, 0, view.area.width, HEAT_ROWS * view.cellHeight);
  for (let i = 0; i < heat.cells.length; i++) {
    if (!heat.cells[i])
      continue;
    const [x, wide] = columnPlace(view, Math.floor(i / HEAT_ROWS));
    context.fillStyle = heatColour(heatPart(heat, heat.cells[i]));
    context.fillRect(x, (HEAT_ROWS - 1 - i % HEAT_ROWS) * view.cellHeight, wide - gap, Math.max(view.cellHeight - gap, 0.5));
  }
  paintHeatAxes(context, view);
  const span = view.drag || app.state.span;
  if (span)
    paintHeatSpan(context, view, span);
}

function makeHeatLegend(view) {
  const legend = make("div", {class: "legend"});
  legend.sync = () => setChildren(legend, `${view.key} ${themeName()}`, () => {
    const {heat} = view, {unit} = app.model.meta.events[app.state.event];
    if (!heat || !heat.most)
      return [];
    const parts = heat.most > heat.least ? [0, 0.25, 0.5, 0.75, 1] : [1];
    return [`a cell is ${formatNs(heat.piece * app.model.unitNs / HEAT_ROWS)}:`, legendItem(theme().strip, "nothing"),
      ...parts.map((part) => legendItem(heatColour(part), formatWeight(heat.least + part * (heat.most - heat.least), unit)))];
  });
  return legend;
}

// Return [from, to) of the cell at the pointer in time steps, and its weight.
function heatCellAt(view, event) {
  const area = view.canvas.getBoundingClientRect(), {heat} = view;
  const column = Math.max(0, Math.min(heat.columns - 1, Math.floor((event.clientX - area.left - view.area.left) / view.columnWidth)));
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
    "aria-label": "Heatmap of samples; use the strip above to select spans with the keyboard"}, canvas);
  const view = {box, canvas, heat: null, drag: null, key: "", area: null};
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
  const choice = makeChoice("Column length", [["0", "automatic"], ...HEAT_PIECES.map((ns) => [String(ns), heatPieceText(ns)])],
    () => String(app.state.column), (column) => go({column: Number(column)}));
  const bar = make("div", {class: "bar"}, choice, make("span", {class: "hint"}, "Time goes upwards in a column, then to the next column. Drag to select a span."), makeHeatLegend(view));
  const none = make("p", {class: "empty"}, "This recording has no times.");
  return {
    element: make("div", {class: "view fills"}, bar, none, box),
    focus: () => box.focus(),
    draw() {
      const {model, state} = app, key = `${selectionKey(state, true)} ${state.column}`;
      none.hidden = model.hasTimes;
      box.hidden = !none.hidden;
      if (box.hidden)
        return;
      if (view.key !== key)
        Object.assign(view, {key, heat: binHeat(model, state, model.current)});
      syncAll(bar);
      paintHeat(view);
    },
  };
}
