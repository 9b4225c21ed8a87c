// SPDX-License-Identifier: BSD-2-Clause
// Histograms of samples over time, with bins of a few pixels.

// Return a byte for each node: 1 if it is kernel code.
function kernelNodes(model) {
  if (!model.kernel) {
    model.kernel = new Uint8Array(model.nodes);
    const flags = model.columns.frame_flags;
    for (let i = 1; i < model.nodes; i++)
      model.kernel[i] = (flags[model.frame[i]] & 3) === 1 ? 1 : 0;
  }
  return model.kernel;
}

function makeBins(count) {
  return {weight: new Float64Array(count), kernel: new Float64Array(count), cut: new Uint32Array(count), most: 0};
}

// Return a function that adds sample i. It must be fast, as it is called for millions of samples.
function makeBinner({base: model}, bins) {
  const {sample_weight: weights, sample_node: nodes, sample_time: times} = model.columns, {weight, kernel, cut} = bins, isCut = model.cut;
  const isKernel = kernelNodes(model), last = weight.length - 1, scale = weight.length / Math.max(model.length, 1);
  return (i) => {
    const bin = Math.min(last, Math.floor(times[i] * scale)), node = nodes[i];
    weight[bin] += weights[i];
    if (isKernel[node])
      kernel[bin] += weights[i];
    if (isCut[node])
      cut[bin]++;
  };
}

function finishBins(bins) {
  for (let i = 0; i < bins.weight.length; i++)
    bins.most = Math.max(bins.most, bins.weight[i]);
  return bins;
}

// Return the bin of a time if `length` time steps are divided into `count` bins; the last bin includes the end.
function binOf(time, length, count) {
  return Math.min(count - 1, Math.floor(time * count / Math.max(length, 1)));
}

const BIN_PIXELS = 3;

// Choose the number of bins so that each has several samples, and is a few pixels wide: otherwise the height of a bar
// would only show whether there was a sample.
function binCount(samples, width) {
  return Math.max(1, Math.min(Math.floor(width / BIN_PIXELS), Math.max(60, Math.floor(samples / 8))));
}

// Bin the samples `order[start..end)`.
function* binSteps(model, order, start, end, count) {
  const bins = makeBins(count), add = makeBinner(model, bins);
  yield* inBlocks(end - start, (from, to) => {
    for (let at = start + from; at < start + to; at++)
      add(order[at]);
  });
  return finishBins(bins);
}

// Return [{bin, count}] of the losses in a recording: of one CPU (number + 1), or of all CPUs if `cpu` is -1. Losses
// after the last sample are in the last bin.
function lossBins(model, recording, cpu, count) {
  const {loss_recording: recordings, loss_time: times, loss_cpu: cpus, loss_count: counts} = model.columns;
  const bins = new Map();
  for (let i = 0; times && counts && i < times.length; i++) {
    if ((recordings ? recordings[i] : 0) !== recording || (cpu >= 0 && (!cpus || cpus[i] !== cpu)))
      continue;
    const bin = binOf(times[i], model.length, count);
    bins.set(bin, (bins.get(bin) || 0) + counts[i]);
  }
  return [...bins].map(([bin, lost]) => ({bin, count: lost}));
}

// Paint an area of weight with the kernel's part at the bottom: bars without gaps, from whole pixel to whole pixel.
// Truncated stacks are marked at the lower edge, losses at the upper.
function paintBins(context, bins, losses, area, most) {
  const colours = theme(), {x, y, height, step} = area;
  for (let i = 0; i < bins.weight.length; i++) {
    if (!bins.weight[i])
      continue;
    const left = Math.round(x + i * step), wide = Math.round(x + (i + 1) * step) - left;
    const tall = Math.min(height, Math.max(1, height * bins.weight[i] / most)), low = tall * bins.kernel[i] / bins.weight[i];
    context.fillStyle = colours.bar;
    context.fillRect(left, y + height - tall, wide, tall);
    context.fillStyle = colours.kernelBar;
    context.fillRect(left, y + height - low, wide, low);
    if (bins.cut[i]) {
      context.fillStyle = colours.cut;
      context.fillRect(left, y + height - 2, wide, 2);
    }
  }
  context.fillStyle = colours.lost;
  for (const {bin} of losses)
    context.fillRect(x + bin * step - 1, y, 3, Math.min(height, 7));
}

const LABEL_WIDTH = 190, SIDE = 12, SCROLLBAR = 16;

// Return the horizontal range of the time axis in a canvas whose left edge is `inset` pixels from that of the window. A
// time has the same x in the overview strip, in the time view with or without scroll bar, and in the heatmap. The space
// to the left is for labels.
function timeArea(inset) {
  const page = document.documentElement.clientWidth, left = Math.min(SIDE + LABEL_WIDTH, Math.floor(page * 0.35));
  return {left: left - inset, width: Math.max(1, page - SCROLLBAR - left)};
}

function paintTicks(context, brush, top) {
  context.fillStyle = theme().faint;
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "alphabetic";
  let end = -Infinity; // of the text before: a text that does not fit next to it is omitted
  for (const {x, text} of timeTicks(app.model, brush.width)) {
    const wide = context.measureText(text).width, at = x + 4 + wide > brush.width ? Math.min(x - 4, brush.width) - wide : x + 4;
    context.fillRect(brush.left + x, top, 1, 4);
    if (at < end + 4)
      continue;
    context.fillText(text, brush.left + at, top + 12);
    end = at + wide;
  }
}

// Return the ticks of a scale of seconds: texts and positions between 0 and `width`.
function timeTicks(model, width) {
  const length = model.length * model.unitNs, ticks = [];
  const step = niceStep(Math.max(length, 1), Math.max(4, Math.floor(width / 90)));
  for (let at = 0; at <= length && ticks.length < 100; at += step)
    ticks.push({x: length ? width * at / length : 0, text: `${formatSeconds(at, step)} s`});
  return ticks;
}
