// SPDX-License-Identifier: BSD-2-Clause
// The keys of the page, modelled on those of the terminal browser, and the help dialog.

// [key, description, function, or null if a view handles the key]
const KEYS = [
  ["1 \u2026 8", "views: overview, functions, flame graph, callers and callees, source, time, heatmap, call tree", null],
  ["/", "marks functions with a text, or a /regular expression/, in their name", () => focusOn("search")],
  [":", "asks for a query: only samples for which it holds count in all views", () => focusOn("query")],
  ["Esc", "leaves a box; takes the last step back: zoom, query, threads, span", null],
  ["Enter, +", "in a flame graph: zooms to the cell; in callers and callees: goes to that function; over time: only this thread or CPU", null],
  ["-, Backspace", "zooms one step out", () => zoomOut()],
  ["0", "zooms out whole", () => go({zoom: ""})],
  ["arrows, Home", "go to another cell, row or time", null],
  ["Space", "over time: here a span begins; once more: there it ends", null],
  ["wheel", "over time: a shorter or longer span around the pointer, with Ctrl where it scrolls otherwise; in a flame graph with Ctrl: into the cell, or a step out", null],
  ["x", "takes the span away", () => go({span: null})],
  ["r", "reversed: what takes time outermost, its callers inside", () => go({reversed: !app.state.reversed, zoom: ""})],
  ["c", "a function that calls itself is one cell", () => go({merged: !app.state.merged, zoom: ""})],
  ["v", "callers at the bottom instead of the top", () => go({upward: !app.state.upward})],
  ["s", "callers and callees of the function selected", () => openSandwich(app.frame)],
  ["a", "its source", () => openNote(app.frame)],
  ["f", "only samples that have it on their stack", () => app.frame >= 0 && onlyFunction(app.frame)],
  ["d", "only samples that have its file on their stack", () => onlyFile(app.frame)],
  ["w", "its names, whole", () => showWhole(app.frame)],
  ["o", "functions: by total, or by self", () => go({sort: app.state.sort === "total" ? "self" : "total", ascending: false})],
  ["b", "time: CPUs, or threads", () => go({by: app.state.by === "cpu" ? "thread" : "cpu"})],
  ["e", "the next event", () => go({event: (app.state.event + 1) % app.model.meta.events.length})],
  ["i", "health and metadata", () => go({view: "overview"})],
  ["T", "dark or light", () => turnTheme()],
  ["?, h", "this help", () => showHelp()],
];

function keyActions() {
  const actions = new Map();
  for (const [names, , act] of KEYS) {
    for (const name of act ? names.split(", ") : [])
      actions.set(name, act);
  }
  VIEW_LIST.forEach((view, i) => actions.set(String(i + 1), () => go({view: view.name})));
  return actions;
}

function focusOn(id) {
  byId(id).focus();
  byId(id).select();
}

// Undo the most recent kind of filter, in the order in which filters are usually applied.
function stepBack() {
  const {state} = app;
  const step = [["zoom", ""], ["query", ""], ["threads", null], ["span", null]].find(([name, none]) => state[name] !== none);
  if (step)
    go({[step[0]]: step[1]});
}

function showHelp() {
  const rows = KEYS.map(([key, what]) => make("tr", {}, make("th", {scope: "row"}, make("kbd", {}, key)), make("td", {}, what)));
  showDialog("Keys and queries", make("table", {class: "keys"}, make("tbody", {}, ...rows)),
    make("h3", {}, "Queries"),
    make("p", {}, "Words separated by blanks, all of which must hold; - or ! before one negates it: comm:nginx sym:/^ngx_.*handler$/ -dso:libssl time:10%-20%"),
    make("p", {}, "comm:X the thread's name; pid:N tid:N cpu:N numbers and ranges (0-3,5); time:START,END in seconds of the recording's clock, " +
      "or 10%-20%; sym:X dso:X a function or file anywhere on the stack; self-sym:X self-dso:X where the sample is; X alone any of the names."),
    make("p", {}, "X is a part of a name, =X the whole, ==X with upper and lower case as they are, /X/ a regular expression; \"in quotes\" with blanks."));
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
