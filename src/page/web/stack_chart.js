// SPDX-License-Identifier: BSD-2-Clause
// Stacks in the order of time: the samples of a thread, and their layout for a window of time. Equal frames of
// neighbouring samples are one cell.

const CHART_BIN = 2; // pixels of a column if there are more samples than columns
const CHART_JOIN = 0.75; // a gap up to this part of a sample's duration is not idle time
// Samples with at most this distance are of one run, because threads that share a CPU run in turns of some ms. Gaps in a
// run are not drawn between equal frames if they are narrow.
const CHART_REACH = 5, CHART_TURN = 10e6, CHART_GAP = 12; // sampling intervals, ns, pixels
const CHART_MEDIAN_OF = 2000; // samples to compute medians of

// Return the median of `valueOf(i)` for i from `first` to `count`.
function medianOf(first, count, valueOf) {
  const number = Math.max(0, Math.min(count - first, CHART_MEDIAN_OF));
  const values = Float64Array.from({length: number}, (_, i) => valueOf(first + Math.floor(i * (count - first) / number))).sort();
  return number ? values[number >> 1] : 1;
}

// Return {times, starts, nodes, runs} of the selected samples of a thread. A sample is the state of the thread for the
// time that its weight states, or for the usual distance of samples, up to its time. Samples of a run are close to each
// other: docs/page.md describes the rule.
function* chartSteps(thread) {
  const {base, model, state} = app, {sample_thread: threads, sample_event: events} = base.columns, [start, end] = samplesOf(base, base.current);
  const all = yield* passingSteps({...state, threads: null}, base.current), list = new Uint32Array(all.length), follows = new Uint8Array(all.length);
  let count = 0, at = 0, isAfter = 0;
  yield* inBlocks(end - start, (from, to) => {
    for (let i = start + from; i < start + to; i++) {
      while (at < all.length && all[at] < i)
        at++;
      if (threads[i] !== thread || events[i] !== state.event)
        continue;
      const passes = at < all.length && all[at] === i;
      if (passes) {
        follows[count] = isAfter;
        list[count++] = i;
      }
      isAfter = passes ? 1 : 0;
    }
  });
  return chartSamples(model, thread, list.subarray(0, count), follows);
}

// Compute the samples of a list. `follows` has 1 for samples whose predecessor of the thread is in the list as well.
function chartSamples(model, thread, list, follows) {
  const {base, map} = model, count = list.length;
  const {sample_time: time, sample_weight: weight, sample_node: node} = base.columns, isTime = currentEvent().unit === "ns" && base.unitNs;
  const times = new Float64Array(count), starts = new Float64Array(count), nodes = new Uint32Array(count), runs = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    times[i] = time[list[i]];
    nodes[i] = map ? map[node[list[i]]] : node[list[i]];
  }
  const usual = medianOf(1, count, (i) => times[i] - times[i - 1]);
  const interval = isTime ? Math.min(usual, medianOf(0, count, (i) => weight[list[i]] / base.unitNs)) : usual;
  const reach = Math.max(CHART_REACH * interval, base.unitNs ? CHART_TURN / base.unitNs : 0);
  for (let i = 0; i < count; i++) {
    const lasts = isTime ? weight[list[i]] / base.unitNs : usual, before = i ? times[i - 1] : -Infinity, start = times[i] - lasts;
    starts[i] = start - before < CHART_JOIN * lasts ? before : start;
    runs[i] = i ? runs[i - 1] + (follows[i] && times[i] - before <= reach ? 0 : 1) : 0;
  }
  return {times, starts, nodes, runs, thread};
}

// Return [{node, run, x, end}] of the samples between two times: each sample, or one in each column of pixels.
function chartPieces(samples, from, to, width) {
  const {times, starts, nodes, runs} = samples, scale = width / (to - from), first = lowerBound(times, 0, times.length, from), pieces = [];
  let last = lowerBound(times, first, times.length, to);
  if (last < times.length && starts[last] < to)
    last++;
  if (last - first <= width / CHART_BIN) {
    for (let i = first; i < last; i++)
      pieces.push({node: nodes[i], run: runs[i], x: Math.max(0, (starts[i] - from) * scale), end: Math.min(width, (times[i] - from) * scale)});
    return pieces;
  }
  const step = CHART_BIN / scale;
  for (let x = 0, at = first; x < width && at < last; x += CHART_BIN) {
    const left = from + x / scale, middle = left + step / 2;
    at = lowerBound(times, at, last, middle);
    const i = at < last && starts[at] <= left + step ? at : at > first && times[at - 1] >= left ? at - 1 : -1;
    if (i >= 0)
      pieces.push({node: nodes[i], run: runs[i], x, end: x + CHART_BIN});
  }
  return pieces;
}

// Return the nodes from the outermost caller to `node`.
function pathOf(model, node) {
  const path = [];
  for (let at = node; at; at = model.parent[at])
    path.push(at);
  return path.reverse();
}

// Return rows of [{node, x, width}], one for each depth.
function layOutChart(model, pieces) {
  const rows = [], open = [], begin = [];
  let end = -1, run = -1, path = [], node = -1;
  const close = (depth) => {
    while (open.length > depth) {
      const row = open.length - 1, x = begin.pop();
      (rows[row] = rows[row] || []).push({node: open.pop(), x, width: end - x, row});
    }
  };
  for (const piece of pieces) {
    if (piece.x - end > (piece.run === run ? CHART_GAP : 0.5))
      close(0);
    if (piece.node !== node)
      [path, node] = [pathOf(model, piece.node), piece.node];
    let same = 0;
    while (same < open.length && open[same] === path[same])
      same++;
    close(same);
    for (let depth = same; depth < path.length && depth < LEVELS_MAX; depth++) {
      open.push(path[depth]);
      begin.push(piece.x);
    }
    [end, run] = [piece.end, piece.run];
  }
  close(0);
  return rows;
}

// Return a cell of the call tree for a node, for details and for copying the stack.
function cellOfNode(tree, node) {
  let cell = makeCell(tree, -1, null);
  for (const at of pathOf(tree.model, node)) {
    cell = makeCell(tree, tree.model.frame[at], cell);
    cell.node = at;
    addNode(tree, cell, at);
  }
  return cell;
}

// Paint the rows that are visible in a chart.
function paintChart(view, context, offset, height) {
  const {rows, model} = view.layout, colours = theme(), last = Math.min(rows.length, Math.ceil((offset + height) / ROW_HEIGHT));
  measureFont(context);
  context.textBaseline = "middle";
  for (let row = Math.floor(offset / ROW_HEIGHT); row < last; row++) {
    const top = row * ROW_HEIGHT - offset;
    for (const {node, x, width} of rows[row]) {
      const frame = model.frame[node], isFaint = app.found && !app.found[frame];
      context.globalAlpha = isFaint ? 0.45 : 1;
      context.fillStyle = app.found && !isFaint ? colours.found : frameColour(model, frame);
      context.fillRect(x, top, Math.max(width - (width > 3 ? 1 : 0), 0.5), ROW_HEIGHT - 1);
      context.globalAlpha = 1;
      if (width > 3 * characterWidth + 2 * CELL_MARGIN) {
        const room = width - 2 * CELL_MARGIN;
        context.fillStyle = isFaint ? colours.text : colours.cellText;
        context.fillText(fitText(context, frameName(model, frame, Math.ceil(room / characterWidth)), room), x + CELL_MARGIN, top + ROW_HEIGHT / 2);
      }
    }
  }
}
