// SPDX-License-Identifier: BSD-2-Clause
// Paint the visible rows of a layout.

const CELL_FONT = "12px ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace";
const CELL_MARGIN = 4;
const ONE_WIDTH = /^[\x20-\x7e\u2026]*$/; // characters of equal width

let characterWidth = 0;

function measureFont(context) {
  context.font = CELL_FONT;
  if (!characterWidth)
    characterWidth = context.measureText("0".repeat(64)).width / 64;
}

// Return the part of a text that fits in `width` pixels, with an ellipsis if it was cut; "" if it would be too short.
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
  if (pane.showsChange && !cell.rest)
    return changeColour(cellChange(pane.tree, cell, pane.showsChange));
  return cell.frame < 0 ? theme().rest : frameColour(pane.tree.model, cell.frame);
}

// Return the distance of a row from the top of all rows.
function rowTop(pane, row) {
  const at = row - pane.above;
  return (pane.upward ? pane.height / ROW_HEIGHT - 1 - at : at) * ROW_HEIGHT;
}

function isCellFound(tree, cell, found) {
  return cell.rest ? isRestFound(tree, cell, found) : cell.frame >= 0 && found[cell.frame];
}

function paintCell(pane, context, place, top) {
  const {cell, x, width} = place, colours = theme(), found = pane.found;
  const isFound = found && isCellFound(pane.tree, cell, found);
  context.globalAlpha = (found && !isFound) || place.row < pane.layout.zoomed.depth ? 0.45 : 1;
  context.fillStyle = isFound ? colours.found : cellColour(pane, cell);
  context.fillRect(x, top, Math.max(width - (width > 2.5 ? 1 : 0.2), 0.5), ROW_HEIGHT - 1);
  context.globalAlpha = 1;
  if (width > 3 * characterWidth + 2 * CELL_MARGIN) {
    const isFaint = found && !isFound;
    context.fillStyle = (cell.frame < 0 && (cell.rest || !pane.showsChange)) || isFaint || place.row < pane.layout.zoomed.depth ? colours.text : colours.cellText;
    const room = width - 2 * CELL_MARGIN, label = cellName(pane.tree, cell, Math.max(1, Math.ceil(room / characterWidth)));
    context.fillText(fitText(context, label, room), x + CELL_MARGIN, top + ROW_HEIGHT / 2);
  }
}

function paintMark(pane, context, cell, offset, colour) {
  const place = placeOf(pane.layout, cell);
  if (!place || place.row < pane.above)
    return;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(place.x + 1, rowTop(pane, place.row) - offset + 1, Math.max(place.width - 3, 1), ROW_HEIGHT - 3);
}

// The first `offset` pixels of the rows are scrolled out.
function paintFlame(pane, context, offset, windowHeight) {
  const {layout} = pane, colours = theme();
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, layout.width, windowHeight);
  measureFont(context);
  context.textBaseline = "middle";
  for (let row = pane.above; row < layout.rows.length; row++) {
    const top = rowTop(pane, row) - offset;
    if (top <= -ROW_HEIGHT || top >= windowHeight)
      continue;
    for (const place of layout.rows[row])
      paintCell(pane, context, place, top);
  }
  paintMark(pane, context, pane.hovered, offset, colours.faint);
  paintMark(pane, context, pane.selected, offset, colours.focus);
}
