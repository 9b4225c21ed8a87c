// SPDX-License-Identifier: BSD-2-Clause
// Paints the rows of a layout that are in the window, and nothing else.

const CELL_FONT = "12px ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace";
const CELL_MARGIN = 4;
const ONE_WIDTH = /^[\x20-\x7e\u2026]*$/; // each character as wide as any other

let characterWidth = 0;

function measureFont(context) {
  context.font = CELL_FONT;
  if (!characterWidth)
    characterWidth = context.measureText("0".repeat(64)).width / 64;
}

// What fits into `width` pixels of a text, with a mark where it was cut; "" if nothing worth reading does.
function fitText(context, text, width) {
  const most = Math.floor(width / characterWidth);
  if (most < 3)
    return "";
  if (ONE_WIDTH.test(text))
    return text.length <= most ? text : text.slice(0, most - 1) + CUT;
  let cut = text.slice(0, most);
  while (cut && context.measureText(cut + CUT).width > width)
    cut = cut.slice(0, Math.floor(cut.length * 0.8));
  return cut.length < text.length ? cut + CUT : cut;
}

function cellColour(pane, cell) {
  if (pane.showsChange)
    return changeColour(cellChange(pane.tree, cell));
  return cell.frame < 0 ? theme().rest : frameColour(pane.tree.model, cell.frame);
}

// A row's distance from the top of all rows.
function rowTop(pane, row) {
  return (pane.upward ? pane.height / ROW_HEIGHT - 1 - row : row) * ROW_HEIGHT;
}

function paintCell(pane, context, place, top) {
  const {cell, x, width} = place, colours = theme(), found = pane.found;
  const isFound = found && cell.frame >= 0 && found[cell.frame];
  context.globalAlpha = (found && !isFound) || place.row < pane.layout.zoomed.depth ? 0.45 : 1;
  context.fillStyle = isFound ? colours.found : cellColour(pane, cell);
  context.fillRect(x, top, Math.max(width - (width > 2.5 ? 1 : 0.2), 0.5), ROW_HEIGHT - 1);
  context.globalAlpha = 1;
  if (width > 3 * characterWidth + 2 * CELL_MARGIN) {
    const isFaint = found && !isFound;
    context.fillStyle = (cell.frame < 0 && !pane.showsChange) || isFaint || place.row < pane.layout.zoomed.depth ? colours.text : colours.cellText;
    const room = width - 2 * CELL_MARGIN, label = frameLabel(pane.tree.model, cell.frame, Math.ceil(room / characterWidth));
    context.fillText(fitText(context, label, room), x + CELL_MARGIN, top + ROW_HEIGHT / 2);
  }
}

function paintMark(pane, context, cell, offset, colour) {
  const place = placeOf(pane.layout, cell);
  if (!place)
    return;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(place.x + 1, rowTop(pane, place.row) - offset + 1, Math.max(place.width - 3, 1), ROW_HEIGHT - 3);
}

// What narrow kids have together, behind the last one that is wide enough.
function paintRest(pane, context, row, top) {
  const below = pane.layout.rows[row + 1] || [], ends = new Map();
  for (const place of below)
    ends.set(place.cell.up, place.x + place.width);
  context.fillStyle = theme().rest;
  for (const place of pane.layout.rows[row]) {
    if (place.row < pane.layout.zoomed.depth || !place.cell.kids || !place.cell.kids.length || place.width < 1)
      continue;
    const from = ends.has(place.cell) ? ends.get(place.cell) : place.x;
    const kids = place.cell.kidsSize;
    const to = place.x + place.width * Math.min(1, place.cell.size ? kids / place.cell.size : 0);
    if (to - from > 0.8)
      context.fillRect(from, top, to - from - 0.5, ROW_HEIGHT - 1);
  }
}

// `offset` pixels of all rows are above the window.
function paintFlame(pane, context, offset, windowHeight) {
  const {layout} = pane, colours = theme();
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, layout.width, windowHeight);
  measureFont(context);
  context.textBaseline = "middle";
  for (let row = 0; row < layout.rows.length; row++) {
    const top = rowTop(pane, row) - offset, next = rowTop(pane, row + 1) - offset;
    if (next > -ROW_HEIGHT && next < windowHeight)
      paintRest(pane, context, row, next);
    if (top <= -ROW_HEIGHT || top >= windowHeight)
      continue;
    for (const place of layout.rows[row])
      paintCell(pane, context, place, top);
  }
  paintMark(pane, context, pane.hovered, offset, colours.faint);
  paintMark(pane, context, pane.selected, offset, colours.focus);
}
