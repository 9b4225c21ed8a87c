// SPDX-License-Identifier: BSD-2-Clause
// The view of stacks in the order of time, for one thread: zoomed by wheel and keys, moved by dragging.

const CHART_THREADS = 200, CHART_ZOOM = 1.5;

// Return the thread to show: the one asked for, the selected one, or the heaviest.
function chartThread(weights) {
  const {state} = app, [heavy] = heaviest(weights, 1);
  return state.lane >= 0 ? state.lane : state.threads && state.threads.length ? state.threads[0] : heavy === undefined ? 0 : heavy;
}

// Return the largest window: the selected time, or the whole recording.
function chartWhole() {
  const {base} = app, [from, to] = selectedTimes(base, base.current);
  return to > from ? [from, Math.max(to, from + 1)] : [0, Math.max(base.length, 1)];
}

// Return the window of time that is shown, inside the largest one.
function chartWindow() {
  const [from, to] = chartWhole(), {window: chosen} = app.state;
  const inside = chosen && chosen[0] < to && chosen[1] > from ? [Math.max(from, chosen[0]), Math.min(to, chosen[1])] : null;
  return inside && inside[1] > inside[0] ? inside : [from, to];
}

// Show another window of time. It is kept inside the largest one without changing its length, if possible.
function setWindow(from, to) {
  const [first, last] = chartWhole(), length = Math.max(1, Math.min(last - first, Math.round(to - from)));
  const start = Math.round(Math.max(first, Math.min(last - length, from)));
  go({window: length >= last - first ? null : [start, start + length]});
}

function zoomWindow(times, share = 0.5) {
  const [from, to] = chartWindow(), at = from + share * (to - from);
  setWindow(at - (at - from) * times, at + (to - at) * times);
}

function chartPlaceAt(view, event) {
  const area = view.canvas.getBoundingClientRect(), y = event.clientY - area.top - AXIS_HEIGHT;
  if (!view.layout || y < 0)
    return null;
  return placeAt(view.layout, Math.floor((y + view.box.scrollTop) / ROW_HEIGHT), event.clientX - area.left);
}

function tellPlace(view, place) {
  const {base} = app, {model} = view.layout, [from, to] = chartWindow(), {node, x, width} = place, frame = model.frame[node];
  const ns = (pixels) => Math.round(pixels * (to - from) / view.layout.width * base.unitNs), file = shownText(frameFile(model, frame));
  return [frameName(model, frame), `${KINDS[frameKind(model, frame)]}${file ? `, ${file}` : ""}`,
    `${formatNs(ns(width))} at ${formatSeconds(from * base.unitNs + ns(x), (to - from) * base.unitNs / 1000)} s`];
}

function selectPlace(view, place) {
  view.selected = place;
  if (place) {
    const top = place.row * ROW_HEIGHT, {box} = view, room = box.clientHeight - AXIS_HEIGHT;
    box.scrollTop = Math.max(Math.min(box.scrollTop, top), top + ROW_HEIGHT - room);
    say(tellPlace(view, place).join(", "));
    const tree = makeTree(app.model, app.weights, treeOptions(app.state)), {node} = place;
    selectFrame(app.model.frame[node], () => ({tree, cell: cellOfNode(tree, node)}));
  }
  paintStacks(view);
}

function zoomToPlace(view, place) {
  const [from, to] = chartWindow(), scale = (to - from) / view.layout.width;
  setWindow(from + place.x * scale, from + (place.x + place.width) * scale);
}

// Return the place next to one, in its row or in the row above or below.
function placeBeside(view, place, key) {
  const {rows} = view.layout, step = {ArrowLeft: -1, ArrowRight: 1}[key];
  if (!place || key === "Home")
    return rows.length ? rows[0][0] : null;
  if (step)
    return rows[place.row][rows[place.row].indexOf(place) + step] || place;
  const row = rows[place.row + (key === "ArrowDown" ? 1 : -1)] || [];
  return (key === "ArrowDown" ? row.find((one) => one.x >= place.x - 0.01 && one.x < place.x + place.width)
    : placeAt(view.layout, place.row - 1, place.x + Math.min(place.width, 0.5) / 2)) || place;
}

const CHART_KEYS = {
  "+": (view) => view.selected ? zoomToPlace(view, view.selected) : zoomWindow(1 / CHART_ZOOM),
  "Enter": (view) => view.selected && zoomToPlace(view, view.selected),
  "-": () => zoomWindow(CHART_ZOOM),
  "Backspace": () => zoomWindow(CHART_ZOOM),
  "0": () => go({window: null}),
};

function chartKey(view, event) {
  const {key} = event, [from, to] = chartWindow(), step = {ArrowLeft: -0.2, ArrowRight: 0.2}[key];
  if (event.shiftKey && step)
    setWindow(from + step * (to - from), to + step * (to - from));
  else if (key.startsWith("Arrow") || key === "Home")
    selectPlace(view, placeBeside(view, view.selected, key));
  else if (CHART_KEYS[key])
    CHART_KEYS[key](view);
  else
    return;
  event.preventDefault();
}

function paintChartAxis(view, context, width) {
  const [from, to] = chartWindow(), {unitNs} = app.base, step = niceStep((to - from) * unitNs, Math.max(2, Math.floor(width / 100)));
  context.fillStyle = theme().ground;
  context.fillRect(0, 0, width, AXIS_HEIGHT);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "alphabetic";
  context.fillStyle = theme().faint;
  for (let at = Math.ceil(from * unitNs / step) * step, i = 0; at <= to * unitNs && i < 100; at += step, i++) {
    const x = width * (at / unitNs - from) / (to - from), text = `${formatSeconds(at, step)} s`, wide = context.measureText(text).width;
    context.fillRect(x, AXIS_HEIGHT - 5, 1, 4);
    context.fillText(text, x + 4 + wide > width ? x - 4 - wide : x + 4, AXIS_HEIGHT - 5);
  }
}

function paintStacks(view) {
  const {box, canvas, layout} = view, height = Math.max(box.clientHeight, ROW_HEIGHT), colours = theme();
  if (!layout || box.hidden)
    return;
  const context = fitCanvas(canvas, layout.width, height);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, layout.width, height);
  context.save();
  context.translate(0, AXIS_HEIGHT);
  paintChart(view, context, box.scrollTop, height - AXIS_HEIGHT);
  for (const [place, colour] of [[view.hovered, colours.faint], [view.selected, colours.focus]]) {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    if (place)
      context.strokeRect(place.x + 1, place.row * ROW_HEIGHT - box.scrollTop + 1, Math.max(place.width - 3, 1), ROW_HEIGHT - 3);
  }
  context.restore();
  paintChartAxis(view, context, layout.width);
}

function dragChart(view, event) {
  const [from, to] = chartWindow(), scale = (to - from) / view.layout.width, top = view.box.scrollTop;
  let isMoved = false;
  const move = (next) => {
    isMoved = isMoved || Math.abs(next.clientX - event.clientX) + Math.abs(next.clientY - event.clientY) > 3;
    if (!isMoved)
      return;
    view.box.scrollTop = top - (next.clientY - event.clientY);
    setWindow(from - (next.clientX - event.clientX) * scale, to - (next.clientX - event.clientX) * scale);
  };
  const end = () => {
    window.removeEventListener("mousemove", move);
    window.removeEventListener("mouseup", end);
    const place = isMoved ? null : chartPlaceAt(view, event);
    if (place) {
      selectPlace(view, place);
      go(choice(view.layout.model.frame[place.node]));
    }
  };
  window.addEventListener("mousemove", move);
  window.addEventListener("mouseup", end);
}

function listenToChart(view) {
  const {box, canvas} = view, at = (event) => (event.clientX - canvas.getBoundingClientRect().left) / Math.max(view.layout ? view.layout.width : 1, 1);
  box.addEventListener("scroll", () => paintStacks(view));
  box.addEventListener("keydown", (event) => !event.ctrlKey && !event.altKey && !event.metaKey && view.layout && chartKey(view, event));
  canvas.addEventListener("mousedown", (event) => event.button === 0 && view.layout && dragChart(view, event));
  canvas.addEventListener("dblclick", () => view.selected && zoomToPlace(view, view.selected));
  canvas.addEventListener("mousemove", (event) => {
    const place = chartPlaceAt(view, event), isOther = place !== view.hovered;
    view.hovered = place;
    if (isOther)
      paintStacks(view);
    if (place)
      showTip(tellPlace(view, place), event.clientX, event.clientY);
    else
      hideTip();
  });
  canvas.addEventListener("mouseleave", hideTip);
  canvas.addEventListener("contextmenu", (event) => {
    const place = chartPlaceAt(view, event);
    event.preventDefault();
    if (place) {
      selectPlace(view, place);
      openMenu(view.layout.model.frame[place.node], event.clientX, event.clientY);
    }
  });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && (box.scrollHeight > box.clientHeight + 1 || !event.deltaY))
      return;
    event.preventDefault();
    zoomWindow(Math.exp(Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, event.deltaY)) * WHEEL_RATE), at(event));
  }, {passive: false});
}

// Make the list of threads to choose from. Its entries change with the selection.
function makeThreadChoice(view) {
  const choose = makeChoice("Thread", [], () => "", (value) => go({lane: Number(value)})), select = choose.querySelector("select");
  choose.sync = () => {
    setChildren(select, `${app.key} ${view.thread}`, () => {
      const shown = new Set([view.thread, ...heaviest(view.weights, CHART_THREADS)]);
      return [...shown].map((thread) => make("option", {value: String(thread)}, threadLabel(app.base, thread, 80)));
    });
    select.value = String(view.thread);
  };
  return choose;
}

// Compute what changed: the samples of the thread, and the layout of the window.
function* viewChartSteps(view) {
  view.weights = yield* threadWeightSteps(app.base.current);
  view.thread = chartThread(view.weights);
  const {base, model, state} = app, key = `${selectionKey(state, true)} ${foldKey(state)} ${view.thread}`, [from, to] = chartWindow();
  if (view.key !== key)
    Object.assign(view, {samples: yield* chartSteps(view.thread), key});
  const width = paneWidth(view.box), shown = `${key} ${from} ${to} ${width}`;
  if (view.shownKey !== shown) {
    const pieces = base.hasTimes ? chartPieces(view.samples, from, to, width) : [];
    Object.assign(view, {shownKey: shown, layout: {rows: layOutChart(model, pieces), width, model}, hovered: null, selected: null});
  }
}

function makeStacksView() {
  const canvas = make("canvas", {"aria-hidden": "true"}), spacer = make("div", {class: "spacer"}, canvas);
  const box = make("div", {class: "flame chart", tabIndex: 0, role: "application", "aria-roledescription": "stacks over time",
    "aria-label": "Stacks in the order of time: arrow keys go from cell to cell, Enter zooms, - zooms out, Shift and arrows move"}, spacer);
  const view = {box, canvas, spacer, samples: null, layout: null, hovered: null, selected: null, key: "", shownKey: "", thread: 0, weights: []};
  const none = make("p", {class: "empty"}), choose = makeThreadChoice(view);
  const bar = make("div", {class: "bar"}, choose, makeButton("Zoom out", "zoom out (-), or completely (0)", () => zoomWindow(CHART_ZOOM)),
    make("span", {class: "hint"}, "Drag to move, Ctrl and the wheel to zoom; empty where the thread was idle."), makeLegend(true));
  listenToChart(view);
  return {
    element: make("div", {class: "view fills"}, bar, none, box),
    focus: () => box.focus(),
    prepare: () => viewChartSteps(view),
    draw() {
      const {base} = app;
      box.hidden = false;
      finish(viewChartSteps(view));
      syncAll(bar);
      const isEmpty = !view.layout.rows.length;
      setText(none, base.hasTimes ? "This thread has no samples in the selection." : "This recording has no times.");
      none.hidden = !isEmpty;
      box.hidden = isEmpty;
      spacer.style.height = `${view.layout.rows.length * ROW_HEIGHT + AXIS_HEIGHT}px`;
      paintStacks(view);
    },
  };
}
