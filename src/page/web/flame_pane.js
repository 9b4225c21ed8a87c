// SPDX-License-Identifier: BSD-2-Clause
// A call tree on a canvas of the size of the window, in a scrolling box, with mouse and keyboard control.

const WHEEL_STEP_MS = 200;

// `on` has pick(cell) for a click or Enter, optionally zoom(cell) for Ctrl and the wheel, and select(cell) for the cell
// at the cursor. The first `pane.above` rows are not shown: for callers and callees that is the root, which is between
// them.
function makeFlamePane(label, on) {
  const canvas = make("canvas", {"aria-hidden": "true"});
  const spacer = make("div", {class: "spacer"}, canvas);
  const box = make("div", {class: "flame", tabIndex: 0, role: "application", "aria-label": label, "aria-roledescription": "flame graph"}, spacer);
  const pane = {box, canvas, spacer, on, label, tree: null, layout: null, prepared: null, zoomed: null, height: 0, upward: false, showsChange: false,
    found: null, hovered: null, selected: null, fits: false, above: 0, wheeled: -WHEEL_STEP_MS};
  box.addEventListener("scroll", () => paintPane(pane));
  canvas.addEventListener("mousemove", (event) => hoverPane(pane, event));
  canvas.addEventListener("mouseleave", () => hoverPane(pane, null));
  canvas.addEventListener("click", (event) => {
    const place = paneAt(pane, event);
    if (place) {
      selectInPane(pane, place.cell);
      on.pick(place.cell);
    }
  });
  canvas.addEventListener("contextmenu", (event) => {
    const place = paneAt(pane, event);
    event.preventDefault();
    if (place) {
      selectInPane(pane, place.cell);
      openMenu(place.cell.frame, event.clientX, event.clientY);
    }
  });
  box.addEventListener("wheel", (event) => {
    if (event.ctrlKey && on.zoom && pane.layout)
      wheelPane(pane, event);
  }, {passive: false});
  box.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && flameKey(pane, event.key))
      event.preventDefault();
  });
  return pane;
}

function paneAt(pane, event) {
  const area = pane.canvas.getBoundingClientRect();
  const y = event.clientY - area.top + pane.box.scrollTop;
  const down = Math.floor(y / ROW_HEIGHT);
  const row = pane.above + (pane.upward ? pane.height / ROW_HEIGHT - 1 - down : down);
  return pane.layout && placeAt(pane.layout, row, event.clientX - area.left);
}

// Ctrl and the wheel zoom into the cell at the pointer, or out by one step. Without Ctrl the box scrolls.
function wheelPane(pane, event) {
  const place = paneAt(pane, event), {zoomed} = pane;
  event.preventDefault();
  if (event.timeStamp - pane.wheeled < WHEEL_STEP_MS)
    return;
  const cell = event.deltaY > 0 ? zoomed.up : event.deltaY < 0 && place && place.cell.depth > zoomed.depth ? place.cell : null;
  if (cell) {
    pane.wheeled = event.timeStamp;
    pane.on.zoom(cell);
  }
}

// Return the tooltip of a cell; if zoomed, with its share of the zoomed cell.
function tellCell(pane, cell) {
  const {tree, zoomed} = pane, lines = describeCell(tree, cell);
  if (cell.depth > zoomed.depth && (zoomed.up || pane.above))
    lines.push(`${formatShare(cell.size, zoomed.size)} of ${cellName(tree, zoomed, 60)}`);
  return lines;
}

function hoverPane(pane, event) {
  const place = event && paneAt(pane, event), cell = place ? place.cell : null;
  pane.canvas.style.cursor = cell ? "pointer" : "default";
  if (cell !== pane.hovered) {
    pane.hovered = cell;
    paintPane(pane);
  }
  if (cell)
    showTip(tellCell(pane, cell), event.clientX, event.clientY);
  else
    hideTip();
}

// Show another tree, or another part of it.
function setPane(pane, tree, zoomed, options) {
  const isTurned = pane.upward !== Boolean(options.upward);
  const isNew = tree !== pane.tree || zoomed !== pane.zoomed;
  Object.assign(pane, {tree, zoomed, hovered: null, upward: Boolean(options.upward), showsChange: options.showsChange, found: options.found});
  if (!pane.selected || isNew)
    pane.selected = pane.selected ? sameCell(tree, pane.selected) : null;
  layOutPane(pane);
  if (isTurned || (isNew && pane.upward))
    pane.box.scrollTop = pane.upward ? pane.height : 0;
  paintPane(pane);
}

// Return the cell at the same path in another tree, or null.
function sameCell(tree, cell) {
  const found = findCell(tree, cellPath(cell));
  return found.depth === cell.depth ? found : null;
}

function shownRows(pane) {
  return Math.max(0, pane.layout.rows.length - pane.above);
}

function isLayoutOf(layout, tree, zoomed, width) {
  return layout && layout.tree === tree && layout.zoomed === zoomed && layout.width === width;
}

// Return the width of a graph, also of one that is not in the document yet.
function paneWidth(box) {
  return Math.max(box.isConnected && box.clientWidth ? box.clientWidth : app.panel.clientWidth - 2 * SIDE, 1);
}

// Compute a layout before it is shown.
function* prepareSteps(pane, tree, zoomed) {
  const width = paneWidth(pane.box);
  if (!isLayoutOf(pane.layout, tree, zoomed, width))
    pane.prepared = yield* layoutSteps(tree, zoomed, width);
}

function layOutPane(pane) {
  const width = paneWidth(pane.box), {tree, zoomed} = pane;
  pane.layout = [pane.layout, pane.prepared].find((one) => isLayoutOf(one, tree, zoomed, width)) || finish(layoutSteps(tree, zoomed, width));
  pane.prepared = null;
  if (pane.fits)
    pane.box.style.flex = `0 1 ${shownRows(pane) * ROW_HEIGHT}px`;
  const shown = Math.max(pane.box.clientHeight, ROW_HEIGHT);
  pane.height = Math.max(shownRows(pane), Math.floor(shown / ROW_HEIGHT)) * ROW_HEIGHT;
  pane.spacer.style.height = `${pane.height}px`;
}

function paintPane(pane) {
  if (!pane.layout)
    return;
  const height = Math.max(pane.box.clientHeight, ROW_HEIGHT);
  const context = fitCanvas(pane.canvas, pane.layout.width, height);
  paintFlame(pane, context, pane.box.scrollTop, height);
}

// Move the keyboard cursor to a cell, scroll it into view, and announce it.
function selectInPane(pane, cell) {
  pane.selected = cell;
  if (cell) {
    const top = rowTop(pane, cell.depth);
    if (top < pane.box.scrollTop)
      pane.box.scrollTop = top;
    else if (top + ROW_HEIGHT > pane.box.scrollTop + pane.box.clientHeight)
      pane.box.scrollTop = top + ROW_HEIGHT - pane.box.clientHeight;
    say(describeCell(pane.tree, cell).join(", "));
  }
  pane.on.select(cell);
  paintPane(pane);
}
