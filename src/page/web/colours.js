// SPDX-License-Identifier: BSD-2-Clause
// Colours for canvases, in light and dark themes: a hue for each kind of code, a shade for each name.

const THEMES = {
  light: {
    ground: "#ffffff", text: "#1b1f24", faint: "#6b7280", line: "#d5d9e0", edge: "#ffffff", rest: "#e4e7ec", bar: "#e2a33f",
    kernelBar: "#d96565", lost: "#7c0a6b", cut: "#0e7490", span: "rgba(37, 99, 235, 0.20)", spanEdge: "#2563eb", focus: "#111827",
    found: "#d946ef", cellText: "#16181d", strip: "#f3f5f8", lightness: 74, saturation: 68,
  },
  dark: {
    ground: "#14171c", text: "#e5e8ee", faint: "#97a0ae", line: "#353c47", edge: "#14171c", rest: "#2a3039", bar: "#c98f3a",
    kernelBar: "#c25757", lost: "#ff6ae0", cut: "#2dd4bf", span: "rgba(96, 165, 250, 0.25)", spanEdge: "#60a5fa", focus: "#ffffff",
    found: "#e879f9", cellText: "#0f1114", strip: "#1b2027", lightness: 62, saturation: 52,
  },
};
// Hue, and saturation relative to that of the theme. The flame graphs in the terminal and in SVG use the same hues.
const KIND_COLOURS = {
  user: [38, 1], library: [116, 0.5], kernel: [2, 0.9], jit: [204, 0.85], inlined: [278, 0.75], nameless: [220, 0.12],
  group: [220, 0.3], guest: [330, 0.5], hypervisor: [345, 0.5], cut: [0, 0],
};

const systemScheme = window.matchMedia("(prefers-color-scheme: dark)");
let themeChosen = "", themeNow = "light";

// Read the system's colour scheme once for each drawing, as this takes longer than painting a cell.
function refreshTheme() {
  themeNow = printing.isOn ? "light" : themeChosen || (systemScheme.matches ? "dark" : "light");
}

function themeName() {
  return themeNow;
}

function theme() {
  return THEMES[themeName()];
}

// Return a shade from 0 to 1, which is the same for the same name.
function shadeOf(number) {
  return ((number * 2654435761) >>> 0) / 2 ** 32;
}

function kindColour(kind, shade = 0.5) {
  const [hue, strength] = KIND_COLOURS[kind], {lightness, saturation} = theme();
  return `hsl(${(hue + (shade - 0.5) * 12).toFixed(0)}, ${(saturation * strength).toFixed(0)}%, ${(lightness + (shade - 0.5) * 12).toFixed(0)}%)`;
}

const kindColourCache = {theme: "", colours: []};

function frameColour(model, frame) {
  if (kindColourCache.theme !== themeName())
    Object.assign(kindColourCache, {theme: themeName(), colours: []});
  const {colours} = kindColourCache;
  if (!colours[frame])
    colours[frame] = kindColour(frameKind(model, frame), shadeOf(model.columns.frame_name[frame] + 7 * model.columns.frame_file[frame]));
  return colours[frame];
}

// Return a colour from blue (less) over grey to red (more); `change` is from -1 to 1.
function changeColour(change) {
  const strength = Math.min(1, Math.abs(change));
  const {lightness} = theme();
  return `hsl(${change > 0 ? 8 : 214}, ${(8 + 74 * strength).toFixed(0)}%, ${(lightness + 10 - 18 * strength).toFixed(0)}%)`;
}

// Return the change from before to after, of shares or of weights.
function changeOf(wholes, before, after, kind) {
  const {current, base} = wholes;
  return kind === "weight" ? after - before : (current ? after / current : 0) - (base ? before / base : 0);
}

// Return the largest change of any node or function of two recordings: it gets the full colour.
function largestChange(model, weights, kind) {
  weights.largest = weights.largest || {};
  if (weights.largest[kind] !== undefined)
    return weights.largest[kind];
  const {current, base} = weights, wholes = {current: current.whole, base: base.whole}, functions = functionsOf(model, weights);
  let most = 0;
  for (const [before, after] of [[base.total, current.total], [functions.base.total, functions.current.total], [functions.base.self, functions.current.self]]) {
    for (let i = 0; i < after.length; i++)
      most = Math.max(most, Math.abs(changeOf(wholes, before[i], after[i], kind)));
  }
  weights.largest[kind] = most;
  return most;
}

// Return the change of a cell from -1 to 1. A quarter of the largest change gets half the colour, so that small changes
// are visible.
function cellChange(tree, cell, kind) {
  const most = largestChange(tree.model, tree.weights, kind), change = changeOf(tree.wholes, cell.base, cell.total, kind);
  return most ? Math.sign(change) * Math.sqrt(Math.min(1, Math.abs(change) / most)) : 0;
}

// Return the heatmap colour from the minimum (0) to the maximum (1). Empty cells have the background colour.
function heatColour(part) {
  const isDark = themeName() === "dark";
  return isDark ? `hsl(${(14 + 41 * part).toFixed(0)}, 85%, ${(20 + 52 * part).toFixed(0)}%)`
    : `hsl(${(46 - 44 * part).toFixed(0)}, 88%, ${(86 - 50 * part).toFixed(0)}%)`;
}
