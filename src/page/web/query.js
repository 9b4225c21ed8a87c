// SPDX-License-Identifier: BSD-2-Clause
// The query language, the same as in the terminal browser: words separated by blanks, all of which must match. It is
// described in docs/commands/report.md and the help of the page.

const QUERY_MAX = 4096, QUERY_WORDS_MAX = 32;
const QUERY_FIELDS = {comm: "name", pid: "numbers", tid: "numbers", cpu: "numbers", time: "time", sym: "name", dso: "name",
  "self-sym": "name", "self-dso": "name"};

function isBlank(c) {
  return c === " " || (c >= "\t" && c <= "\r");
}

function isWordEnd(c) {
  return c === undefined || isBlank(c);
}

// "std::" and "LazyCompile:" are the beginning of a name, not a field.
function parseField(parser) {
  const found = /^([a-z_-]+):(?!:)/.exec(parser.text.slice(parser.at, parser.at + 64));
  if (!found)
    return "any";
  if (!Object.hasOwn(QUERY_FIELDS, found[1]))
    throw new BadQuery("fields are comm, pid, tid, cpu, time, sym, dso, self-sym and self-dso; a name with a colon is quoted", parser.at);
  parser.at += found[0].length;
  return found[1];
}

// Return the position of the '/' that ends the regular expression beginning at `at`; it must end the word. 0: not a
// regular expression.
function regexEnd(text, at) {
  for (at++; at < text.length; at++) {
    if (text[at] === "\\" && at + 1 < text.length)
      at++;
    else if (text[at] === "/" && isWordEnd(text[at + 1]))
      return at;
  }
  return 0;
}

function parseQuoted(parser) {
  const text = parser.text, start = parser.at;
  let value = "", at = start + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\"))
      at++;
    value += text[at];
  }
  if (at >= text.length)
    throw new BadQuery("the quote is not closed", start);
  if (!isWordEnd(text[at + 1]))
    throw new BadQuery("a blank is required after the quote", at + 1);
  parser.at = at + 1;
  return value;
}

function parsePlain(parser) {
  const start = parser.at;
  while (!isWordEnd(parser.text[parser.at]))
    parser.at++;
  if (parser.at === start)
    throw new BadQuery("a name or number is missing here", start);
  return parser.text.slice(start, parser.at);
}

function hasUpper(kind, text) {
  return /[A-Z]/.test(kind === "regex" ? text.replace(/\\./g, "") : text);
}

// Parse a pattern for names: {kind, text, folds}.
function parsePattern(parser) {
  const text = parser.text, end = text[parser.at] === "/" ? regexEnd(text, parser.at) : 0;
  if (end) {
    const value = text.slice(parser.at + 1, end);
    parser.at = end + 1;
    return {kind: "regex", text: value, folds: !hasUpper("regex", value)};
  }
  const equals = /^={0,2}/.exec(text.slice(parser.at))[0].length;
  const kind = ["part", "whole", "exact"][equals];
  parser.at += equals;
  const value = text[parser.at] === '"' ? parseQuoted(parser) : parsePlain(parser);
  return {kind, text: value, folds: kind !== "exact" && !hasUpper(kind, value)};
}

function parseNumbers(text, at) {
  return text.split(",").map((part) => {
    const found = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part);
    const range = found && [Number(found[1]), Number(found[2] === undefined ? found[1] : found[2])];
    if (!range || range[1] < range[0])
      throw new BadQuery("expected numbers or ranges such as 0-3,5", at);
    return range;
  });
}

const TIME_ERROR = "a time range is start,end in seconds (either may be omitted), +start,+end since the first sample, or 10%-20%";

// Return nanoseconds as BigInt, as clocks may exceed 2^53.
function parseSeconds(text, otherwise) {
  const found = /^(\d{1,12})(?:\.(\d{0,9})\d*)?$/.exec(text);
  if (!found)
    return otherwise;
  return BigInt(found[1]) * 1000000000n + BigInt((found[2] || "").padEnd(9, "0"));
}

function parseTime(text, at) {
  const shares = /^(\d+(?:\.\d+)?)%-(\d+(?:\.\d+)?)%$/.exec(text);
  if (shares && Number(shares[1]) <= Number(shares[2]))
    return {shares: [Number(shares[1]) / 100, Number(shares[2]) / 100]};
  const isSince = /^(\+[^,]*)?,?(\+[^,]*)?$/.test(text);
  const parts = text.split(",").map((part) => isSince ? part.slice(1) : part);
  const [from, to] = [parseSeconds(parts[0] || "", null), parseSeconds(parts[1] || "", null)];
  const isWrong = parts.length !== 2 || shares || (parts[0] && from === null) || (parts[1] && to === null) || !(parts[0] || parts[1]) ||
    (from !== null && to !== null && from > to);
  if (isWrong)
    throw new BadQuery(TIME_ERROR, at);
  return {from, to, isSince};
}

function parseWord(parser) {
  const isNegated = parser.text[parser.at] === "-" || parser.text[parser.at] === "!";
  parser.at += isNegated ? 1 : 0;
  const field = parseField(parser), start = parser.at;
  const takes = QUERY_FIELDS[field] || "name";
  if (takes === "name")
    return {field, isNegated, pattern: parsePattern(parser)};
  const value = parsePlain(parser);
  return {field, isNegated, [takes]: takes === "time" ? parseTime(value, start) : parseNumbers(value, start)};
}

// Parse a query into words. Throws BadQuery with the offset of the error.
function parseQuery(text) {
  const parser = {text, at: 0}, words = [];
  if (text.length > QUERY_MAX)
    throw new BadQuery("it is longer than 4096 characters", QUERY_MAX);
  for (;;) {
    while (parser.at < text.length && isBlank(text[parser.at]))
      parser.at++;
    if (parser.at >= text.length)
      return words;
    if (words.length === QUERY_WORDS_MAX)
      throw new BadQuery("there are more than 32 words", parser.at);
    words.push(parseWord(parser));
  }
}

function quoteName(field, name) {
  return `${field}:=="${name.replace(/["\\]/g, "\\$&")}"`;
}
