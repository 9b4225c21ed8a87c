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

// Return the filter of the selection, for a model without folds: {passes(i, recording), range(recording) -> [start, end)}.
function makeFilter(model, state, selected, withoutSpan) {
  const {sample_event: event, sample_node: node, sample_thread: thread, sample_time: time} = model.columns;
  const threads = threadMask(model, state, selected), {nodes, judges} = selected, wanted = state.event;
  return {
    passes(i, r) {
      if (event[i] !== wanted || (threads && !threads[thread[i]]) || (nodes && !nodes[node[i]]))
        return false;
      for (let j = 0; j < judges.length; j++) {
        if (!judges[j](i, r))
          return false;
      }
      return true;
    },
    range(recording) {
      const [start, end] = samplesOf(model, recording);
      if (!state.span || withoutSpan)
        return [start, end];
      return [lowerBound(time, start, end, state.span[0]), lowerBound(time, start, end, state.span[1])];
    },
  };
}

// Return the sums of a recording: self and total by node, and numbers of samples.
function weighRecording(model, filter, recording) {
  const {sample_node: node, sample_weight: weight} = model.columns;
  const self = new Float64Array(model.nodes), samples = new Float64Array(model.nodes);
  const [start, end] = filter.range(recording);
  for (let i = start; i < end; i++) {
    if (!filter.passes(i, recording))
      continue;
    self[node[i]] += weight[i];
    samples[node[i]]++;
  }
  const total = self.slice(), parent = model.parent;
  for (let i = model.nodes - 1; i > 0; i--)
    total[parent[i]] += total[i];
  return {self, samples, total, whole: total[0], count: samples.reduce((sum, value) => sum + value, 0)};
}

// Return {current, base}; base is null if there is only one recording.
function weigh(model, filter) {
  return {
    current: weighRecording(model, filter, model.current),
    base: model.hasBase ? weighRecording(model, filter, 0) : null,
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
