// SPDX-License-Identifier: BSD-2-Clause
// Evaluate a query into bytes for each node, thread and CPU, so that a sample is selected by a few look-ups.

// Return a function that matches a name.
function compilePattern(pattern, isFile, budget) {
  const {kind, folds} = pattern;
  if (kind === "regex")
    return compileRegex(pattern.text, folds, budget);
  const fold = folds ? (name) => name.toLowerCase() : (name) => name;
  const wanted = fold(pattern.text);
  if (kind === "part")
    return (name) => fold(name).includes(wanted);
  return (name) => fold(name) === wanted || (isFile && fold(baseName(name)) === wanted);
}

const MATCH_PART = 128; // names

// Match names, each only once, however many frames have it.
function* matchSteps(model, ids, pattern, isFile, budget, isSkipped) {
  const matches = compilePattern(pattern, isFile, budget);
  const known = new Uint8Array(model.strings.count), out = new Uint8Array(ids.length);
  let steps = 0;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i];
    if (!id || (isSkipped && isSkipped(i)))
      continue;
    if (!known[id] && ++steps % MATCH_PART === 0)
      yield;
    if (!known[id])
      known[id] = matches(model.strings.isWhole(id) ? model.strings.text(id) : model.strings.whole(id)) ? 2 : 1;
    out[i] = known[id] - 1;
  }
  return out;
}

// Match whole names and short names.
function* symbolSteps(model, pattern, budget) {
  const {frame_flags: flags, frame_name: names, frame_short: shorts} = model.columns, isNameless = (i) => flags[i] & FLAG_NAMELESS;
  const out = yield* matchSteps(model, names, pattern, false, budget, isNameless);
  const more = shorts ? yield* matchSteps(model, shorts, pattern, false, budget, isNameless) : [];
  for (let i = 0; i < more.length; i++)
    out[i] |= more[i];
  return out;
}

function fileSteps(model, pattern, budget) {
  return matchSteps(model, model.columns.frame_file, pattern, true, budget);
}

// Convert matches of frames to matches of nodes: anywhere on the callchain, or only the function itself, including
// inlined functions and those that contain them.
function matchNodes(model, frames, isSelf) {
  const {parent, frame, nodes} = model, flags = model.columns.frame_flags;
  const out = new Uint8Array(nodes);
  for (let i = 1; i < nodes; i++) {
    const up = !isSelf || flags[frame[i]] & FLAG_INLINED ? out[parent[i]] : 0;
    out[i] = frames[frame[i]] | up;
  }
  return out;
}

function inRanges(ranges, value) {
  return ranges.some(([from, to]) => value >= from && value <= to);
}

function matchNumbers(column, ranges) {
  const known = new Map();
  return Uint8Array.from(column, (value) => {
    if (!known.has(value))
      known.set(value, value > 0 && inRanges(ranges, value - 1) ? 1 : 0);
    return known.get(value);
  });
}

// Return [first, last], both inclusive, in time steps of the recording.
function resolveTime(model, recording, time) {
  const length = model.lengths[recording];
  if (time.shares)
    return time.shares.map((share) => share * length);
  const origin = BigInt(time.isSince ? 0 : model.meta.recordings[recording].origin || 0);
  const steps = (ns, otherwise) => ns === null ? otherwise : Number(ns - origin) / model.unitNs;
  return [steps(time.from, -Infinity), steps(time.to, Infinity)];
}

const NODE_FIELDS = {
  sym: [symbolSteps, false],
  "self-sym": [symbolSteps, true],
  dso: [fileSteps, false],
  "self-dso": [fileSteps, true],
};

// Return bytes by node for a word of the query with this field.
function* nodeSteps(model, field, pattern, budget) {
  const [steps, isSelf] = NODE_FIELDS[field];
  return matchNodes(model, yield* steps(model, pattern, budget), isSelf);
}

// Reject a field that was not recorded: it would match nothing, or everything.
function checkKnown(model, word) {
  const {sample_cpu: cpus, thread_tid: tids} = model.columns;
  if (word.field === "time" && !model.hasTimes)
    throw new BadQuery("times were not recorded");
  if (word.field === "cpu" && !cpus.some((cpu) => cpu > 0))
    throw new BadQuery("CPUs were not recorded: use record --sample-cpu");
  if ((word.field === "tid" || word.field === "pid") && !tids.some((tid) => tid > 0))
    throw new BadQuery("threads were not recorded");
}

function* wordSteps(model, word, budget) {
  const {columns} = model, {field, pattern, isNegated} = word;
  checkKnown(model, word);
  if (NODE_FIELDS[field])
    return {isNegated, nodes: yield* nodeSteps(model, field, pattern, budget)};
  if (field === "comm")
    return {isNegated, threads: yield* matchSteps(model, columns.thread_name, pattern, false, budget)};
  if (field === "pid" || field === "tid")
    return {isNegated, threads: matchNumbers(columns["thread_" + field], word.numbers)};
  if (field === "cpu")
    return {isNegated, cpus: word.numbers};
  if (field === "time")
    return {isNegated, times: model.meta.recordings.map((_, r) => resolveTime(model, r, word.time))};
  const nodes = yield* nodeSteps(model, "sym", pattern, budget), files = yield* nodeSteps(model, "dso", pattern, budget);
  for (let i = 0; i < nodes.length; i++)
    nodes[i] |= files[i];
  return {isNegated, nodes, threads: yield* matchSteps(model, columns.thread_name, pattern, false, budget)};
}

// Return a predicate of sample and recording, for words that cannot be decided by node or thread.
function judgeSample(model, part) {
  const {columns} = model, wanted = !part.isNegated;
  if (part.cpus) {
    const known = new Map([[0, false]]), judge = (cpu) => known.set(cpu, inRanges(part.cpus, cpu - 1)).get(cpu);
    return (i) => (known.get(columns.sample_cpu[i]) ?? judge(columns.sample_cpu[i])) === wanted;
  }
  if (part.times)
    return (i, r) => (columns.sample_time[i] >= part.times[r][0] && columns.sample_time[i] <= part.times[r][1]) === wanted;
  return (i) => Boolean(part.nodes[columns.sample_node[i]] | part.threads[columns.sample_thread[i]]) === wanted;
}

function narrow(mask, part, isNegated, length) {
  const out = mask || new Uint8Array(length).fill(1);
  for (let i = 0; i < length; i++)
    out[i] &= part[i] ^ (isNegated ? 1 : 0);
  return out;
}

// Return {nodes, threads: bytes, or null for all; judges: predicates}. Throws BadQuery.
function* querySteps(model, text) {
  const budget = {left: REGEX_BUDGET};
  const selected = {nodes: null, threads: null, judges: []};
  for (const word of parseQuery(text)) {
    const part = yield* wordSteps(model, word, budget);
    if (part.nodes && !part.threads)
      selected.nodes = narrow(selected.nodes, part.nodes, part.isNegated, model.nodes);
    else if (part.threads && !part.nodes)
      selected.threads = narrow(selected.threads, part.threads, part.isNegated, model.threads);
    else
      selected.judges.push(judgeSample(model, part));
  }
  return selected;
}

// Return the time range of a recording by its clock: "5297.162 to 5299.733 s".
function clockTimes(model, r) {
  const origin = BigInt(model.meta.recordings[r].origin || 0), length = BigInt(Math.round(model.lengths[r] * model.unitNs));
  const text = (ns) => `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, "0").slice(0, 3)}`;
  return `${text(origin)} to ${text(origin + length)} s`;
}

// Return [first, last] of the selected time of a recording: of the span and of the query.
function selectedTimes(model, r) {
  let [from, to] = app.state.span || [0, model.lengths[r]];
  for (const {time, isNegated} of app.applied ? parseQuery(app.applied) : []) {
    if (time && !isNegated)
      [from, to] = resolveTime(model, r, time).map((at, i) => i ? Math.min(at, to) : Math.max(at, from));
  }
  return [Math.max(0, from), Math.min(model.lengths[r], to)];
}

// Explain that a time: word selects nothing because it is outside all recordings: their clocks do not start at 0.
function timeOutside(model, query) {
  const all = model.meta.recordings.map((_, r) => r);
  const isOutside = (time) => all.every((r) => {
    const [from, to] = resolveTime(model, r, time);
    return from > model.lengths[r] || to < 0;
  });
  if (!parseQuery(query).some((word) => word.time && !word.isNegated && isOutside(word.time)))
    return "";
  return `time: is outside the recording, which covers ${all.map((r) => clockTimes(model, r)).join(" and ")} by its clock; time:+2,+3 is since the first sample`;
}
