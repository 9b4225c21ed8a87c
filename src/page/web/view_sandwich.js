// SPDX-License-Identifier: BSD-2-Clause
// One function in the middle: who calls it above, what it calls below.

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

function makeSandwichPane(label) {
  const pane = makeFlamePane(label, {
    pick: (cell) => {
      if (cell.up)
        openSandwich(cell.frame);
    },
    select: (cell) => selectFrame(cell ? cell.frame : -1, () => ({tree: pane.tree, cell: pane.selected})),
  });
  return pane;
}

// Functions to choose from when none is, heaviest first.
function makePicker() {
  const list = make("div", {class: "picker"});
  list.sync = () => {
    const {total} = functionsOf(app.model, app.weights).current;
    const label = (frame) => `${formatShare(total[frame], app.weights.current.whole)}  ${frameLabel(app.model, frame, 80)}`;
    list.replaceChildren(make("p", {}, "Choose a function, here or in another view with the key s:"),
      ...heaviest(total, 20).map((frame) => makeButton(label(frame), "", () => openSandwich(frame))));
  };
  return list;
}

// The numbers of the `most` largest values, largest first.
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
  const callers = makeSandwichPane("Callers: arrow keys go from cell to cell, Enter looks at that function");
  const callees = makeSandwichPane("Callees: arrow keys go from cell to cell, Enter looks at that function");
  const title = make("h2", {class: "pivot"}), picker = makePicker();
  const bar = make("div", {class: "bar"}, ...treeToggles().filter((one) => one.textContent !== "Reversed"), makeLegend());
  const above = make("p", {class: "caption"}, "Callers of it, nearest at the bottom"), below = make("p", {class: "caption"}, "What it calls");
  const unknown = make("p", {class: "caption"}, `It was ${NO_CHAINS}.`);
  const body = make("div", {class: "sandwich"}, above, callers.box, title, unknown, below, callees.box);
  callers.fits = true; // no higher than its rows, so that what is below has the rest
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
      unknown.hidden = !isFlat;
      above.hidden = callers.box.hidden = below.hidden = callees.box.hidden = isFlat;
      setPane(callers, trees.callers, trees.callers.root, {...options, upward: true});
      setPane(callees, trees.callees, root, options);
    },
  };
}
