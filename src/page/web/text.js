// SPDX-License-Identifier: BSD-2-Clause
// Names come from recordings, which may come from anyone. Invisible characters, changes of text direction and stacked
// combining marks are written as \u{...}, so that no name can imitate another or extend beyond its place.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\p{NChar}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]|\p{M}{4,}/gu;
const PLAIN = /^[\x20-\x7e]*$/;
const CUT = "\u2026";
const SHOWN_MAX = 200; // characters of a name in lists; the full name is shown on demand

function escapeText(text) {
  if (PLAIN.test(text))
    return text;
  return text.replace(HIDDEN, (found) => Array.from(found, (c) => `\\u{${c.codePointAt(0).toString(16)}}`).join(""));
}

// Cut to at most `max` characters, then escape: the part cut off costs nothing.
function shownText(text, max = SHOWN_MAX) {
  if (text.length <= max)
    return escapeText(text);
  const isPair = /[\ud800-\udbff]/.test(text[max - 2]); // do not split a surrogate pair
  return escapeText(text.slice(0, isPair ? max - 2 : max - 1)) + CUT;
}

// Return the last component of a path; the whole text for directories and names that are not paths.
function baseName(path) {
  const at = path.lastIndexOf("/");
  return path[0] === "/" && at < path.length - 1 ? path.slice(at + 1) : path;
}

function compareTexts(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
