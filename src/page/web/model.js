// SPDX-License-Identifier: BSD-2-Clause
// The contents of the page: columns, checked once, so that users of frame, node and thread numbers need not check them.

const U32 = Uint32Array, F64 = Float64Array, U8 = Uint8Array;
const COLUMN_TYPES = {
  string_bytes: U32, string_text: U8,
  frame_name: U32, frame_short: U32, frame_file: U32, frame_flags: U8,
  node_parent: U32, node_frame: U32,
  thread_pid: U32, thread_tid: U32, thread_name: U32,
  sample_recording: U32, sample_time: F64, sample_node: U32, sample_thread: U32, sample_cpu: U32, sample_event: U32,
  sample_weight: F64,
  loss_recording: U32, loss_time: F64, loss_cpu: U32, loss_count: F64,
  annotations: U8,
};
const OPTIONAL = new Set(["frame_short", "sample_recording", "annotations", "loss_recording", "loss_time", "loss_cpu", "loss_count"]);
const NAME_MAX_BYTES = 65536; // of a name, except when it is shown in full

function checkGroup(columns, prefix) {
  let length = -1;
  for (const name of Object.keys(COLUMN_TYPES)) {
    if (!name.startsWith(prefix) || name === "string_text")
      continue;
    const column = columns[name];
    if (!column && !OPTIONAL.has(name))
      throw new BrokenPage(`column ${name} is missing`);
    if (!column)
      continue;
    if (length >= 0 && column.length !== length)
      throw new BrokenPage(`column ${name} is longer or shorter than those it belongs to`);
    length = column.length;
  }
  return Math.max(length, 0);
}

function checkBelow(columns, name, limit) {
  const column = columns[name];
  for (let i = 0; column && i < column.length; i++) {
    if (column[i] >= limit)
      throw new BrokenPage(`column ${name} has an index out of range`);
  }
}

function checkNodes(parents) {
  if (!parents.length)
    throw new BrokenPage("its call tree has no root");
  for (let i = 1; i < parents.length; i++) {
    if (parents[i] >= i)
      throw new BrokenPage("its call tree is not a tree");
  }
}

// Check that samples are ordered by recording and time. Returns the end of each recording.
function checkSamples(columns, recordings) {
  const recording = columns.sample_recording, time = columns.sample_time;
  const ends = new Array(recordings).fill(0);
  let last = 0;
  for (let i = 0; i < time.length; i++) {
    const r = recording ? recording[i] : 0;
    if (r < last || (i && r === last && time[i] < time[i - 1]))
      throw new BrokenPage("its samples are not in order");
    last = r;
    ends[r] = i + 1;
  }
  for (let r = 1; r < recordings; r++)
    ends[r] = Math.max(ends[r], ends[r - 1]);
  return ends;
}

function checkAll(columns, meta) {
  const counts = {};
  for (const group of ["string", "frame", "node", "thread", "sample", "loss"])
    counts[group] = checkGroup(columns, group + "_");
  if (!columns.string_text || !counts.string)
    throw new BrokenPage("it has no names");
  const limits = {frame_name: "string", frame_short: "string", frame_file: "string", thread_name: "string",
    node_frame: "frame", sample_node: "node", sample_thread: "thread"};
  for (const [name, group] of Object.entries(limits))
    checkBelow(columns, name, name === "node_frame" ? Math.max(counts.frame, 1) : counts[group]);
  checkBelow(columns, "sample_event", meta.events.length);
  checkBelow(columns, "sample_recording", meta.recordings.length);
  checkBelow(columns, "loss_recording", meta.recordings.length);
  checkNodes(columns.node_parent);
  return counts;
}

function stringOffsets(lengths, size) {
  const offsets = new Uint32Array(lengths.length + 1);
  let at = 0;
  for (let i = 0; i < lengths.length; i++) {
    at += lengths[i];
    if (at > size)
      throw new BrokenPage("its names are longer than their text");
    offsets[i + 1] = at;
  }
  return offsets;
}

// Decode names on first use, and keep only their beginning.
function makeStrings(columns) {
  const bytes = columns.string_text;
  const offsets = stringOffsets(columns.string_bytes, bytes.length);
  const decoder = new TextDecoder("utf-8", {ignoreBOM: true});
  const cache = new Array(offsets.length - 1);
  return {
    count: offsets.length - 1,
    text(i) {
      if (cache[i] === undefined) {
        const end = Math.min(offsets[i + 1], offsets[i] + NAME_MAX_BYTES);
        const text = decoder.decode(bytes.subarray(offsets[i], end));
        cache[i] = end < offsets[i + 1] ? text.replace(/\ufffd$/, "") : text;
      }
      return cache[i];
    },
    whole: (i) => decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])),
    isWhole: (i) => offsets[i + 1] - offsets[i] <= NAME_MAX_BYTES,
  };
}

function linkChildren(parents) {
  const first = new Uint32Array(parents.length), next = new Uint32Array(parents.length);
  for (let i = parents.length - 1; i > 0; i--) {
    next[i] = first[parents[i]];
    first[parents[i]] = i;
  }
  return {first, next};
}

function makeModel(meta, columns) {
  const counts = checkAll(columns, meta);
  const ends = checkSamples(columns, meta.recordings.length);
  const time = columns.sample_time;
  const lengths = ends.map((end, r) => end > (r ? ends[r - 1] : 0) ? time[end - 1] : 0);
  const model = {
    meta, counts, columns, ends, lengths,
    strings: makeStrings(columns), labels: [],
    unitNs: Number(meta.time_unit) || 0,
    current: meta.recordings.length - 1,
    hasBase: meta.recordings.length > 1,
    parent: columns.node_parent, frame: columns.node_frame,
    ...linkChildren(columns.node_parent),
    nodes: counts.node, frames: counts.frame, threads: counts.thread,
  };
  model.hasTimes = model.unitNs > 0;
  model.length = Math.max(...lengths);
  Object.assign(model, {base: model, map: null, sampleNodes: null});
  model.outermost = finish(outermostSteps(model));
  model.cut = findCut(model);
  return model;
}

// Return [start, end) of a recording's samples.
function samplesOf(model, recording) {
  return [recording ? model.ends[recording - 1] : 0, model.ends[recording]];
}
