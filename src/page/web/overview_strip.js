// SPDX-License-Identifier: BSD-2-Clause
// The strip above all views: the selected samples of each recording over time, and the span.

const STRIP_HEIGHT = 46, SCALE_HEIGHT = 16;

function makeStrip() {
  const canvas = make("canvas", {"aria-hidden": "true"});
  const box = make("div", {id: "strip", tabIndex: 0, role: "application", "aria-roledescription": "time line",
    title: "orange: user, red: kernel, purple: lost, teal: truncated stacks; drag to select a span, double-click for all",
    "aria-label": "Samples over time. Arrow keys move, space starts and ends a span, x removes it."}, canvas);
  const strip = {box, canvas, key: "", painted: "", bins: []};
  strip.brush = makeBrush(canvas, box, () => paintStrip(strip), () => go({span: null}));
  return strip;
}

function* stripSteps(strip) {
  const {model} = app, {width} = timeArea(0), key = `${selectionKey(app.state, true)} ${width}`;
  if (strip.key === key)
    return;
  const count = binCount(Math.max(...model.meta.recordings.map((_, r) => samplesOf(model, r)[1] - samplesOf(model, r)[0])), width);
  const all = [];
  for (let r = 0; r < model.meta.recordings.length; r++) {
    const list = yield* passingSteps(app.state, r);
    all.push({bins: yield* binSteps(model, list, 0, list.length, count), losses: lossBins(model, r, -1, count)});
  }
  Object.assign(strip, {key, bins: all});
}

function drawStrip(strip) {
  strip.box.hidden = !app.model.hasTimes || !app.model.length;
  const key = `${selectionKey(app.state, false)} ${strip.box.clientWidth} ${window.devicePixelRatio} ${themeName()}`;
  if (!strip.box.hidden && strip.painted !== key)
    paintStrip(strip);
  strip.painted = key;
}

function paintStrip(strip) {
  const {model} = app, {brush} = strip, width = strip.box.clientWidth, rows = model.meta.recordings.length;
  const height = rows * STRIP_HEIGHT + SCALE_HEIGHT, colours = theme();
  const context = fitCanvas(strip.canvas, width, height);
  Object.assign(brush, timeArea(0));
  finish(stripSteps(strip));
  context.fillStyle = colours.strip;
  context.fillRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  strip.bins.forEach(({bins, losses}, r) => {
    const scale = barScale(bins.most, model.length * model.unitNs / bins.weight.length);
    const area = {x: brush.left, y: r * STRIP_HEIGHT + 4, height: STRIP_HEIGHT - 4, width: brush.width, step: brush.width / bins.weight.length};
    paintBins(context, bins, losses, area, scale.most);
    paintScale(context, scale, area);
    context.fillStyle = colours.text;
    context.fillText(rows > 1 ? r ? "after" : "before" : "selection", SIDE + 6, r * STRIP_HEIGHT + 28);
  });
  paintTicks(context, brush, rows * STRIP_HEIGHT);
  paintBrush(context, brush, rows * STRIP_HEIGHT);
}
