// SPDX-License-Identifier: BSD-2-Clause
// Follows a program of regex_parse.js through a name, on all ways at once: the cost is at most characters times steps,
// and of all names together no more than a budget.

const REGEX_BUDGET = 4e7; // steps for one query over all names: less than half a second

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

// A matcher of names; `budget` ({left}) is shared by all that one query asks.
function compileRegex(pattern, folds, budget) {
  const program = parseRegex(pattern, folds);
  const marks = new Uint32Array(program.length), stack = new Uint32Array(2 * program.length + 2);
  let now = new Uint32Array(program.length), then = new Uint32Array(program.length), mark = 0;

  // Add what step `start` leads to without a character; returns the new length, or -1 at a match.
  function follow(list, length, start, text, at) {
    let depth = 0;
    stack[depth++] = start;
    while (depth) {
      const i = stack[--depth], step = program[i];
      if (marks[i] === mark)
        continue;
      marks[i] = mark;
      budget.left--;
      if (step.op === OP_MATCH)
        return -1;
      if (step.op === OP_SPLIT) {
        stack[depth++] = step.y;
        stack[depth++] = step.x;
      } else if (step.op === OP_JUMP) {
        stack[depth++] = step.x;
      } else if (step.op === OP_ASSERT) {
        if (assertionHolds(step.x, text, at))
          stack[depth++] = i + 1;
      } else {
        list[length++] = i;
      }
    }
    return length;
  }

  function takes(step, code) {
    return step.op === OP_ANY || (step.op === OP_CHAR ? step.x === code : step.x(code));
  }

  return (name) => {
    const text = folds ? name.toLowerCase() : name;
    let length = 0;
    mark++;
    for (let at = 0; ; at++) {
      length = follow(now, length, 0, text, at);
      if (length < 0)
        return true;
      if (at >= text.length)
        return false;
      if (budget.left < 0)
        throw new BadQuery("the regular expression takes too long on these names");
      const code = text.charCodeAt(at);
      let count = 0;
      mark++;
      for (let i = 0; i < length && count >= 0; i++) {
        if (takes(program[now[i]], code))
          count = follow(then, count, now[i] + 1, text, at + 1);
      }
      if (count < 0)
        return true;
      [now, then] = [then, now];
      length = count;
    }
  };
}
