// SPDX-License-Identifier: BSD-2-Clause
// The keys of the page, modelled on those of the terminal browser, and the help dialog.

// [key, description, function, or null if a view handles the key]
const KEYS = [
  ["1 \u2026 9", "switch views, in the order of the tabs", null],
  ["/, g", "mark functions by name or /regular expression/", () => focusOn("search")],
  [":", "filter by a query; it applies to all views. Tab completes names", () => focusOn("query")],
  ["Esc", "close a dialog; undo the last filter: zoom, folded functions, query, threads, span", null],
  ["Enter, +", "zoom to the cell, go to the function, or filter by the thread or CPU", null],
  ["-, Backspace", "zoom out one step", () => zoomOut()],
  ["0", "zoom out completely", () => go({zoom: ""})],
  ["arrows, Home", "go to another cell, row or time; stacks in time, with Shift: move the window", null],
  ["Space", "time, heatmap: mark the start of a span, then its end", null],
  ["wheel", "time: change the span at the pointer (with Ctrl if the view scrolls); with Ctrl: zoom", null],
  ["x", "remove the span", () => go({span: null})],
  ["r", "reverse: leaf functions outermost, their callers inside", () => go({reversed: !app.state.reversed, zoom: ""})],
  ["c", "merge recursive calls into one cell", () => turnMerged()],
  ["I, n", "count inlined functions in their callers, or apart, in all views", () => turnInlines()],
  ["m", "just my code: fold libraries, the kernel and the runtime into their callers", () => turnOwn()],
  ["M", "fold the function into its callers, or unfold it", () => turnFold(wantedFunction())],
  ["U", "unfold all functions that were folded with M", () => go({merge: null, zoom: ""})],
  ["v", "show callers at the bottom instead of the top", () => go({upward: !app.state.upward})],
  ["s", "show callers and callees of the selected function", () => openSandwich(wantedFunction())],
  ["a", "show its source and instructions", () => openNote(wantedFunction())],
  ["H", "source: go to the heaviest instruction, then to the next heaviest", () => goHeaviest()],
  ["f", "filter by samples with it on the stack", () => onlyFunction(wantedFunction())],
  ["d", "filter by samples with its file on the stack", () => onlyFile(wantedFunction())],
  ["D", "drop the samples with it on the stack", () => dropFunction(wantedFunction())],
  ["y, Y", "copy the stack at the cursor: a line for each frame, or folded", null],
  [".", "menu of the function, also by right click", () => openMenuByKey()],
  ["w", "show its full names", () => showWhole(wantedFunction())],
  ["o", "functions: sort by total or self; click a heading for other columns", () => go({sort: functionSort() === "total" ? "self" : "total", ascending: false})],
  ["S", "functions: sort by self", () => go({sort: "self", ascending: false})],
  ["E, P", "export the selection with all folds: folded stacks, speedscope, SVG, CSV", () => showExports()],
  ["b", "time: show CPUs or threads", () => go({by: app.state.by === "cpu" ? "thread" : "cpu"})],
  ["e", "switch to the next event", () => go({event: (app.state.event + 1) % app.model.meta.events.length})],
  ["i", "show the health of the recording", () => openHealth()],
  ["F", "show facts about the recording: machine, command, events", () => showFacts()],
  ["T", "switch between dark and light", () => turnTheme()],
  ["?, h, F1", "show this help", () => showHelp()],
];

function keyActions() {
  const actions = new Map();
  for (const [names, , act] of KEYS) {
    for (const name of act ? names.split(", ") : [])
      actions.set(name, act);
  }
  actions.set("y", () => copyStack("\n"));
  actions.set("Y", () => copyStack(";"));
  actions.set("ContextMenu", () => openMenuByKey());
  VIEW_LIST.forEach((view, i) => actions.set(String(i + 1), () => go({view: view.name})));
  return actions;
}

function focusOn(id) {
  byId("app").querySelector("header").setAttribute("data-open", "");
  byId(id).focus();
  byId(id).select();
}

// Undo the most recent kind of filter, in the order in which filters are usually applied.
function stepBack() {
  const {state} = app;
  const step = [["zoom", ""], ["merge", null], ["query", ""], ["threads", null], ["span", null]].find(([name, none]) => state[name] !== none);
  if (step)
    go({[step[0]]: step[1]});
}

// [example, description]
const QUERY_HELP = [
  ["comm:nginx -dso:libssl", "words separated by blanks must all hold; - or ! before a word negates it"],
  ["comm:X", "the thread's name"],
  ["pid:N tid:N cpu:N", "numbers and ranges, like 0-3,5"],
  ["time:+1.5,+2", "seconds since the first sample, or percentages, like 10%-20%"],
  ["time:1.5,2", "seconds of the recording's clock"],
  ["sym:X dso:X", "a function or file anywhere on the stack"],
  ["self-sym:X self-dso:X", "the function or file in which the sample is"],
  ["X", "part of any of these names; =X the whole name; ==X in this case of letters"],
  ["/X/ \"X Y\"", "a regular expression; a name with blanks"],
];

function helpRow(key, what) {
  return make("tr", {}, make("th", {scope: "row"}, make("kbd", {}, key)), make("td", {}, what));
}

function showHelp() {
  const rows = KEYS.map(([key, what]) => helpRow(key, what));
  showDialog("Keys and queries", make("table", {class: "keys"}, make("tbody", {}, ...rows)),
    make("h3", {}, "Queries"),
    make("table", {class: "keys"}, make("tbody", {}, ...QUERY_HELP.map((row) => helpRow(...row)))));
}

// Move the focus to the view, so that its keys work immediately.
function leaveBox(box) {
  box.blur();
  app.shown.focus();
}

function onKey(event) {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]"))
    return;
  if (event.key === "Escape") {
    event.preventDefault(); // the browser's default would clear the field
    if (isTyping)
      leaveBox(event.target);
    else
      stepBack();
    return;
  }
  const act = isTyping ? null : app.keys.get(event.key);
  if (act) {
    event.preventDefault();
    act();
  }
}
