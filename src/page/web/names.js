// SPDX-License-Identifier: BSD-2-Clause
// Long names folded to a length: the innermost brackets first, then the outer scopes. The function's own name and its
// last scope are cut only if nothing else is left.

const CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"};
const FOLD_LOOK_MAX = 65536; // characters of a name that are examined

// True if the "<" or ">" at `at` is part of an operator or an arrow.
function isOperator(text, at) {
  return (text[at] === ">" && (text[at - 1] === "-" || text[at - 1] === "=")) || /operator[<>=-]*$/.test(text.slice(Math.max(0, at - 11), at));
}

// Return {depth: nesting of each character, most}, or null if the brackets do not match.
function nestingOf(text) {
  const depth = new Uint16Array(text.length), open = [];
  let most = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i], isPart = (c === "<" || c === ">") && isOperator(text, i);
    if (CLOSING[c] && !isPart && open.pop() !== CLOSING[c])
      return null;
    depth[i] = open.length;
    if ((c === "(" || c === "[" || c === "{" || c === "<") && !isPart)
      open.push(c);
    most = Math.max(most, open.length);
    if (most > 60000)
      return null;
  }
  return open.length ? null : {depth, most};
}

// Return the text without the contents of brackets that are nested deeper than `level`.
function foldedAt(text, depth, level) {
  let out = "", from = 0;
  for (let i = 0; i < text.length; i++) {
    if (depth[i] <= level)
      continue;
    out += text.slice(from, i) + CUT;
    while (i < text.length && depth[i] > level)
      i++;
    from = i;
  }
  return out + text.slice(from);
}

function foldBrackets(text, max) {
  const nesting = nestingOf(text);
  if (!nesting || !nesting.most)
    return text;
  let low = 0, high = nesting.most - 1, found = null;
  while (low <= high) {
    const level = (low + high) >> 1, folded = foldedAt(text, nesting.depth, level);
    if (folded.length <= max)
      [found, low] = [folded, level + 1];
    else
      high = level - 1;
  }
  return found === null ? foldedAt(text, nesting.depth, 0) : found;
}

// Return the positions at which the parts of a name begin: scopes of C++ and Rust, or packages of Go and Java.
function partStarts(text) {
  const separators = text.includes("::") ? /::(?!$)/g : text.includes("/") ? /\/(?=[^/]*$)/g : /^[\w$.<>\u2026()]+$/.test(text) ? /\.(?=[\w$<])/g : null;
  return separators ? [...text.matchAll(separators)].map((found) => found.index + found[0].length) : [];
}

// Cut at the end, but do not split a surrogate pair.
function cutText(text, max) {
  if (text.length <= max)
    return text;
  const isPair = /[\ud800-\udbff]/.test(text[max - 2]);
  return text.slice(0, Math.max(0, isPair ? max - 2 : max - 1)) + CUT;
}

// Replace scopes between the beginning of a name and its last scope.
function foldScopes(text, max) {
  const starts = partStarts(text), count = starts.length;
  const tails = [starts[count - 2], starts[count - 1]].filter((at) => at !== undefined).map((at) => text.slice(at));
  const bare = tails.map((tail) => tail.replace(/\(\u2026?\).*$/, ""));
  const tail = [...tails.slice(0, 1), ...bare.slice(0, 1), ...tails.slice(1), ...bare.slice(1)].find((one) => one.length < max);
  if (tail === undefined)
    return cutText(bare.length ? bare[bare.length - 1] : text, max);
  const room = max - tail.length - 1;
  return (room > 3 && tail === tails[0] ? text.slice(0, room) : "") + CUT + tail;
}

function foldWithin(text, max) {
  if (text.length <= max)
    return text;
  const folded = foldBrackets(text.length > FOLD_LOOK_MAX ? text.slice(0, FOLD_LOOK_MAX) : text, max);
  return folded.length <= max ? folded : foldScopes(folded, max);
}

// Return a name with at most `max` characters.
function foldName(text, max) {
  if (text.length <= max)
    return text;
  // What distinguishes the name from others is kept whole, or left out.
  const word = / \[[^[\]]*\]$/.exec(text.slice(-max)), name = word ? text.slice(0, text.length - word[0].length) : text;
  return word && word[0].length <= max / 2 ? foldWithin(name, max - word[0].length) + word[0] : foldWithin(name, max);
}
