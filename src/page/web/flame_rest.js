// SPDX-License-Identifier: BSD-2-Clause
// The cells of one caller that are too narrow to be seen, as one cell: it has a name, and zoomed to it is as wide as the
// window, with these cells below it. In the address it is "r", the number of its first cell among its caller's, "-", and
// the number behind its last one.

const REST_PARTS = 16;

// The rest that is the kids [from, to) of a cell, which are expanded: the same one whenever it is asked for.
function restCell(tree, up, from, to) {
  const name = `r${from}-${to}`;
  up.rests = up.rests || new Map();
  if (!up.rests.has(name)) {
    const cell = makeCell(tree, -1, up);
    cell.rest = {name, from, to};
    for (let i = from; i < to; i++) {
      for (const sum of ["total", "base", "self", "size"])
        cell[sum] += up.kids[i][sum];
    }
    up.rests.set(name, cell);
  }
  return up.rests.get(name);
}

// Its cells, below it instead of beside it.
function expandRest(cell) {
  return cell.up.kids.slice(cell.rest.from, cell.rest.to).map((kid) => ({...kid, up: cell, depth: cell.depth + 1, kids: null, kidsSize: 0, rests: null}));
}

// "r12-40" of a cell, if it has as many.
function findRest(tree, cell, part) {
  const [from, to] = part.slice(1).split("-").map(Number);
  return from < to && to <= expandCell(tree, cell).length ? restCell(tree, cell, from, to) : null;
}

function cellName(tree, cell, most) {
  if (!cell.rest)
    return most ? frameLabel(tree.model, cell.frame, most) : frameName(tree.model, cell.frame);
  const count = cell.rest.to - cell.rest.from;
  return `${formatCount(count)} ${count === 1 ? "function" : "functions"} too narrow to show`;
}

// Where kids from `first` on begin and end as rests. One, but of a rest in which no kid is wide enough: parts of it.
function restRanges(cell, first, scale) {
  const {kids} = cell, ranges = [];
  let end = kids.length, from = first, size = 0;
  while (end > first && kids[end - 1].size <= 0)
    end--;
  const least = cell.rest && !first ? cell.kidsSize / REST_PARTS : Infinity;
  for (let i = first; i < end; i++) {
    size += kids[i].size;
    if (size >= least || i === end - 1) {
      ranges.push({from, to: i + 1, width: size * scale});
      [from, size] = [i + 1, 0];
    }
  }
  const last = ranges[ranges.length - 1];
  if (ranges.length > 1 && last.width < NARROWEST) {
    ranges.pop();
    Object.assign(ranges[ranges.length - 1], {to: last.to, width: ranges[ranges.length - 1].width + last.width});
  }
  return ranges;
}

// By node, whether a marked function is on its way from the root, or below it in samples that are selected.
function markNodes(tree, found) {
  if (tree.marks && tree.marks.found === found)
    return tree.marks;
  const {parent, frame, nodes} = tree.model, above = new Uint8Array(nodes), below = new Uint8Array(nodes);
  for (let i = 1; i < nodes; i++)
    above[i] = found[frame[i]] | above[parent[i]];
  for (let i = nodes - 1; i > 0; i--) {
    if (hasWeight(tree, i) && (below[i] || found[frame[i]]))
      below[i] = below[parent[i]] = 1;
  }
  tree.marks = {found, above, below};
  return tree.marks;
}

function holdsFound(cell, marks) {
  if (cell.at)
    return cell.at.some((node) => marks.above[node]);
  return cell.nodes ? cell.nodes.some((node) => marks.below[node]) : marks.below[cell.node] > 0;
}

// Whether the search found something in a rest, also deeper.
function isRestFound(tree, cell, found) {
  if (cell.foundBy !== found) {
    const marks = markNodes(tree, found), {from, to} = cell.rest;
    cell.foundBy = found;
    cell.isFound = cell.up.kids.slice(from, to).some((kid) => holdsFound(kid, marks));
  }
  return cell.isFound;
}
