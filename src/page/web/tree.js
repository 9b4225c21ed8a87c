// SPDX-License-Identifier: BSD-2-Clause
// Call trees of cells that are created on demand: plain, with recursion collapsed, or reversed. A complete reversed
// tree would have a cell for each function and each chain of its callers.
//
// A cell is {frame, up, depth, total, base, self, size, kids, kidsSize}; kids are null until expandCell(), then sorted
// by size. A cell of a plain tree has its `node`, one of a collapsed tree its `nodes`. A cell of a reversed tree has
// pairs of `leaf`, whose weight it includes, and `at`, the node reached from that leaf. A cell with `rest` represents
// some of its caller's kids (flame_rest.js).

function makeCell(tree, frame, up) {
  return {frame, up, depth: up ? up.depth + 1 : 0, total: 0, base: 0, self: 0, size: 0, kids: null, kidsSize: 0,
    node: 0, nodes: null, leaf: null, at: null, rest: null, rests: null};
}

// Set the size of a cell: its weight; with two recordings its share, as their lengths may differ.
function sizeCell(tree, cell) {
  const {current, base} = tree.wholes;
  if (!tree.hasBase) {
    cell.size = cell.total;
    return;
  }
  const after = current ? cell.total / current : 0, before = base ? cell.base / base : 0;
  cell.size = tree.widths === "before" ? before : tree.widths === "both" ? (before + after) / 2 : after;
}

function addNode(tree, cell, node) {
  cell.total += tree.total[node];
  cell.self += tree.self[node];
  if (tree.baseTotal)
    cell.base += tree.baseTotal[node];
}

function hasWeight(tree, node) {
  return tree.total[node] > 0 || (tree.baseTotal !== null && tree.baseTotal[node] > 0);
}

function expandPlain(tree, cell) {
  const {first, next, frame} = tree.model, kids = [];
  for (let node = first[cell.node]; node; node = next[node]) {
    if (!hasWeight(tree, node))
      continue;
    const kid = makeCell(tree, frame[node], cell);
    kid.node = node;
    addNode(tree, kid, node);
    kids.push(kid);
  }
  return kids;
}

// Add the nodes below `cell.nodes` that have the same function to the cell.
function absorb(tree, cell) {
  const {first, next, frame} = tree.model;
  for (let i = 0; i < cell.nodes.length; i++) {
    for (let node = first[cell.nodes[i]]; node; node = next[node]) {
      if (frame[node] === cell.frame && hasWeight(tree, node)) {
        cell.nodes.push(node);
        cell.self += tree.self[node];
      }
    }
  }
}

function kidOf(tree, cell, byFrame, frame) {
  let kid = byFrame.get(frame);
  if (!kid) {
    kid = makeCell(tree, frame, cell);
    byFrame.set(frame, kid);
  }
  return kid;
}

function expandMerged(tree, cell) {
  const {first, next, frame} = tree.model, byFrame = new Map();
  for (const up of cell.nodes) {
    for (let node = first[up]; node; node = next[node]) {
      if (!hasWeight(tree, node) || (tree.collapses && frame[node] === cell.frame))
        continue;
      const kid = kidOf(tree, cell, byFrame, frame[node]);
      (kid.nodes = kid.nodes || []).push(node);
      addNode(tree, kid, node);
    }
  }
  const kids = [...byFrame.values()];
  if (tree.collapses)
    kids.forEach((kid) => absorb(tree, kid));
  return kids;
}

// Expand a cell to the callers of each path; with recursion collapsed, the first caller that is another function.
function expandReversed(tree, cell) {
  const {parent, frame} = tree.model, byFrame = new Map();
  for (let i = 0; i < cell.leaf.length; i++) {
    const leaf = cell.leaf[i];
    let node = cell.depth ? parent[cell.at[i]] : cell.at[i];
    while (tree.collapses && node && cell.depth && frame[node] === cell.frame)
      node = parent[node];
    if (!node)
      continue;
    const kid = kidOf(tree, cell, byFrame, frame[node]);
    if (!kid.leaf)
      [kid.leaf, kid.at] = [[], []];
    kid.leaf.push(leaf);
    kid.at.push(node);
    kid.total += tree.leafWeight[leaf];
    if (tree.leafBase)
      kid.base += tree.leafBase[leaf];
  }
  const kids = [...byFrame.values()];
  for (const kid of kids)
    kid.self = cell.depth || tree.leafWeight !== tree.self ? 0 : kid.total;
  return kids;
}

function expandCell(tree, cell) {
  if (cell.kids)
    return cell.kids;
  const kids = cell.rest ? expandRest(cell) : tree.expand(tree, cell);
  for (const kid of kids)
    sizeCell(tree, kid);
  cell.kidsSize = kids.reduce((sum, kid) => sum + kid.size, 0);
  cell.kids = kids.sort((a, b) => b.size - a.size || b.base - a.base || a.frame - b.frame);
  return cell.kids;
}

function makeTree(model, weights, options) {
  const {current, base} = weights;
  return {
    model, weights, hasBase: Boolean(base), widths: options.widths, collapses: options.collapses,
    self: current.self, total: current.total, baseTotal: base && base.total,
    wholes: {current: current.whole, base: base && base.whole},
    expand: null, root: null, leafWeight: null, leafBase: null,
  };
}

function finishRoot(tree, root) {
  sizeCell(tree, root);
  tree.root = root;
  return tree;
}

// Make the tree of the selection; options are {reversed, collapses, widths}.
function makeCallTree(model, weights, options) {
  const tree = makeTree(model, weights, options), root = makeCell(tree, -1, null);
  addNode(tree, root, 0);
  if (options.reversed) {
    const {self} = weights.current, base = weights.base && weights.base.self;
    [tree.leafWeight, tree.leafBase, tree.expand] = [self, base, expandReversed];
    root.leaf = [];
    for (let node = 1; node < model.nodes; node++) {
      if (self[node] > 0 || (base && base[node] > 0))
        root.leaf.push(node);
    }
    root.at = root.leaf;
    return finishRoot(tree, root);
  }
  tree.expand = options.collapses ? expandMerged : expandPlain;
  root.nodes = [0];
  return finishRoot(tree, root);
}

// Make the trees of the callees and the callers of a function: {callees, callers}. Their roots are the function.
function makeSandwich(model, weights, frame, options) {
  const callees = makeTree(model, weights, options), callers = makeTree(model, weights, options), nodes = [];
  for (let node = 1; node < model.nodes; node++) {
    if (model.frame[node] === frame && model.outermost[node] && hasWeight(callees, node))
      nodes.push(node);
  }
  const down = makeCell(callees, frame, null), up = makeCell(callers, frame, null);
  for (const node of nodes) {
    addNode(callees, down, node);
    addNode(callers, up, node);
  }
  down.nodes = nodes.slice();
  callees.expand = expandMerged;
  if (options.collapses)
    absorb(callees, down);
  [up.leaf, up.at] = [nodes, nodes.map((node) => model.parent[node])];
  [callers.leafWeight, callers.leafBase, callers.expand] = [weights.current.total, weights.base && weights.base.total, expandReversed];
  return {callees: finishRoot(callees, down), callers: finishRoot(callers, up)};
}

// Return the path of a cell below the root, such as "5.7.9"; "" for the root.
function cellPath(cell) {
  const frames = [];
  for (; cell && cell.up; cell = cell.up)
    frames.push(cell.rest ? cell.rest.name : cell.frame);
  return frames.reverse().join(".");
}

// Return the cell at a path, or the last existing one on it.
function findCell(tree, path) {
  let cell = tree.root;
  for (const part of path ? path.split(".") : []) {
    const kid = part[0] === "r" ? findRest(tree, cell, part) : expandCell(tree, cell).find((one) => one.frame === Number(part));
    if (!kid)
      break;
    cell = kid;
  }
  return cell;
}
