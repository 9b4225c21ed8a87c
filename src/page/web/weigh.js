// SPDX-License-Identifier: BSD-2-Clause
// Weights of the selected samples by node of the call tree. All views are made from these sums.

// Return the first sample in [start, end) whose time is not less than `time`.
function lowerBound(times, start, end, time) {
  while (start < end) {
    const middle = (start + end) >> 1;
    if (times[middle] < time)
      start = middle + 1;
    else
      end = middle;
  }
  return start;
}

function threadMask(model, state, selected) {
  if (!state.threads)
    return selected.threads;
  const mask = new Uint8Array(model.threads);
  for (const thread of state.threads)
    mask[thread] = selected.threads ? selected.threads[thread] : 1;
  return mask;
}

// Return a predicate of sample and recording for the selection, except its span; for the recording without folds.
function makeFilter(model, state, selected) {
  const {sample_event: event, sample_node: node, sample_thread: thread} = model.columns;
  const threads = threadMask(model, state, selected), {nodes, judges} = selected, wanted = state.event;
  return (i, r) => {
    if (event[i] !== wanted || (threads && !threads[thread[i]]) || (nodes && !nodes[node[i]]))
      return false;
    for (let j = 0; j < judges.length; j++) {
      if (!judges[j](i, r))
        return false;
    }
    return true;
  };
}

const PASSING_KEPT = 3; // selections: the current one, the one without threads, and the one before

// Return the selected samples of a recording, disregarding the span. The list is kept, as all views need it.
function* passingSteps(state, recording) {
  const key = `${selectionKey(state, true)} ${recording}`, {passing, base, selected} = app;
  if (!passing.has(key)) {
    const [start, end] = samplesOf(base, recording), list = new Uint32Array(end - start), passes = makeFilter(base, state, selected);
    let count = 0;
    yield* inBlocks(end - start, (from, to) => {
      for (let i = start + from; i < start + to; i++) {
        if (passes(i, recording))
          list[count++] = i;
      }
    });
    passing.set(key, list.subarray(0, count));
    for (const old of [...passing.keys()].slice(0, -PASSING_KEPT * base.meta.recordings.length))
      passing.delete(old);
  }
  return passing.get(key);
}

function samplesPassing(state, recording) {
  return finish(passingSteps(state, recording));
}

// Return the selected samples of a recording in the span.
function* spanSteps(state, recording) {
  const list = yield* passingSteps(state, recording), {span} = state, time = app.base.columns.sample_time;
  if (!span)
    return list;
  const [start, end] = samplesOf(app.base, recording), [from, to] = span.map((at) => lowerBound(time, start, end, at));
  return list.subarray(lowerBound(list, 0, list.length, from), lowerBound(list, 0, list.length, to));
}

function samplesIn(state, recording) {
  return finish(spanSteps(state, recording));
}

// Return the sums of a list of samples by node: {self, samples}; `node` is the node of each sample.
function* sumSteps(list, node, weight, nodes) {
  const self = new Float64Array(nodes), samples = new Float64Array(nodes);
  yield* inBlocks(list.length, (from, to) => {
    for (let k = from; k < to; k++) {
      const i = list[k], at = node[i];
      self[at] += weight[i];
      samples[at]++;
    }
  });
  return {self, samples, count: list.length};
}

// Return the sums of the selection by node of the recording without folds; kept until the selection changes.
function* selectionSteps(state, recording) {
  const key = `${selectionKey(state)} ${recording}`, {sums, base} = app, {columns} = base;
  if (!sums[recording] || sums[recording].key !== key) {
    const list = yield* spanSteps(state, recording);
    sums[recording] = {key, ...yield* sumSteps(list, columns.sample_node, columns.sample_weight, base.nodes)};
  }
  return sums[recording];
}

// Return the sums of the selection: self and total by node of a model, and numbers of samples.
function* sideSteps(model, state, recording) {
  const own = model.sampleNodes && (yield* sumSteps(yield* spanSteps(state, recording), model.sampleNodes, model.columns.sample_weight, model.nodes));
  const sums = own || (yield* selectionSteps(state, recording)), {map, parent} = model;
  let {self, samples} = sums;
  if (map && !own) {
    [self, samples] = [new Float64Array(model.nodes), new Float64Array(model.nodes)];
    for (let i = 0; i < map.length; i++) {
      self[map[i]] += sums.self[i];
      samples[map[i]] += sums.samples[i];
    }
  }
  const total = self.slice(), last = model.nodes - 1;
  yield* inBlocks(last, (from, to) => {
    for (let i = last - from; i > last - to; i--)
      total[parent[i]] += total[i];
  });
  return {self, samples, total, whole: total[0], count: sums.count};
}

// Return {current, base} of the selection; base is null if there is only one recording.
function* weighSteps(model, state) {
  return {
    current: yield* sideSteps(model, state, model.current),
    base: model.hasBase ? yield* sideSteps(model, state, 0) : null,
    functions: null,
  };
}

// Return self, total and samples by frame for one recording.
function sumFrames(model, side) {
  const {frame, outermost, nodes} = model;
  const self = new Float64Array(model.frames), total = new Float64Array(model.frames), samples = new Float64Array(model.frames);
  for (let i = 1; i < nodes; i++) {
    self[frame[i]] += side.self[i];
    samples[frame[i]] += side.samples[i];
    if (outermost[i])
      total[frame[i]] += side.total[i];
  }
  return {self, total, samples};
}

// Return sums by frame, computed on first use.
function functionsOf(model, weights) {
  if (!weights.functions) {
    weights.functions = {
      current: sumFrames(model, weights.current),
      base: weights.base && sumFrames(model, weights.base),
    };
  }
  return weights.functions;
}
