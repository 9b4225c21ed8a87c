// SPDX-License-Identifier: BSD-2-Clause
// A function in the middle, with its callers above and its callees below.

function openSandwich(frame) {
  if (frame >= 0)
    go({view: "sandwich", pivot: frame});
}

function currentSandwich() {
  const {state, weights} = app, key = `${state.pivot} ${state.merged} ${state.widths}`;
  if (!app.sandwich || app.sandwich.weights !== weights || app.sandwich.key !== key)
    app.sandwich = {weights, key, ...makeSandwich(app.model, weights, state.pivot, {collapses: state.merged, widths: state.widths})};
  return app.sandwich;
}

// Make one half. A click on a function switches to it. A click on a rest cell zooms into it; a click on the zoomed rest
// cell, or above it, zooms out.
function makeSandwichPane(label) {
  const pane = makeFlamePane(label, {
    pick: (cell) => {
      if (cell.rest)
        lookInto(pane, cell === pane.zoomed ? pane.tree.root : cell);
      else if (cell.depth < pane.zoomed.depth)
        lookInto(pane, pane.tree.root);
      else
        openSandwich(cell.frame);
    },
    select: (cell) => selectFrame(cell ? cell.frame : -1, () => ({tree: pane.tree, cell: pane.selected})),
  });
  pane.above = 1;
  return pane;
}

function lookInto(pane, cell) {
  setPane(pane, pane.tree, cell, pane);
}

// Draw a half, or a message if it has no cells.
function drawHalf(pane, tree, none, options) {
  pane.box.hidden = false; // hidden elements have no width
  setPane(pane, tree, tree === pane.tree ? pane.zoomed : tree.root, options);
  none.hidden = shownRows(pane) > 0;
  pane.box.hidden = !none.hidden;
}

// Make a list of the heaviest functions, shown if no function is selected.
function makePicker() {
  const list = make("div", {class: "picker"});
  list.sync = () => {
    const {total} = functionsOf(app.model, app.weights).current;
    const label = (frame) => `${formatShare(total[frame], app.weights.current.whole)}  ${frameLabel(app.model, frame, 80)}`;
    list.replaceChildren(make("p", {}, "Choose a function here, or in another view with the key s:"),
      ...heaviest(total, 20).map((frame) => makeButton(label(frame), "", () => openSandwich(frame))));
  };
  return list;
}

// Return the indices of the `most` largest values, largest first.
function heaviest(values, most) {
  const list = [];
  for (let i = 0; i < values.length; i++) {
    if (!values[i] || (list.length === most && values[list[most - 1]] >= values[i]))
      continue;
    if (list.length === most)
      list.pop();
    let at = list.length;
    while (at > 0 && values[list[at - 1]] < values[i])
      at--;
    list.splice(at, 0, i);
  }
  return list;
}

function makeSandwichView() {
  const callers = makeSandwichPane("Callers: arrow keys go from cell to cell, Enter switches to that function");
  const callees = makeSandwichPane("Callees: arrow keys go from cell to cell, Enter switches to that function");
  const title = make("h2", {class: "pivot"}), picker = makePicker();
  const bar = make("div", {class: "bar"}, ...treeToggles().filter((one) => one.textContent !== "Reversed"), makeLegend());
  const above = make("p", {class: "caption"}, "Above: callers of the function, the nearest at the bottom. Below: its callees.");
  const noCallers = make("p", {class: "caption"}, "No callers: it is the outermost function."), noCallees = make("p", {class: "caption"}, "No callees.");
  const unknown = make("p", {class: "caption"}, `It was ${NO_CHAINS}.`);
  const body = make("div", {class: "sandwich"}, above, unknown, noCallers, callers.box, title, callees.box, noCallees);
  callers.fits = true; // limit it to its rows, which leaves the rest to the callees
  return {
    element: make("div", {class: "view fills"}, bar, picker, body),
    focus: () => callees.box.focus(),
    draw() {
      const {state} = app, hasPivot = state.pivot >= 0;
      syncAll(bar);
      picker.hidden = hasPivot;
      body.hidden = !hasPivot;
      if (!hasPivot)
        return picker.sync();
      const trees = currentSandwich(), options = {showsChange: showsChange(state), found: app.found};
      const {root} = trees.callees;
      setText(title, `${frameLabel(app.model, state.pivot, SHOWN_MAX)}: ${describeCell(trees.callees, root).slice(trees.callees.hasBase ? -2 : -1).join("; ")}`);
      if (app.frame < 0)
        selectFrame(state.pivot);
      const {isFlat} = chainsOf(app.model);
      drawHalf(callers, trees.callers, noCallers, {...options, upward: true});
      drawHalf(callees, trees.callees, noCallees, options);
      unknown.hidden = !isFlat;
      if (isFlat) {
        for (const one of [above, noCallers, noCallees, callers.box, callees.box])
          one.hidden = true;
      } else {
        above.hidden = false;
      }
    },
  };
}
