// SPDX-License-Identifier: BSD-2-Clause
// The call tree as an expandable table: the contents of the flame graph as text.

const TREE_ROWS_MAX = 100000;

// Return the order of the children of a cell, or null for that of the flame graph: by total, heaviest first.
function treeOrder(tree) {
  const {order, upwards} = app.state, {current, base} = tree.wholes, {model} = tree;
  const change = (cell) => Math.abs((current ? cell.total / current : 0) - (base ? cell.base / base : 0));
  const orders = {
    total: (a, b) => b.total - a.total, self: (a, b) => b.self - a.self, change: (a, b) => change(b) - change(a),
    name: (a, b) => -compareTexts(cellName(tree, a), cellName(tree, b)), kind: (a, b) => -compareTexts(frameKind(model, a.frame), frameKind(model, b.frame)),
  };
  const compare = orders[order];
  return order === "total" && !upwards ? null : upwards ? (a, b) => -compare(a, b) || a.frame - b.frame : (a, b) => compare(a, b) || a.frame - b.frame;
}

// Return the visible cells in order: those whose callers are all open.
function openCells(tree, start) {
  const order = treeOrder(tree);
  const list = [], stack = [start];
  while (stack.length && list.length < TREE_ROWS_MAX) {
    const cell = stack.pop();
    list.push(cell);
    if (!cell.isOpen)
      continue;
    const kids = order ? [...expandCell(tree, cell)].sort(order) : expandCell(tree, cell);
    for (let i = kids.length - 1; i >= 0; i--)
      stack.push(kids[i]);
  }
  return list;
}

// Open the heaviest path as long as one child has at least half of the weight.
function openHeaviest(tree, cell) {
  for (let level = 0; level < 40; level++) {
    cell.isOpen = true;
    const kids = expandCell(tree, cell);
    if (!kids.length || kids[0].size < 0.5 * cell.size)
      return;
    [cell] = kids;
  }
}

function treeColumns() {
  const change = app.model.hasBase ? [{name: "change", title: "Change", class: "number"}] : [];
  return [{name: "total", title: "Total", class: "number"}, ...change, {name: "self", title: "Self", class: `number${app.model.hasBase ? " wide" : ""}`}, {name: "name", title: "Function", class: "name"}, {name: "kind", title: "Kind", class: "kind wide"}];
}

const TREE_INDENT = 14, NARROW_INDENT = 5, NARROW_WINDOW = 640; // pixels

function treeCells(tree, cell, start, letters, toggle) {
  const {current, base} = tree.wholes, hasKids = expandCell(tree, cell).length > 0;
  const mark = make("span", {class: "opener", onclick: toggle, "aria-hidden": "true"}, hasKids ? (cell.isOpen ? "\u25be" : "\u25b8") : "");
  const indent = Math.min(cell.depth - start.depth, 200) * (window.innerWidth > NARROW_WINDOW ? TREE_INDENT : NARROW_INDENT), name = make("span", {}, mark, cellName(tree, cell, Math.max(16, letters - Math.ceil(indent / NAME_LETTER))));
  name.style.paddingLeft = `${indent}px`;
  const change = app.model.hasBase ? [formatChange(base ? cell.base / base : 0, current ? cell.total / current : 0)] : [];
  return [shareCell(cell.total, current), ...change, formatShare(cell.self, current), name, cell.frame < 0 ? "" : KINDS[frameKind(tree.model, cell.frame)]];
}

function makeTreeView() {
  let cells = [], tree = null, start = null;
  const refresh = () => { cells = openCells(tree, start); };
  const turn = (i, isOpen) => {
    cells[i].isOpen = isOpen;
    refresh();
    drawRows(rows);
    say(isOpen ? "opened" : "closed");
  };
  const rows = makeRows({
    label: "Call tree", role: "treegrid", columns: treeColumns, count: () => cells.length,
    cells: (i, letters) => treeCells(tree, cells[i], start, letters, () => turn(i, !cells[i].isOpen)),
    attributes: (i) => ({"aria-level": cells[i].depth - start.depth + 1,
      "aria-expanded": expandCell(tree, cells[i]).length ? String(Boolean(cells[i].isOpen)) : null}),
    sort: (name) => go({order: name, upwards: app.state.order === name ? !app.state.upwards : name === "name" || name === "kind"}), sorted: () => [app.state.order, app.state.upwards],
    select: (i) => selectFrame(cells[i].frame, () => ({tree, cell: cells[rows.cursor]})),
    choose: (i) => go(choice(cells[i].frame)), frame: (i) => cells[i].frame,
    enter: (i) => turn(i, !cells[i].isOpen),
    key(i, key) {
      if (key !== "ArrowLeft" && key !== "ArrowRight")
        return false;
      if (key === "ArrowLeft" && !cells[i].isOpen && cells[i] !== start)
        goToRow(rows, cells.indexOf(cells[i].up));
      else
        turn(i, key === "ArrowRight");
      return true;
    },
  });
  const bar = make("div", {class: "bar"}, ...treeToggles(true), makeInlineHint()), crumbs = makeCrumbs();
  return {
    element: make("div", {class: "view fills"}, bar, crumbs, rows.box),
    focus: () => rows.box.focus(),
    prepare: treeSteps,
    draw() {
      const before = [tree, start];
      tree = currentTree();
      start = findCell(tree, app.state.zoom);
      syncAll(bar);
      crumbs.sync();
      if (!start.isOpen)
        openHeaviest(tree, start);
      refresh();
      resetRows(rows, before[0] === tree && before[1] === start);
    },
  };
}
