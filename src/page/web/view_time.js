// SPDX-License-Identifier: BSD-2-Clause
// A track for each thread or CPU over time. Only the visible tracks are binned and drawn.

// Group samples by thread or CPU: those of key k are order[starts[k]..starts[k + 1]).
function* groupingSteps(model, passing, keys, count) {
  const starts = new Uint32Array(count + 2), {length} = passing;
  const weight = new Float64Array(count);
  yield* inBlocks(length, (from, to) => {
    for (let at = from; at < to; at++) {
      const i = passing[at];
      starts[keys[i] + 2]++;
      weight[keys[i]] += model.columns.sample_weight[i];
    }
  });
  for (let k = 2; k < count + 2; k++)
    starts[k] += starts[k - 1];
  const order = new Uint32Array(length);
  yield* inBlocks(length, (from, to) => {
    for (let at = from; at < to; at++)
      order[starts[keys[passing[at]] + 1]++] = passing[at];
  });
  return {order, starts, weight};
}

function* laneSteps() {
  const {model, state} = app, isCpu = state.by === "cpu";
  const keys = isCpu ? model.columns.sample_cpu : model.columns.sample_thread;
  const count = isCpu ? keys.reduce((most, cpu) => Math.max(most, cpu), 0) + 1 : model.threads;
  const wanted = {...state, threads: isCpu ? state.threads : null}, lanes = [];
  if (count > 1e6)
    return lanes;
  for (let r = 0; r < model.meta.recordings.length; r++) {
    const groups = yield* groupingSteps(model, yield* passingSteps(wanted, r), keys, count);
    yield* inBlocks(count, (from, to) => {
      for (let key = from; key < to; key++) {
        if (groups.starts[key + 1] > groups.starts[key])
          lanes.push({recording: r, key, isCpu, weight: groups.weight[key], order: groups.order, start: groups.starts[key], end: groups.starts[key + 1], bins: null});
      }
    });
  }
  return lanes.sort((a, b) => isCpu ? a.key - b.key || a.recording - b.recording : b.weight - a.weight || a.key - b.key);
}

function laneLabel(lane) {
  const name = lane.isCpu ? cpuLabel(lane.key) : threadLabel(app.model, lane.key, 80);
  return app.model.hasBase ? `${name} (${lane.recording ? "after" : "before"})` : name;
}

function* binLaneSteps(lane, count) {
  if (!lane.bins || lane.bins.weight.length !== count) {
    lane.bins = yield* binSteps(app.model, lane.order, lane.start, lane.end, count);
    lane.losses = lane.isCpu ? lossBins(app.model, lane.recording, lane.key, count) : [];
  }
  return lane.bins;
}

function binLane(lane, count) {
  return finish(binLaneSteps(lane, count));
}

function paintLane(view, context, lane, i, top) {
  const colours = theme(), {brush} = view, count = laneBins(view);
  const isChosen = !lane.isCpu && app.state.threads && app.state.threads.includes(lane.key);
  if (i === view.cursor || isChosen) {
    context.fillStyle = colours.span;
    context.fillRect(0, top, brush.left, LANE_HEIGHT);
  }
  binLane(lane, count);
  paintBins(context, lane.bins, lane.losses, {x: brush.left, y: top + 3, height: LANE_HEIGHT - 6, step: brush.width / count}, view.scale.most);
  context.fillStyle = colours.text;
  context.fillText(fitText(context, laneLabel(lane), brush.left - 12), 6, top + LANE_HEIGHT / 2);
  context.fillStyle = colours.line;
  context.fillRect(0, top + LANE_HEIGHT - 1, brush.left + brush.width, 1);
}

// Return the number of bins, which is the same for all tracks so that bars are comparable.
function laneBins(view) {
  return binCount(4 * view.densest, view.brush.width);
}

// Paint the axis below the tracks, or at the lower edge of the window.
function paintAxis(view, context, width, top) {
  context.fillStyle = theme().ground;
  context.fillRect(0, top, width, AXIS_HEIGHT);
  paintTicks(context, view.brush, top);
  context.fillText(view.brush.left > AXIS_WORDS ? "seconds since the start" : "seconds", 6, top + 12);
}

// Paint the visible tracks. They share one scale, so that they are comparable.
function paintLanes(view) {
  const {box, canvas, lanes, brush} = view, width = box.clientWidth, height = Math.max(box.clientHeight, 1);
  const context = fitCanvas(canvas, width, height), offset = box.scrollTop;
  Object.assign(brush, timeArea(SIDE));
  context.fillStyle = theme().ground;
  context.fillRect(0, 0, width, height);
  measureFont(context);
  context.textBaseline = "middle";
  const first = Math.floor(offset / LANE_HEIGHT), last = Math.min(lanes.length, Math.ceil((offset + height) / LANE_HEIGHT));
  const count = laneBins(view);
  view.most = 0;
  for (let i = first; i < last; i++)
    view.most = Math.max(view.most, binLane(lanes[i], count).most);
  view.scale = barScale(view.most, app.model.length * app.model.unitNs / count);
  for (let i = first; i < last; i++)
    paintLane(view, context, lanes[i], i, i * LANE_HEIGHT - offset);
  setText(view.told, view.scale.ticks.length ? `full height: ${view.scale.ticks[0].text}${view.scale.ticks[0].text.endsWith("%") ? " of a CPU" : ""}` : "");
  paintBrush(context, brush, Math.min(height - AXIS_HEIGHT, lanes.length * LANE_HEIGHT - offset));
  paintAxis(view, context, width, Math.min(height - AXIS_HEIGHT, lanes.length * LANE_HEIGHT - offset));
}

function laneAt(view, event) {
  const area = view.canvas.getBoundingClientRect(), y = event.clientY - area.top;
  return y < area.height - AXIS_HEIGHT ? Math.floor((y + view.box.scrollTop) / LANE_HEIGHT) : -1;
}

// Filter by a thread: alone, in addition to others, or no longer. A CPU is added to the query.
function pickLane(view, i, isMore) {
  const lane = view.lanes[i], chosen = app.state.threads || [];
  if (!lane)
    return;
  view.cursor = i;
  if (lane.isCpu) {
    if (lane.key)
      addQuery(`cpu:${lane.key - 1}`);
    return;
  }
  const others = chosen.filter((thread) => thread !== lane.key);
  const isOut = others.length < chosen.length && (isMore || !others.length);
  const threads = isMore ? [...others, ...(isOut ? [] : [lane.key])] : isOut ? [] : [lane.key];
  go({threads: threads.length ? threads.slice(0, LIST_MAX) : null});
}

function laneKey(view, key) {
  const steps = {ArrowUp: -1, ArrowDown: 1};
  if (key === "Enter" && view.cursor >= 0) {
    pickLane(view, view.cursor, false);
    return true;
  }
  if (!steps[key] || !view.lanes.length)
    return false;
  view.cursor = Math.max(0, Math.min(view.lanes.length - 1, view.cursor + steps[key]));
  view.box.scrollTop = Math.max(Math.min(view.box.scrollTop, view.cursor * LANE_HEIGHT), (view.cursor + 1) * LANE_HEIGHT + AXIS_HEIGHT - view.box.clientHeight);
  const lane = view.lanes[view.cursor];
  say(`${laneLabel(lane)}: ${formatCount(lane.end - lane.start)} samples`);
  paintLanes(view);
  return true;
}

function tipOfLane(view, event) {
  const lane = view.lanes[laneAt(view, event)], x = event.clientX - view.canvas.getBoundingClientRect().left;
  if (!lane || view.brush.isDragging)
    return hideTip();
  const lines = [laneLabel(lane), `${formatCount(lane.end - lane.start)} samples`];
  if (x >= view.brush.left && lane.bins) {
    const bin = Math.min(lane.bins.weight.length - 1, Math.floor((x - view.brush.left) * lane.bins.weight.length / view.brush.width));
    const ns = timeAt(view.brush, x) * app.model.unitNs;
    lines.push(`${formatSeconds(ns, app.model.length * app.model.unitNs / 1000)} s: ${formatRate(lane.bins.weight[bin], app.model.length * app.model.unitNs / lane.bins.weight.length)}`);
    if (lane.bins.cut[bin])
      lines.push(`${formatCount(lane.bins.cut[bin])} stacks broken`);
    const lost = (lane.losses || []).find((loss) => Math.abs(loss.bin - bin) < 2);
    if (lost)
      lines.push(`${formatCount(lost.count)} lost`);
  } else {
    lines.push("click: filter by this; with Shift: add this");
  }
  showTip(lines, event.clientX, event.clientY);
}

function makeTimeLegend() {
  const items = [["bar", "user"], ["kernelBar", "kernel"], ["cut", "truncated stacks"], ["lost", "lost samples"]];
  const legend = make("div", {class: "legend"});
  legend.sync = () => setChildren(legend, themeName(), () => items.map(([colour, text]) => legendItem(theme()[colour], text)));
  return legend;
}

// Show other tracks; `densest` is the number of samples of the track that has most.
function takeLanes(view, key, lanes) {
  const densest = lanes.reduce((most, lane) => Math.max(most, lane.end - lane.start), 0);
  Object.assign(view, {key, lanes, densest, cursor: -1});
}

// Compute the tracks of the current selection if it changed, and the bins of the visible ones.
function* viewLaneSteps(view) {
  const {state, model} = app, key = `${selectionKey({...state, threads: state.by === "cpu" ? state.threads : null}, true)} ${state.by}`;
  if (view.key !== key)
    takeLanes(view, key, model.hasTimes ? yield* laneSteps() : []);
  Object.assign(view.brush, timeArea(SIDE));
  const first = Math.floor(view.box.scrollTop / LANE_HEIGHT), count = laneBins(view);
  for (const lane of view.lanes.slice(first, first + Math.ceil(app.panel.clientHeight / LANE_HEIGHT) + 1))
    yield* binLaneSteps(lane, count);
}

function makeTimeView() {
  const canvas = make("canvas", {"aria-hidden": "true"}), spacer = make("div", {class: "spacer"}, canvas);
  const box = make("div", {class: "flame lanes", tabIndex: 0, role: "application", "aria-roledescription": "time lines",
    "aria-label": "Threads or CPUs over time: up and down select a track, Enter filters by it, left and right move in time, space starts and ends a span"}, spacer);
  const view = {box, canvas, lanes: [], densest: 0, cursor: -1, most: 0, scale: null, key: "", told: make("span", {class: "scale"})};
  view.brush = makeBrush(canvas, box, () => paintLanes(view), (event) => pickLane(view, laneAt(view, event), event.shiftKey));
  box.addEventListener("scroll", () => paintLanes(view));
  box.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && laneKey(view, event.key))
      event.preventDefault();
  });
  canvas.addEventListener("mousemove", (event) => tipOfLane(view, event));
  canvas.addEventListener("mouseleave", hideTip);
  const bar = make("div", {class: "bar"}, makeChoice("Rows", [["thread", "threads"], ["cpu", "CPUs"]], () => app.state.by, (by) => go({by})),
    view.told, makeTimeLegend(), make("span", {class: "hint"}, "Drag to select a span. Click to filter by a thread; with Shift: by several. Key 7: its stacks in time."));
  const none = make("p", {class: "empty"}, "Nothing to show: the recording has no times, or no samples are selected.");
  return {
    element: make("div", {class: "view fills"}, bar, none, box),
    focus: () => box.focus(),
    prepare: () => viewLaneSteps(view),
    draw() {
      syncAll(bar);
      finish(viewLaneSteps(view));
      none.hidden = view.lanes.length > 0;
      box.hidden = !none.hidden;
      spacer.style.height = `${view.lanes.length * LANE_HEIGHT + AXIS_HEIGHT}px`;
      if (!box.hidden)
        paintLanes(view);
    },
  };
}
