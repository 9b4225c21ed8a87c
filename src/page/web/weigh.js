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
function samplesPassing(state, recording) {
  const key = `${selectionKey(state, true)} ${recording}`, {passing, base, selected} = app;
  if (!passing.has(key)) {
    const [start, end] = samplesOf(base, recording), list = new Uint32Array(end - start), passes = makeFilter(base, state, selected);
    let count = 0;
    for (let i = start; i < end; i++) {
      if (passes(i, recording))
        list[count++] = i;
    }
    passing.set(key, list.subarray(0, count));
    for (const old of [...passing.keys()].slice(0, -PASSING_KEPT * base.meta.recordings.length))
      passing.delete(old);
  }
  return passing.get(key);
}

// Return the selected samples of a recording in the span.
function samplesIn(state, recording) {
  const list = samplesPassing(state, recording), {span} = state, time = app.base.columns.sample_time;
  if (!span)
    return list;
  const [start, end] = samplesOf(app.base, recording), [from, to] = span.map((at) => lowerBound(time, start, end, at));
  return list.subarray(lowerBound(list, 0, list.length, from), lowerBound(list, 0, list.length, to));
}

// Return the sums of a list of samples: self and total by node, and numbers of samples.
function weighList(model, list) {
  const {sample_node: node, sample_weight: weight} = model.columns;
  const self = new Float64Array(model.nodes), samples = new Float64Array(model.nodes);
  for (let k = 0; k < list.length; k++) {
    const i = list[k];
    self[node[i]] += weight[i];
    samples[node[i]]++;
  }
  const total = self.slice(), parent = model.parent;
  for (let i = model.nodes - 1; i > 0; i--)
    total[parent[i]] += total[i];
  return {self, samples, total, whole: total[0], count: list.length};
}

// Return {current, base} of the selection; base is null if there is only one recording.
function weigh(model, state) {
  return {
    current: weighList(model, samplesIn(state, model.current)),
    base: model.hasBase ? weighList(model, samplesIn(state, 0)) : null,
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
