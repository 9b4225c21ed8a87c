// SPDX-License-Identifier: BSD-2-Clause
// A function in the middle, with its callers above and its callees below.

// Return the changes of the state that choose a function: moving a cursor chooses nothing.
function choice(frame) {
  return frame >= 0 && frame < app.model.frames ? {pivot: frame, note: -1} : {};
}

// Return the function with the largest self, or -1.
function heaviestFunction() {
  const [frame] = heaviest(functionsOf(app.model, app.weights).current.self, 1);
  return frame === undefined ? -1 : frame;
}

// Return the chosen function, or the heaviest until one is chosen.
function chosenFunction() {
  return app.state.pivot >= 0 ? app.state.pivot : heaviestFunction();
}

// Return the function that keys refer to: the one at the cursor, otherwise the chosen one.
function wantedFunction() {
  return app.frame >= 0 ? app.frame : chosenFunction();
}

function openSandwich(frame) {
  if (frame >= 0)
    go({view: "sandwich", ...choice(frame)});
}

function currentSandwich(pivot) {
  const {state, weights} = app, key = `${pivot} ${state.merged} ${state.widths}`;
  if (!app.sandwich || app.sandwich.weights !== weights || app.sandwich.key !== key)
    app.sandwich = {weights, key, ...makeSandwich(app.model, weights, pivot, {collapses: state.merged, widths: state.widths})};
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

function zoomedOf(pane, tree) {
  return tree === pane.tree ? pane.zoomed : tree.root;
}

// Draw a half, or a message if it has no cells.
function drawHalf(pane, tree, none, options) {
  pane.box.hidden = false; // hidden elements have no width
  setPane(pane, tree, zoomedOf(pane, tree), options);
  none.hidden = shownRows(pane) > 0;
  pane.box.hidden = !none.hidden;
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
  const title = make("h2", {class: "pivot"}), byDefault = make("p", {class: "caption"}, "The function with the largest self; choose another one in any view with s.");
  const bar = make("div", {class: "bar"}, ...treeToggles().filter((one) => one.textContent !== "Reversed"), makeInlineHint(), makeLegend());
  const above = make("p", {class: "caption"}, "Above: callers of the function, the nearest at the bottom. Below: its callees.");
  const noCallers = make("p", {class: "caption"}, "No callers: it is the outermost function."), noCallees = make("p", {class: "caption"}, "No callees.");
  const unknown = make("p", {class: "caption"}, `It was ${NO_CHAINS}.`);
  const body = make("div", {class: "sandwich"}, byDefault, above, unknown, noCallers, callers.box, title, callees.box, noCallees);
  callers.fits = true; // limit it to its rows, which leaves the rest to the callees
  return {
    element: make("div", {class: "view fills"}, bar, body),
    focus: () => callees.box.focus(),
    * prepare() {
      const pivot = chosenFunction(), trees = pivot < 0 ? {} : currentSandwich(pivot);
      yield;
      for (const [pane, tree] of [[callers, trees.callers], [callees, trees.callees]].filter(([, one]) => one))
        yield* prepareSteps(pane, tree, zoomedOf(pane, tree));
    },
    draw() {
      const pivot = chosenFunction();
      syncAll(bar);
      byDefault.hidden = app.state.pivot >= 0;
      body.hidden = pivot < 0;
      if (body.hidden)
        return;
      const trees = currentSandwich(pivot), options = {showsChange: showsChange(app.state), found: app.found};
      const {root} = trees.callees;
      setText(title, `${frameName(app.model, pivot, SHOWN_MAX)}: ${describeCell(trees.callees, root).slice(trees.callees.hasBase ? -2 : -1).join("; ")}`);
      if (app.frame < 0)
        selectFrame(pivot);
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
