// SPDX-License-Identifier: BSD-2-Clause
// The flame graph of the selection.

function treeOptions(state) {
  return {reversed: state.reversed, collapses: state.merged, widths: state.widths};
}

// Return the tree for the current state; it is kept until the selection or the options change.
function* treeSteps() {
  const {state} = app, {model, weights} = yield* groupedSteps(), key = JSON.stringify(treeOptions(state));
  if (!app.tree || app.tree.weights !== weights || app.tree.key !== key)
    app.tree = {weights, key, tree: makeCallTree(model, weights, treeOptions(state))};
  return app.tree.tree;
}

function currentTree() {
  return finish(treeSteps());
}

// Return the kind of change that determines the colours of cells with two recordings: "share", "weight", or "" for
// none.
function showsChange(state) {
  return app.model.hasBase && state.colours !== "kind" ? state.colours === "weight" ? "weight" : "share" : "";
}

function changeLabel(change, kind) {
  const {unit} = app.model.meta.events[app.state.event];
  return kind === "share" ? formatChange(0, change) : `${change < 0 ? "\u2212" : "+"}${formatWeight(Math.abs(change), unit)}`;
}

// Return the weights before and after, and the change, of a cell.
function weightsOf(cell) {
  const {unit} = app.model.meta.events[app.state.event];
  return `${formatWeight(cell.base, unit)}, ${formatWeight(cell.total, unit)}: ${changeLabel(cell.total - cell.base, "weight")}`;
}

// Return the colours of the legend with their values, from the largest decrease to the largest increase.
function changeItems(kind) {
  const most = largestChange(app.model, app.weights, kind);
  return [-1, -0.5, 0, 0.5, 1].map((part) => [changeColour(part),
    (part ? changeLabel(Math.sign(part) * part * part * most, kind) : "0") + (part === 1 && kind === "share" ? " points" : "")]);
}

function legendItem(colour, text) {
  const swatch = make("span", {class: "swatch"});
  swatch.style.background = colour;
  return make("span", {class: "legend-item"}, swatch, text);
}

// Make the legend of a graph. `isOfKinds`: the graph never shows changes.
function makeLegend(isOfKinds) {
  const legend = make("div", {class: "legend"});
  const build = () => {
    const kind = !isOfKinds && showsChange(app.state), rows = kind ? changeItems(kind)
      : Object.keys(KINDS).filter((kind) => app.kinds.has(kind)).map((kind) => [kindColour(kind), KINDS[kind]]);
    return rows.map(([colour, text]) => legendItem(colour, text));
  };
  legend.sync = () => setChildren(legend, `${showsChange(app.state)} ${themeName()} ${app.key}`, build);
  return legend;
}

// Make the buttons shared by flame graph and call tree.
function treeToggles(isGrouped) {
  const list = [
    makeToggle("Reversed", "leaf functions outermost, their callers inside (r)", () => app.state.reversed, (reversed) => go({reversed, zoom: ""})),
    makeToggle("Recursion collapsed", "merge recursive calls into one cell (c)", () => app.state.merged, (merged) => go({merged, zoom: ""})),
  ];
  if (isGrouped)
    list.push(makeChoice("First level", [["none", "functions"], ["process", "processes"], ["thread", "threads"], ["file", "files"]], () => app.state.group, (group) => go({group, zoom: ""})));
  if (app.model.hasBase) {
    list.push(makeChoice("Widths", [["after", "after"], ["before", "before"], ["both", "mean of both"]], () => app.state.widths, (widths) => go({widths})));
    list.push(makeChoice("Colours", [["auto", "change of share"], ["weight", "change of weight"], ["kind", "kind of code"]],
      () => app.state.colours === "change" ? "auto" : app.state.colours, (colours) => go({colours})));
  }
  return list;
}

// Make buttons for the path to the zoomed cell. The row is also shown without a zoom, so that clicks do not move the
// view.
function makeCrumbs() {
  const crumbs = make("nav", {class: "crumbs", "aria-label": "Zoomed to"});
  crumbs.sync = () => {
    const chain = zoomChain(findCell(currentTree(), app.state.zoom));
    const shown = chain.length > 6 ? [chain[0], null, ...chain.slice(-4)] : chain;
    setChildren(crumbs, cellPath(chain[chain.length - 1]), () => shown.map((cell) => cell
      ? makeButton(cellName(currentTree(), cell, 48), "zoom to this", () => go({zoom: cellPath(cell)})) : "\u2026"));
  };
  return crumbs;
}

function makeFlameView() {
  const pane = makeFlamePane("Flame graph: arrow keys go from cell to cell, Enter zooms; key 8 is the same as a table", {
    pick: (cell) => go({zoom: cellPath(cell), ...choice(cell.frame)}),
    zoom: (cell) => go({zoom: cellPath(cell)}),
    select: (cell) => selectFrame(cell ? cell.frame : -1, () => ({tree: pane.tree, cell: pane.selected})),
  });
  const bar = make("div", {class: "bar"}, ...treeToggles(true),
    makeToggle("Upwards", "callers at the bottom (v)", () => app.state.upward, (upward) => go({upward})),
    makeButton("Zoom out", "zoom out one step (-), or completely (0)", () => zoomOut()), makeInlineHint(), makeLegend());
  const crumbs = makeCrumbs();
  return {
    element: make("div", {class: "view fills"}, bar, crumbs, pane.box),
    focus: () => pane.box.focus(),
    * prepare() {
      const tree = yield* treeSteps();
      yield* prepareSteps(pane, tree, findCell(tree, app.state.zoom));
    },
    draw() {
      const tree = currentTree(), {state} = app;
      syncAll(bar);
      crumbs.sync();
      pane.box.hidden = tree.root.size <= 0;
      if (!pane.box.hidden)
        setPane(pane, tree, findCell(tree, state.zoom), {upward: state.upward, showsChange: showsChange(state), found: app.found});
    },
  };
}

function zoomOut() {
  go({zoom: app.state.zoom.split(".").slice(0, -1).join(".")});
}
