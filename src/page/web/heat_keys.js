// SPDX-License-Identifier: BSD-2-Clause
// The keys of the heatmap: arrows go from cell to cell, Space starts and ends a span. Cells are numbered in the order of
// time.

function heatCellSpan(view, cell) {
  const {piece, rows} = view.heat;
  return [cell * piece / rows, (cell + 1) * piece / rows];
}

// Return the text of a cell: its time and what it contains.
function heatCellText(view, cell) {
  const {unitNs} = app.model, {piece, rows, cells} = view.heat, cellNs = piece * unitNs / rows;
  const [from, to] = heatCellSpan(view, cell).map((time) => formatSeconds(time * unitNs, cellNs));
  return [`${from} to ${to} s`, formatRate(cells[cell], cellNs)];
}

// Return the cell to go to by a key, or null.
function heatCellBy(view, key) {
  const {cursor, heat: {rows, piece, cells}} = view, step = {ArrowUp: 1, ArrowDown: -1, ArrowRight: rows, ArrowLeft: -rows}[key];
  const start = app.state.span ? Math.floor(app.state.span[0] / piece * rows) : 0;
  const next = step ? (cursor < 0 ? start : cursor + step) : {Home: 0, End: cells.length - 1}[key];
  return next === undefined ? null : Math.max(0, Math.min(cells.length - 1, next));
}

// Select the span from the cell at which it was started to the one at the cursor.
function endHeatSpan(view, first) {
  const span = [heatCellSpan(view, Math.min(first, view.cursor))[0], heatCellSpan(view, Math.max(first, view.cursor))[1]];
  Object.assign(view, {mark: -1, drag: null});
  takeSpan(...span);
}

function heatKey(view, key) {
  const next = view.heat && view.heat.cells.length ? heatCellBy(view, key) : null;
  if (next !== null)
    view.cursor = next;
  else if (view.cursor < 0 || (key !== " " && key !== "Enter"))
    return false;
  else if (key === "Enter" || view.mark >= 0)
    endHeatSpan(view, key === "Enter" ? view.cursor : view.mark);
  else
    view.mark = view.cursor;
  if (view.mark >= 0)
    view.drag = [heatCellSpan(view, Math.min(view.mark, view.cursor))[0], heatCellSpan(view, Math.max(view.mark, view.cursor))[1]];
  say(heatCellText(view, view.cursor).join(": "));
  paintHeat(view);
  return true;
}

// Paint the cell at the cursor, with its text.
function paintHeatCursor(context, view) {
  if (view.cursor < 0 || view.cursor >= view.heat.cells.length)
    return;
  const {rows} = view.heat, [x, wide] = columnPlace(view, Math.floor(view.cursor / rows)), y = (rows - 1 - view.cursor % rows) * view.cellHeight;
  const area = view.canvas.getBoundingClientRect();
  context.strokeStyle = theme().focus;
  context.lineWidth = 2;
  context.strokeRect(x - 1, y - 1, Math.max(wide, 2) + 2, Math.max(view.cellHeight, 2) + 2);
  showTip(heatCellText(view, view.cursor), area.left + x + wide, area.top + y);
}

function listenHeatKeys(view) {
  view.box.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && heatKey(view, event.key))
      event.preventDefault();
  });
  view.box.addEventListener("blur", () => {
    const isShown = view.cursor >= 0;
    Object.assign(view, {cursor: -1, mark: -1, drag: null});
    if (isShown) {
      hideTip();
      paintHeat(view);
    }
  });
}
