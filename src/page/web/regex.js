// SPDX-License-Identifier: BSD-2-Clause
// Run a program of regex_parse.js on a name, following all alternatives in parallel. The cost is at most characters
// times steps, and for all names together limited by a budget.

const REGEX_BUDGET = 4e7; // steps of one query over all names: less than half a second

function isWordCode(code) {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}

function assertionHolds(which, text, at) {
  const before = at > 0 && isWordCode(text.charCodeAt(at - 1)), after = at < text.length && isWordCode(text.charCodeAt(at));
  switch (which) {
  case "^": return at === 0;
  case "$": return at === text.length;
  case "b": return before !== after;
  case "B": return before === after;
  case "<": return !before && after;
  default: return before && !after;
  }
}

// Add the steps reachable from step `start` without consuming a character to `list`. Returns the new length, or -1 at a
// match.
function followSteps(matcher, list, length, start, text, at) {
  const {program, marks, stack, budget} = matcher;
  let depth = 0;
  stack[depth++] = start;
  while (depth) {
    const i = stack[--depth], step = program[i];
    if (marks[i] === matcher.mark)
      continue;
    marks[i] = matcher.mark;
    budget.left--;
    if (step.op === OP_MATCH)
      return -1;
    if (step.op === OP_SPLIT) {
      stack[depth++] = step.y;
      stack[depth++] = step.x;
    } else if (step.op === OP_JUMP) {
      stack[depth++] = step.x;
    } else if (step.op !== OP_ASSERT) {
      list[length++] = i;
    } else if (assertionHolds(step.x, text, at)) {
      stack[depth++] = i + 1;
    }
  }
  return length;
}

function takesCode(step, code) {
  return step.op === OP_ANY || (step.op === OP_CHAR ? step.x === code : step.x(code));
}

// Advance over the character at `at`. Returns the number of steps after it, or -1 at a match.
function passCode(matcher, length, text, at) {
  const {program, now, then} = matcher, code = text.charCodeAt(at);
  let count = 0;
  matcher.mark++;
  for (let i = 0; i < length && count >= 0; i++) {
    if (takesCode(program[now[i]], code))
      count = followSteps(matcher, then, count, now[i] + 1, text, at + 1);
  }
  [matcher.now, matcher.then] = [then, now];
  return count;
}

function regexMatches(matcher, text) {
  let length = 0;
  matcher.mark++;
  for (let at = 0; ; at++) {
    length = followSteps(matcher, matcher.now, length, 0, text, at);
    if (length < 0 || at >= text.length)
      return length < 0;
    if (matcher.budget.left < 0)
      throw new BadQuery("the regular expression takes too long on these names");
    length = passCode(matcher, length, text, at);
    if (length < 0)
      return true;
  }
}

// Return a predicate for names. `budget` ({left}) is shared by all patterns of a query.
function compileRegex(pattern, folds, budget) {
  const program = parseRegex(pattern, folds), size = program.length;
  const matcher = {program, budget, mark: 0, marks: new Uint32Array(size), stack: new Uint32Array(2 * size + 2), now: new Uint32Array(size), then: new Uint32Array(size)};
  return (name) => regexMatches(matcher, folds ? name.toLowerCase() : name);
}
