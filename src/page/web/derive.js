// SPDX-License-Identifier: BSD-2-Clause
// A model in which some functions are folded into their callers: inlined ones, those that are not the user's code, and
// those that the user folded. It has its own nodes; samples refer to them. `model.base` is the recording as it is:
// queries and timelines use that one.

const NO_NODE = 0xffffffff;

// Return bytes by frame: 1 if the frame is folded into its caller. Null if none is.
function foldedFrames(base, state) {
  const flags = base.columns.frame_flags, out = new Uint8Array(base.frames);
  const wanted = (state.noinline ? FLAG_INLINED : 0) | (state.own ? FLAG_FOREIGN : 0);
  let count = 0;
  for (let i = 0; i < base.frames; i++)
    count += out[i] = flags[i] & wanted ? 1 : 0;
  for (const frame of state.merge || []) {
    count += 1 - out[frame];
    out[frame] = 1;
  }
  return count ? out : null;
}

// A set of nodes found by parent and frame, without an object for each of them.
function makeNodeTable(most) {
  const size = 2 ** Math.ceil(Math.log2(2 * most + 2)), slots = new Uint32Array(size).fill(NO_NODE);
  return {parent: new Uint32Array(most), frame: new Uint32Array(most), count: 1, slots, mask: size - 1};
}

// Return the node of a frame below a parent, which is added if necessary.
function nodeBelow(table, parent, frame) {
  const {slots, mask} = table;
  let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b)) >>> 0;
  for (at = (at ^ (at >>> 15)) & mask; slots[at] !== NO_NODE; at = (at + 1) & mask) {
    if (table.parent[slots[at]] === parent && table.frame[slots[at]] === frame)
      return slots[at];
  }
  const node = table.count++;
  table.parent[node] = parent;
  table.frame[node] = frame;
  slots[at] = node;
  return node;
}

// Return {table, map: new node of each node}. Of a stack in which all frames are folded, the outermost one remains.
function* mapSteps(base, folded) {
  const {parent, frame, nodes} = base, table = makeNodeTable(nodes), map = new Uint32Array(nodes);
  const kept = new Uint32Array(nodes), outermost = new Uint32Array(nodes);
  yield* inBlocks(nodes, (from, to) => {
    for (let i = from || 1; i < to; i++) {
      const up = parent[i];
      outermost[i] = up ? outermost[up] : frame[i];
      kept[i] = folded[frame[i]] ? kept[up] : nodeBelow(table, kept[up], frame[i]);
      map[i] = kept[i] || nodeBelow(table, 0, outermost[i]);
    }
  });
  return {table, map};
}

// Return a model with other nodes, for the same samples: `to` is {map: node of each node of the recording} or
// {sampleNodes: node of each sample}.
function* modelSteps(model, parent, frame, to) {
  const other = {...model, parent, frame, ...linkChildren(parent), nodes: parent.length, map: null, sampleNodes: null, ...to};
  yield;
  other.outermost = yield* outermostSteps(other);
  return other;
}

function* foldSteps(base, folded) {
  const {table, map} = yield* mapSteps(base, folded);
  return yield* modelSteps(base, table.parent.subarray(0, table.count), table.frame.subarray(0, table.count), {map});
}

function foldKey(state) {
  return `${state.noinline} ${state.own} ${state.merge || ""}`;
}

// Return the model for the current state; it is kept until the folds change.
function* currentModelSteps(base, state) {
  const key = foldKey(state);
  if (!app.folds || app.folds.key !== key) {
    const folded = foldedFrames(base, state);
    app.folds = {key, model: folded ? yield* foldSteps(base, folded) : base};
  }
  return app.folds.model;
}

function hasFlag(base, flag) {
  return base.columns.frame_flags.some((flags) => flags & flag);
}

// Describe how inlined functions are counted, for headings with self; "" if there are none.
function inlineText() {
  if (!app.kinds.has("inlined"))
    return "";
  return app.state.noinline ? "inlined functions counted in their callers" : "inlined functions counted apart";
}

// Return what shares are of, for headings.
function wholeText() {
  return selectionParts().length ? "% of the selection" : "% of all samples";
}

// Return the description to append to a heading.
function inlineNote() {
  return inlineText() ? `; ${inlineText()}` : "";
}

// Make the description of shares and of self for the bar of a view.
function makeInlineHint() {
  const hint = make("span", {class: "hint told"});
  hint.sync = () => setText(hint, `${wholeText()}.${inlineText() && ` Self: ${inlineText()} (I)`}`);
  return hint;
}

function turnInlines() {
  go({noinline: !app.state.noinline, zoom: ""});
}

function turnOwn() {
  if (hasFlag(app.base, FLAG_FOREIGN))
    go({own: !app.state.own, zoom: ""});
  else
    notify("This page does not say which code is yours.");
}

// Fold a function into its callers, or unfold it.
function turnFold(frame) {
  const before = app.state.merge || [], after = before.filter((one) => one !== frame);
  if (frame < 0 || frame >= app.base.frames)
    return;
  if (after.length === before.length)
    after.push(frame);
  go({merge: after.length ? after.slice(-LIST_MAX) : null, zoom: ""});
}
