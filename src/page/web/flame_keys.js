// SPDX-License-Identifier: BSD-2-Clause
// Keys in a flame graph, the same as in the terminal browser.

// Return the neighbour in the row, which may have another caller.
function besideCell(pane, cell, step) {
  const row = pane.layout.rows[cell.depth] || [];
  const at = row.findIndex((place) => place.cell === cell) + step;
  return row[at] ? row[at].cell : cell;
}

function firstKid(pane, cell) {
  const row = pane.layout.rows[cell.depth + 1] || [];
  const place = row.find((one) => one.cell.up === cell);
  return place ? place.cell : cell;
}

function inward(pane, cell) {
  return firstKid(pane, cell);
}

function outward(pane, cell) {
  return cell.up && cell.up.depth >= pane.above ? cell.up : cell;
}

// Return the initial cell of the cursor: the zoomed cell, or the first visible one below it.
function startCell(pane) {
  const {zoomed} = pane, row = pane.layout.rows[pane.above];
  return zoomed.depth >= pane.above || !row ? zoomed : row[0].cell;
}

const FLAME_MOVES = {
  ArrowLeft: (pane, cell) => besideCell(pane, cell, -1),
  ArrowRight: (pane, cell) => besideCell(pane, cell, 1),
  ArrowDown: (pane, cell) => (pane.upward ? outward : inward)(pane, cell),
  ArrowUp: (pane, cell) => (pane.upward ? inward : outward)(pane, cell),
  Home: (pane) => pane.layout.rows[pane.above] ? pane.layout.rows[pane.above][0].cell : pane.tree.root,
};

// Handle a key. Returns false if it has no effect.
function flameKey(pane, key) {
  if (!pane.layout)
    return false;
  if (!shownRows(pane))
    return false;
  const shown = pane.selected && placeOf(pane.layout, pane.selected) ? pane.selected : null;
  if (FLAME_MOVES[key]) {
    selectInPane(pane, shown ? FLAME_MOVES[key](pane, shown) : startCell(pane));
    return true;
  }
  if ((key === "Enter" || key === "+") && shown) {
    pane.on.pick(shown);
    return true;
  }
  return false;
}
