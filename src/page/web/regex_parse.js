// SPDX-License-Identifier: BSD-2-Clause
// POSIX extended regular expressions as in the queries of the terminal browser, compiled into a program of at most
// REGEX_STEPS_MAX steps, for which regex.js follows all alternatives in parallel. The browser's own regular expressions
// use backtracking, so a malicious pattern or name could take practically forever.

const REGEX_MAX = 256, REGEX_STEPS_MAX = 1000, REGEX_GROUPS_MAX = 31;
const OP_CHAR = 0, OP_ANY = 1, OP_SET = 2, OP_SPLIT = 3, OP_JUMP = 4, OP_ASSERT = 5, OP_MATCH = 6;
const CLASSES = {
  alpha: "a-zA-Z", digit: "0-9", alnum: "a-zA-Z0-9", upper: "A-Z", lower: "a-z", space: " \\t-\\r", blank: " \\t",
  punct: "!-/:-@\\[-`{-~", print: " -~", graph: "!-~", cntrl: "\\0-\\x1f\\x7f", xdigit: "0-9a-fA-F",
};

class BadQuery extends Error {
  constructor(text, offset = 0) {
    super(text);
    this.offset = offset;
  }
}

function emit(parser, op, x = 0, y = 0) {
  if (parser.program.length >= REGEX_STEPS_MAX)
    throw new BadQuery("the regular expression repeats too much");
  parser.program.push({op, x, y});
  return parser.program.length - 1;
}

// Expressions are parsed into a tree first, because repeated parts are expanded.
function parseAlternatives(parser) {
  const branches = [parseSequence(parser)];
  while (parser.text[parser.at] === "|") {
    parser.at++;
    branches.push(parseSequence(parser));
  }
  return branches.length > 1 ? {kind: "either", branches} : branches[0];
}

function parseSequence(parser) {
  const parts = [];
  while (parser.at < parser.text.length && parser.text[parser.at] !== "|" && parser.text[parser.at] !== ")")
    parts.push(parseRepeated(parser));
  return {kind: "sequence", parts};
}

function parseInterval(parser) {
  const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(parser.text.slice(parser.at, parser.at + 16));
  if (!found)
    throw new BadQuery("the regular expression has no number of times in '{}'");
  parser.at += found[0].length;
  const least = Number(found[1]);
  const most = found[2] === undefined ? least : found[3] ? Number(found[3]) : Infinity;
  if (most < least)
    throw new BadQuery("the regular expression has no number of times in '{}'");
  return [least, most];
}

function parseRepeated(parser) {
  const times = {"*": [0, Infinity], "+": [1, Infinity], "?": [0, 1]};
  if ("*+?{".includes(parser.text[parser.at]))
    throw new BadQuery("the regular expression repeats nothing");
  let part = parseAtom(parser);
  while (parser.at < parser.text.length && "*+?{".includes(parser.text[parser.at])) {
    const c = parser.text[parser.at];
    const [least, most] = c === "{" ? parseInterval(parser) : (parser.at++, times[c]);
    part = {kind: "repeat", part, least, most};
  }
  return part;
}

function parseGroup(parser) {
  if (++parser.depth > REGEX_GROUPS_MAX)
    throw new BadQuery("the regular expression nests groups more than 31 levels deep");
  parser.at++;
  const inner = parseAlternatives(parser);
  if (parser.text[parser.at] !== ")")
    throw new BadQuery("'(' without ')' in the regular expression");
  parser.at++;
  parser.depth--;
  return inner;
}

const ESCAPES = {w: "[a-zA-Z0-9_]", W: "[^a-zA-Z0-9_]", s: "[ \t-\r]", S: "[^ \t-\r]"};

function parseEscape(parser) {
  const c = parser.text[parser.at + 1];
  parser.at += 2;
  if (c === undefined)
    throw new BadQuery("the regular expression ends in a backslash");
  if (c >= "0" && c <= "9")
    throw new BadQuery("back-references are not supported in regular expressions");
  if ("bB<>`'".includes(c))
    return {kind: "assert", which: {"`": "^", "'": "$"}[c] || c};
  if (ESCAPES[c])
    return {kind: "set", matches: compileSet(ESCAPES[c], parser.folds)};
  return {kind: "char", c};
}

function parseAtom(parser) {
  const c = parser.text[parser.at];
  if (c === "(")
    return parseGroup(parser);
  if (c === "[")
    return parseBracket(parser);
  if (c === "\\")
    return parseEscape(parser);
  parser.at++;
  if (c === ".")
    return {kind: "any"};
  if (c === "^" || c === "$")
    return {kind: "assert", which: c};
  return {kind: "char", c};
}

// The set matches a single character without repetition, so the browser's regular expression is fast here.
function compileSet(text, folds) {
  const set = new RegExp(`^${text}$`, folds ? "i" : "");
  const known = new Int8Array(1 << 16).fill(-1);
  return (code) => {
    if (known[code] < 0)
      known[code] = set.test(String.fromCharCode(code)) ? 1 : 0;
    return known[code] === 1;
  };
}

// Unlike JavaScript, POSIX has no escapes in brackets.
function parseBracket(parser) {
  const found = /^\[(\^?)(\]?(?:\[:\w+:\]|[^\]])*)\]/.exec(parser.text.slice(parser.at));
  if (!found)
    throw new BadQuery("'[' without ']' in the regular expression");
  parser.at += found[0].length;
  const body = found[2].replace(/\[:(\w+):\]|[\\\]\[^&|~]/g, (part, name) => {
    if (name && !Object.hasOwn(CLASSES, name))
      throw new BadQuery("the regular expression has an unknown [:class:]");
    return name ? CLASSES[name] : `\\${part}`;
  });
  try {
    return {kind: "set", matches: compileSet(`[${found[1]}${body}]`, parser.folds)};
  } catch (error) {
    throw new BadQuery("a range of the regular expression ends before it begins");
  }
}

// A part that emits no steps need not be repeated.
function writePartTimes(parser, part, times) {
  for (let i = 0; i < times; i++) {
    const start = parser.program.length;
    writePart(parser, part);
    if (parser.program.length === start)
      return;
  }
}

function writeRepeat(parser, part, least, most) {
  writePartTimes(parser, part, least);
  if (most === Infinity) {
    const split = emit(parser, OP_SPLIT);
    writePart(parser, part);
    emit(parser, OP_JUMP, split);
    Object.assign(parser.program[split], {x: split + 1, y: parser.program.length});
    return;
  }
  const splits = [];
  for (let i = least; i < most; i++) {
    splits.push(emit(parser, OP_SPLIT));
    writePart(parser, part);
  }
  for (const split of splits)
    Object.assign(parser.program[split], {x: split + 1, y: parser.program.length});
}

function writeEither(parser, branches) {
  const jumps = [];
  branches.forEach((branch, i) => {
    const split = i < branches.length - 1 ? emit(parser, OP_SPLIT) : -1;
    writePart(parser, branch);
    if (split >= 0) {
      jumps.push(emit(parser, OP_JUMP));
      Object.assign(parser.program[split], {x: split + 1, y: parser.program.length});
    }
  });
  for (const jump of jumps)
    parser.program[jump].x = parser.program.length;
}

function writePart(parser, part) {
  switch (part.kind) {
  case "sequence": part.parts.forEach((one) => writePart(parser, one)); break;
  case "either": writeEither(parser, part.branches); break;
  case "repeat": writeRepeat(parser, part.part, part.least, part.most); break;
  case "any": emit(parser, OP_ANY); break;
  case "set": emit(parser, OP_SET, part.matches); break;
  case "assert": emit(parser, OP_ASSERT, part.which); break;
  default: emit(parser, OP_CHAR, (parser.folds ? part.c.toLowerCase() : part.c).charCodeAt(0));
  }
}

function parseRegex(text, folds) {
  if (text.length > REGEX_MAX)
    throw new BadQuery("the regular expression is longer than 256 characters");
  const parser = {text, folds, at: 0, depth: 0, program: []};
  const tree = parseAlternatives(parser);
  if (parser.at < text.length)
    throw new BadQuery("')' without '(' in the regular expression");
  writePart(parser, tree);
  emit(parser, OP_MATCH);
  return parser.program;
}
