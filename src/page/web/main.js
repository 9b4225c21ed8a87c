// SPDX-License-Identifier: BSD-2-Clause
// Everything is drawn from a single state, which is changed by go().

const app = {
  base: null, model: null, folds: null, grouped: null, passing: new Map(), threadSums: null, completions: {weights: null}, drawnState: null, state: null, selected: null, selectedBy: null, applied: "", weights: null, key: "", queryError: "", notes: [], kinds: new Set(),
  found: null, searched: "", searchError: "", linkError: "", tree: null, sandwich: null, views: {}, shown: null, strip: null, panel: null,
  wantedLine: null, hot: null, frame: -1, pick: null, pickedIn: null, noteFor: null, keys: null, isWaiting: false, request: 0,
};

function selectionKey(state, withoutSpan) {
  return JSON.stringify([state.event, withoutSpan ? null : state.span, state.threads, app.applied]);
}

// Evaluate a query. An invalid query shows an error and keeps what was selected. The result is kept until the query
// changes.
function selectBy(query) {
  const model = app.base;
  app.selectedBy = query;
  try {
    app.selected = selectQuery(model, query);
    app.applied = query;
    app.queryError = timeOutside(model, query);
  } catch (error) {
    if (!(error instanceof BadQuery))
      throw error;
    app.queryError = `${error.message}${error.offset ? ` (at ${error.offset + 1})` : ""}`;
    app.selected = app.selected || selectQuery(model, "");
  }
}

// Compute the sums of the selection if it changed.
function reweigh() {
  const {state, base} = app;
  if (app.selectedBy !== state.query)
    selectBy(state.query);
  const key = `${selectionKey(state)} ${foldKey(state)}`;
  if (app.key === key)
    return;
  app.key = key;
  app.model = currentModel(base, state);
  app.weights = weigh(app.model, state);
  setShareDigits(fewestSamples());
}

function go(changes) {
  const before = app.state;
  app.state = {...before, ...changes};
  app.linkError = "";
  const fragment = "#" + writeFragment(app.state);
  if (fragment !== (location.hash || "#")) {
    if (isStep(before, app.state))
      history.pushState(null, "", fragment);
    else
      history.replaceState(null, "", fragment);
  }
  draw();
}

// The user went back or opened another link. Browsers may report this twice.
function onAddress() {
  const before = writeFragment(app.state);
  if ((location.hash || "#") !== "#" + before && (readAddress() || writeFragment(app.state) !== before))
    draw();
}

// Read the state from the address. Invalid parts are reported until the next step, and removed from the address.
// Returns true if there were any.
function readAddress() {
  const {state, wrong} = readFragment(location.hash, app.model);
  Object.assign(app, {state, linkError: wrong.length ? `Ignored parts of the link: ${wrong.join("; ")}` : ""});
  if (wrong.length)
    history.replaceState(null, "", "#" + writeFragment(state));
  return wrong.length > 0;
}

// Draw once per animation frame, however often this is called. While printing, startPrinting() has drawn already.
function draw() {
  if (app.isWaiting || printing.isOn)
    return;
  app.isWaiting = true;
  app.request = requestAnimationFrame(finishDraw);
}

function finishDraw() {
  app.isWaiting = false;
  drawNow();
}

// Draw what is waiting, so that a key refers to the view that the key before it opened.
function drawWaiting() {
  if (app.isWaiting) {
    cancelAnimationFrame(app.request);
    finishDraw();
  }
}

function showView() {
  const {name, make: build} = VIEW_LIST.find((one) => one.name === app.state.view);
  const view = app.views[name] = app.views[name] || build();
  const isOther = app.shown !== view;
  if (isOther) {
    app.panel.replaceChildren(view.element);
    Object.assign(app, {shown: view, frame: app.state.pivot, pick: null, pickedIn: view, ...view.picked});
  }
  view.draw();
  if (isOther)
    focusView(view);
}

// Focus a view when it is opened so that its keys work immediately, unless the user is typing. The scroll position is
// kept.
function focusView(view) {
  const at = window.scrollY;
  if (!(document.activeElement instanceof HTMLInputElement))
    view.focus();
  window.scrollTo(0, at);
}

// The duration is stored in the document element, for bench/page.py.
function drawNow() {
  const start = performance.now();
  refreshTheme();
  reweigh();
  refreshSearch();
  drawTabs();
  drawChips();
  drawNothing();
  drawFields();
  drawStrip(app.strip);
  if (app.drawnState !== app.state)
    hideTip(); // a view that only changed its size keeps it
  app.drawnState = app.state;
  showView();
  drawDetails();
  const {dataset} = document.documentElement, end = performance.now();
  dataset.redraw = (end - start).toFixed(2);
  dataset.drawn = String(Number(dataset.drawn || 0) + 1);
  dataset.firstView = dataset.firstView || end.toFixed(1);
}

function showError(text) {
  byId("app").replaceChildren(make("div", {class: "failure", role: "alert"}, make("h1", {}, "Cannot show this page"), make("p", {}, text)));
  document.documentElement.dataset.failed = "1";
}

function explain(error) {
  if (error instanceof BrokenPage)
    return `The page is damaged: ${error.message}.`.replace("is damaged: this browser", "cannot be read: this browser");
  return error instanceof RangeError ? "There is not enough memory for it." : `The viewer failed: ${error && error.message}`;
}

function listen() {
  window.addEventListener("popstate", onAddress);
  window.addEventListener("hashchange", onAddress);
  window.addEventListener("keydown", drawWaiting, {capture: true});
  window.addEventListener("keydown", onKey);
  new ResizeObserver(draw).observe(app.panel);
  window.addEventListener("beforeprint", startPrinting);
  window.addEventListener("afterprint", endPrinting);
  systemScheme.addEventListener("change", draw);
}

async function start() {
  try {
    const meta = readMeta(byId("tally-meta").textContent);
    const data = byId("tally-data");
    const columns = await readColumns(meta, data.textContent.trim(), COLUMN_TYPES);
    data.remove();
    app.base = app.model = makeModel(meta, columns);
    app.notes = readNotes(app.model);
    for (let frame = 0; frame < app.model.frames; frame++)
      app.kinds.add(frameKind(app.model, frame));
    readAddress();
    makeChrome();
    app.keys = keyActions();
    listen();
    drawNow();
  } catch (error) {
    showError(explain(error));
    if (!(error instanceof BrokenPage))
      throw error;
  }
}

start();
