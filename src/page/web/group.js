// SPDX-License-Identifier: BSD-2-Clause
// Flame graphs whose first level is the process, the thread or the file of the samples. These levels are frames in
// addition to those of the recording.

const GROUPS_MAX = 300;

function groupName(model, isProcess, thread) {
  const comm = () => shownText(model.strings.text(model.columns.thread_name[thread]), 60) || "(no name)";
  return model.hasBase ? comm() : isProcess ? `${comm()} ${model.columns.thread_pid[thread] - 1}` : threadLabel(model, thread, 60);
}

// Return {names: of the groups, ofThread or ofNode: the group of each}.
function groupThreads(model, isProcess) {
  const {thread_pid: pid, thread_tid: tid} = model.columns, names = [], numbers = new Map(), ofThread = new Uint32Array(model.threads);
  const leaders = new Map();
  for (let i = 0; i < model.threads; i++) {
    if (!leaders.has(pid[i]) || tid[i] === pid[i])
      leaders.set(pid[i], i);
  }
  const few = model.threads > GROUPS_MAX ? new Set(heaviest(threadWeights(model.current), GROUPS_MAX)) : null;
  for (let i = 0; i < model.threads; i++) {
    const thread = isProcess ? leaders.get(pid[i]) : i, name = few && !few.has(i) ? "other threads" : groupName(model, isProcess && pid[i] > 0, thread);
    if (!numbers.has(name))
      numbers.set(name, names.push(name) - 1);
    ofThread[i] = numbers.get(name);
  }
  return {names, ofThread};
}

// Group by the file of the function that a sample is in.
function groupFiles(model) {
  const {frame_file: files} = model.columns, names = [], numbers = new Map(), ofNode = new Uint32Array(model.nodes);
  for (let i = 0; i < model.nodes; i++) {
    const file = i ? files[model.frame[i]] : 0;
    if (!numbers.has(file))
      numbers.set(file, names.push(shownText(baseName(model.strings.text(file)), 80) || "[unknown]") - 1);
    ofNode[i] = numbers.get(file);
  }
  return {names, ofNode};
}

// Return bytes by node of the recording: 1 if it has samples.
function* sampledSteps({base}) {
  if (!base.sampled) {
    const {sample_node: node} = base.columns, sampled = new Uint8Array(base.nodes);
    yield* inBlocks(node.length, (from, to) => {
      for (let i = from; i < to; i++)
        sampled[node[i]] = 1;
    });
    base.sampled = sampled;
  }
  return base.sampled;
}

// Return {nodes, groups} of the items to group: the nodes with samples if a group is chosen by node; otherwise all
// samples. The group of a node without samples is NO_NODE.
function* itemSteps(model, {ofNode, ofThread}) {
  const {base, map} = model, {sample_node: node, sample_thread: thread} = base.columns, sampled = yield* sampledSteps(model);
  const count = ofNode ? base.nodes : node.length, nodes = new Uint32Array(count), groups = new Uint32Array(count);
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const at = ofNode ? i : node[i];
      nodes[i] = map ? map[at] : at;
      groups[i] = !ofNode ? ofThread[thread[i]] : sampled[i] ? ofNode[nodes[i]] : NO_NODE;
    }
  });
  return {nodes, groups};
}

// Return the items sorted by group, and the end of each group.
function* sortSteps(of, groups) {
  const ends = new Uint32Array(groups + 1), order = new Uint32Array(of.length);
  yield* inBlocks(of.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (of[i] !== NO_NODE)
        ends[1 + of[i]]++;
    }
  });
  for (let g = 1; g < ends.length; g++)
    ends[g] += ends[g - 1];
  yield* inBlocks(of.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (of[i] !== NO_NODE)
        order[ends[of[i]]++] = i;
    }
  });
  return {order, ends};
}

// A list of nodes that grows: much faster than arrays of numbers for millions of nodes.
function makeNodeList(most) {
  return {parent: new Uint32Array(most), frame: new Uint32Array(most), count: 1};
}

function addToList(list, parent, frame) {
  if (list.count === list.parent.length) {
    for (const name of ["parent", "frame"]) {
      const longer = new Uint32Array(2 * list.count);
      longer.set(list[name]);
      list[name] = longer;
    }
  }
  list.parent[list.count] = parent;
  list.frame[list.count] = frame;
  return list.count++;
}

// Add a copy of the path to a node below the group's node. Returns the copy. `path` is scratch space.
function copyPath(model, copy, node, top, stamp) {
  const {path, stamps, nodes, list} = copy, {parent, frame} = model;
  let at = node, length = 0;
  for (; at && stamps[at] !== stamp; at = parent[at])
    path[length++] = at;
  let up = at ? nodes[at] : top;
  while (length) {
    at = path[--length];
    up = addToList(list, up, frame[at]);
    nodes[at] = up;
    stamps[at] = stamp;
  }
  return up;
}

// Return columns and labels with a frame for each group.
function addGroupFrames(model, names) {
  const {columns, frames} = model, labels = [];
  const longer = (column) => {
    const out = new column.constructor(frames + names.length);
    out.set(column);
    return out;
  };
  const frame_flags = longer(columns.frame_flags).fill(FLAG_GROUP, frames);
  names.forEach((name, i) => { labels[frames + i] = {name, max: 0, text: ""}; });
  return {labels, frames: frames + names.length,
    columns: {...columns, frame_flags, frame_name: longer(columns.frame_name), frame_file: longer(columns.frame_file), frame_short: columns.frame_short && longer(columns.frame_short)}};
}

function* groupSteps(model, kind) {
  yield* threadWeightSteps(model.current);
  const groups = kind === "file" ? groupFiles(model) : groupThreads(model, kind === "process");
  yield;
  const items = yield* itemSteps(model, groups), {order, ends} = yield* sortSteps(items.groups, groups.names.length);
  const list = makeNodeList(model.nodes + groups.names.length + 1), tos = new Uint32Array(items.nodes.length);
  const copy = {list, path: new Uint32Array(model.nodes), nodes: new Uint32Array(model.nodes), stamps: new Uint32Array(model.nodes)};
  for (let g = 0, start = 0; g < groups.names.length; g++) {
    const top = addToList(list, 0, model.frames + g), first = start;
    yield* inBlocks(ends[g] - first, (from, to) => {
      for (let at = first + from; at < first + to; at++) {
        const item = order[at], node = items.nodes[item];
        tos[item] = node && copy.stamps[node] === g + 1 ? copy.nodes[node] : copyPath(model, copy, node, top, g + 1);
      }
    });
    start = Math.max(start, ends[g]);
  }
  return yield* modelSteps({...model, ...addGroupFrames(model, groups.names)}, list.parent.subarray(0, list.count), list.frame.subarray(0, list.count),
    groups.ofNode ? {map: tos} : {sampleNodes: tos});
}

// Return {model, weights} of flame graph and call tree for the current state. The model is kept until it changes.
function* groupedSteps() {
  const {state, model, weights} = app;
  if (state.group === "none")
    return {model, weights};
  if (!app.grouped || app.grouped.from !== model || app.grouped.kind !== state.group)
    app.grouped = {from: model, kind: state.group, model: yield* groupSteps(model, state.group), of: null, weights: null};
  if (app.grouped.of !== weights)
    Object.assign(app.grouped, {of: weights, weights: yield* weighSteps(app.grouped.model, state)});
  return app.grouped;
}

function groupedModel() {
  return finish(groupedSteps());
}
