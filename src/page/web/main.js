// SPDX-License-Identifier: BSD-2-Clause
// Everything is drawn from a single state, which is changed by go().

const app = {
  base: null, model: null, folds: null, grouped: null, passing: new Map(), threadSums: [], wholes: [], sums: [], completions: {weights: null}, drawnState: null, state: null, selected: null, selectedBy: null, applied: "", weights: null, key: "", queryError: "", notes: [], kinds: new Set(),
  found: null, searched: "", searchError: "", linkError: "", tree: null, sandwich: null, views: {}, shown: null, strip: null, panel: null,
  wantedLine: null, hot: null, frame: -1, pick: null, pickedIn: null, noteFor: null, keys: null, isWaiting: false, request: 0, job: null, keysWaiting: [],
};

function selectionKey(state, withoutSpan) {
  return JSON.stringify([state.event, withoutSpan ? null : state.span, state.threads, app.applied]);
}

// Evaluate a query. An invalid query shows an error and keeps what was selected. The result is kept until the query
// changes.
function* selectSteps(query) {
  const model = app.base;
  try {
    const selected = yield* querySteps(model, query);
    Object.assign(app, {selected, applied: query, queryError: timeOutside(model, query)});
  } catch (error) {
    if (!(error instanceof BadQuery))
      throw error;
    app.queryError = `${error.message}${error.offset ? ` (at ${error.offset + 1})` : ""}`;
    app.selected = app.selected || finish(querySteps(model, ""));
  }
  app.selectedBy = query;
}

// Compute the sums of the selection if it changed.
function* reweighSteps() {
  const {state, base} = app;
  if (app.selectedBy !== state.query)
    yield* selectSteps(state.query);
  const key = `${selectionKey(state)} ${foldKey(state)}`;
  if (app.key === key)
    return;
  const model = yield* currentModelSteps(base, state), weights = yield* weighSteps(model, state);
  Object.assign(app, {key, model, weights});
  setShareDigits(fewestSamples());
}

// Compute what the current view shows. It is cached, and drawn by drawNow().
function* drawSteps() {
  yield* reweighSteps();
  yield* searchSteps();
  if (app.base.hasTimes)
    yield* stripSteps(app.strip);
  const view = viewOf(app.state.view);
  if (view.prepare)
    yield* view.prepare();
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
  document.documentElement.dataset.busy = "1";
  app.request = requestAnimationFrame(beginDraw);
}

// Begin to compute what is drawn, instead of what is being computed for an earlier state.
function beginDraw() {
  app.isWaiting = false;
  stopJob(app.job);
  document.documentElement.dataset.busy = "1";
  app.job = makeJob(drawSteps(), endDraw);
  runSlice(app.job);
}

function endDraw(job) {
  app.job = null;
  inJob(job, drawNow);
  const {dataset} = document.documentElement;
  Object.assign(dataset, {redraw: job.total.toFixed(2), longest: job.longest.toFixed(2), drawn: String(Number(dataset.drawn || 0) + 1),
    firstView: dataset.firstView || performance.now().toFixed(1)});
  if (!app.isWaiting)
    delete dataset.busy;
  repeatKeys();
}

// Draw what is waiting, so that a key refers to the view that the key before it opened. If that takes longer, keys are
// kept until it is done.
function onEarlyKey(event) {
  if (app.isWaiting) {
    cancelAnimationFrame(app.request);
    beginDraw();
  }
  const isNative = event.target.closest("input, select, textarea, dialog, #menu") || (event.target.closest("button, summary") && (event.key === "Enter" || event.key === " "));
  if (!app.job || isNative || event.ctrlKey || event.altKey || event.metaKey || !/^(.|Arrow.*|Page.*|Home|End|Enter|Escape|Backspace)$/.test(event.key))
    return;
  event.preventDefault();
  event.stopImmediatePropagation();
  app.keysWaiting.push([event.key, event.shiftKey]);
}

function repeatKeys() {
  for (const [key, shiftKey] of app.keysWaiting.splice(0))
    (document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", {key, shiftKey, bubbles: true, cancelable: true}));
}

function viewOf(wanted) {
  const {name, make: build} = VIEW_LIST.find((one) => one.name === wanted);
  return app.views[name] = app.views[name] || build();
}

function showView() {
  const view = viewOf(app.state.view);
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

// Draw the current state. Whatever was not computed before is computed at once.
function drawNow() {
  refreshTheme();
  finish(reweighSteps());
  finish(searchSteps());
  tellFound();
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
  window.addEventListener("keydown", onEarlyKey, {capture: true});
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
    beginDraw();
  } catch (error) {
    showError(explain(error));
    if (!(error instanceof BrokenPage))
      throw error;
  }
}

start();
