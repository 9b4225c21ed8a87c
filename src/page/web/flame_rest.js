// SPDX-License-Identifier: BSD-2-Clause
// Rest cells: the children of a caller that are too narrow to be visible, combined into one cell. A rest cell has a
// name, and can be zoomed to show its children. In the address it is written as "r", the index of its first child, "-",
// and the index after its last child.

const REST_PARTS = 16;

// Return the rest cell for the children [from, to) of an expanded cell; always the same object.
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

// Return the children of a rest cell, below it instead of next to it.
function expandRest(cell) {
  return cell.up.kids.slice(cell.rest.from, cell.rest.to).map((kid) => ({...kid, up: cell, depth: cell.depth + 1, kids: null, kidsSize: 0, rests: null}));
}

// Return the rest cell "r12-40" of a cell, or null if the cell has fewer children.
function findRest(tree, cell, part) {
  const [from, to] = part.slice(1).split("-").map(Number);
  return from < to && to <= expandCell(tree, cell).length ? restCell(tree, cell, from, to) : null;
}

function cellName(tree, cell, most) {
  if (!cell.rest)
    return frameName(tree.model, cell.frame, most);
  const count = cell.rest.to - cell.rest.from;
  return `${formatCount(count)} ${count === 1 ? "function" : "functions"} too narrow to show`;
}

// Return the ranges of children from `first` that form rest cells: usually one; several if the parent is itself a rest
// cell in which no child is wide enough.
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

// Return, by node, whether the path from the root includes a marked function, and whether selected samples below it do.
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

// True if a rest cell contains a marked function, at any depth.
function isRestFound(tree, cell, found) {
  if (cell.foundBy !== found) {
    const marks = markNodes(tree, found), {from, to} = cell.rest;
    cell.foundBy = found;
    cell.isFound = cell.up.kids.slice(from, to).some((kid) => holdsFound(kid, marks));
  }
  return cell.isFound;
}
