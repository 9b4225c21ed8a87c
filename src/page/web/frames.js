// SPDX-License-Identifier: BSD-2-Clause
// Names of frames and threads, and properties of the nodes of the call tree.

const FLAG_INLINED = 4, FLAG_JIT = 8, FLAG_NAMELESS = 16, FLAG_CUT = 32, FLAG_FOREIGN = 64;
const FLAG_GROUP = 128; // only in group.js, not in the data
const KIND_NAMES = ["user", "kernel", "hypervisor", "guest"];
const ALL_NAME = "all";
const CUT_NAME = "[cut]";

// Return a byte for each node: 1 if no caller has the same frame, so that recursion is counted once.
function* outermostSteps(model) {
  const {first, next, parent, frame, nodes} = model;
  const outermost = new Uint8Array(nodes), open = new Uint32Array(Math.max(model.frames, 1));
  let at = first[0], steps = 0;
  while (at) {
    if (++steps % BLOCK === 0)
      yield;
    outermost[at] = open[frame[at]]++ === 0 ? 1 : 0;
    if (first[at]) {
      at = first[at];
      continue;
    }
    while (at && !next[at]) {
      open[frame[at]]--;
      at = parent[at];
    }
    if (at) {
      open[frame[at]]--;
      at = next[at];
    }
  }
  return outermost;
}

// Return a byte for each node: 1 if its stack was truncated.
function findCut(model) {
  const {parent, frame, nodes} = model, flags = model.columns.frame_flags;
  const cut = new Uint8Array(nodes);
  for (let i = 1; i < nodes; i++)
    cut[i] = cut[parent[i]] | (flags[frame[i]] & FLAG_CUT ? 1 : 0);
  return cut;
}

// Return {isFlat, hasChains}. isFlat: no node has a caller. hasChains: some node has a caller other than by inlining.
function chainsOf({base: model}) {
  if (!model.chains) {
    const {parent, frame, nodes} = model, flags = model.columns.frame_flags, chains = {isFlat: nodes > 1, hasChains: nodes < 2};
    for (let i = 1; i < nodes; i++) {
      chains.isFlat = chains.isFlat && !parent[i];
      chains.hasChains = chains.hasChains || Boolean(parent[i] && !(flags[frame[i]] & FLAG_INLINED));
    }
    model.chains = chains;
  }
  return model.chains;
}

const NO_CHAINS = "recorded without callchains: callers are unknown (use tally record --call-graph auto)";

function frameFile(model, frame) {
  return model.strings.text(model.columns.frame_file[frame]);
}

// Return the name of a frame with the name string `id`, escaped; code without a name is called after its file.
function nameOf(model, frame, id) {
  const flags = model.columns.frame_flags[frame], name = model.strings.text(id);
  if (flags & FLAG_CUT)
    return CUT_NAME;
  if (!(flags & FLAG_NAMELESS) && name)
    return escapeText(name);
  const file = baseName(frameFile(model, frame)) || "unknown";
  const place = file[0] === "[" ? file : `[${file}]`;
  return escapeText(name ? `${place} ${name}` : place);
}

// Return the string of a frame's short name, or of its name if it has no short one.
function shortId(model, frame) {
  const {frame_short: shorts, frame_name: names} = model.columns;
  return (shorts && shorts[frame]) || names[frame];
}

// Return the displayed name, escaped and folded to at most `max` characters. Results are kept, as the same names are
// painted again and again.
function frameName(model, frame, max = SHOWN_MAX) {
  if (frame < 0)
    return ALL_NAME;
  const {labels} = model;
  const known = labels[frame] || (labels[frame] = {name: nameOf(model, frame, shortId(model, frame)), max: 0, text: ""});
  if (known.name.length <= max)
    return known.name;
  if (known.max !== max)
    Object.assign(known, {max, text: foldName(known.name, max)});
  return known.text;
}

// Return the full name, escaped.
function frameWholeName(model, frame) {
  const id = model.columns.frame_name[frame];
  return model.strings.isWhole(id) ? nameOf(model, frame, id) : escapeText(model.strings.whole(id));
}

function isLibrary(file) {
  return /\.so(\.|$)|\.(dll|dylib)$/.test(baseName(file));
}

const KINDS = {
  kernel: "kernel", user: "program", library: "library", jit: "JIT", inlined: "inlined", nameless: "no name",
  guest: "guest", hypervisor: "hypervisor", group: "all its samples", cut: "[cut]: callers missing",
};

// Return the key in KINDS of a frame, from its flags and file name.
function frameKind(model, frame) {
  const flags = model.columns.frame_flags[frame];
  if (flags & FLAG_CUT)
    return "cut";
  if (flags & FLAG_GROUP)
    return "group";
  if (flags & 3)
    return KIND_NAMES[flags & 3];
  if (flags & FLAG_JIT)
    return "jit";
  if (flags & FLAG_INLINED)
    return "inlined";
  if (flags & FLAG_NAMELESS)
    return "nameless";
  return isLibrary(frameFile(model, frame)) ? "library" : "user";
}

function threadLabel(model, thread, max = SHOWN_MAX) {
  const {thread_pid: pid, thread_tid: tid, thread_name: name} = model.columns;
  const text = shownText(model.strings.text(name[thread]), max) || "(no name)";
  if (!tid[thread])
    return pid[thread] ? `${text} ${pid[thread] - 1}` : text;
  return pid[thread] && pid[thread] !== tid[thread] ? `${text} ${pid[thread] - 1}/${tid[thread] - 1}` : `${text} ${tid[thread] - 1}`;
}

function cpuLabel(cpu) {
  return cpu ? `CPU ${cpu - 1}` : "CPU unknown";
}
