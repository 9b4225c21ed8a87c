// SPDX-License-Identifier: BSD-2-Clause
// Layout of a flame graph: full rows for the path to the zoomed cell, its callees below. Cells too narrow to be visible
// are not created; at the end of a caller they are combined into one cell.

const ROW_HEIGHT = 19;
const NARROWEST = 1; // pixels
const LEVELS_MAX = 4096;

function zoomChain(cell) {
  const chain = [];
  for (; cell; cell = cell.up)
    chain.unshift(cell);
  return chain;
}

// Return the children of `place`, from its left edge, in the row below.
function layOutKids(tree, place, row) {
  const scale = place.cell.size > 0 ? place.width / place.cell.size : 0, places = [];
  let x = place.x;
  for (const kid of expandCell(tree, place.cell)) {
    const width = kid.size * scale;
    if (width < NARROWEST)
      break;
    places.push({cell: kid, x, width, row});
    x += width;
  }
  for (const {from, to, width} of restRanges(place.cell, places.length, scale)) {
    if (width >= NARROWEST)
      places.push({cell: restCell(tree, place.cell, from, to), x, width, row});
    x += width;
  }
  return places;
}

// Return {rows: [[{cell, x, width, row}]], tree, zoomed, width}; the rows begin with the root.
function* layoutSteps(tree, zoomed, width) {
  const chain = zoomChain(zoomed), rows = chain.map((cell, row) => [{cell, x: 0, width, row}]);
  let last = rows[rows.length - 1];
  while (last.length && rows.length < LEVELS_MAX) {
    const next = [];
    for (const place of last) {
      if (!place.cell.rest || place.cell === zoomed) {
        if (!place.cell.kids)
          yield;
        next.push(...layOutKids(tree, place, rows.length));
      }
    }
    if (next.length)
      rows.push(next);
    last = next;
  }
  return {rows, tree, zoomed, width};
}

// Return the place at x in a row, or null.
function placeAt(layout, row, x) {
  const places = layout.rows[row] || [];
  let low = 0, high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle].x <= x)
      low = middle + 1;
    else
      high = middle;
  }
  const place = places[low - 1];
  return place && x < place.x + place.width ? place : null;
}

function placeOf(layout, cell) {
  return cell ? (layout.rows[cell.depth] || []).find((place) => place.cell === cell) || null : null;
}
