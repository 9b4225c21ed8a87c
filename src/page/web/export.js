// SPDX-License-Identifier: BSD-2-Clause
// Export what is selected, with all folds, as a file: made in the page and saved by the browser.

const EXPORT_SAMPLES_MAX = 200000, SVG_WIDTH = 1200, SVG_ROWS_MAX = 400, SVG_LETTER = 7.2;

// Return the whole name of a frame, which can also be a group of the first level.
function exportName(model, frame) {
  return frame < app.base.frames ? frameWholeName(model, frame) : frameName(model, frame);
}

function exportNames(model) {
  return Array.from({length: model.frames}, (_, frame) => exportName(model, frame).replace(/;/g, ":"));
}

// One line for each stack: "main;work;memcpy 1234".
function foldedText() {
  const {model, weights} = groupedModel(), {self} = weights.current, names = exportNames(model), lines = [];
  for (let node = 1; node < model.nodes; node++) {
    if (self[node] > 0)
      lines.push(`${pathOf(model, node).map((at) => names[model.frame[at]]).join(";")} ${Math.round(self[node])}`);
  }
  return lines.join("\n") + "\n";
}

function speedscopeProfile(name, unit, nodes, weights) {
  return {type: "sampled", name, unit, startValue: 0, endValue: weights.reduce((sum, weight) => sum + weight, 0), samples: nodes, weights};
}

// Return a profile of each thread in the order of time; with too many samples, one profile of the sums.
function speedscopeProfiles(model, weights, unit) {
  const list = samplesIn(app.state, model.current), {sample_node, sample_thread: thread, sample_weight: weight} = model.columns, {map} = model;
  const stack = (at) => pathOf(model, at).map((one) => model.frame[one]), threads = new Map();
  if (list.length > EXPORT_SAMPLES_MAX) {
    const nodes = Array.from({length: model.nodes}, (_, at) => at).filter((at) => at && weights.current.self[at] > 0);
    return [speedscopeProfile("all threads, not in the order of time", unit, nodes.map(stack), nodes.map((at) => weights.current.self[at]))];
  }
  for (const i of list) {
    if (!threads.has(thread[i]))
      threads.set(thread[i], {nodes: [], weights: []});
    const {nodes, weights: sums} = threads.get(thread[i]);
    const node = map ? map[sample_node[i]] : sample_node[i];
    if (nodes[nodes.length - 1] === node) {
      sums[sums.length - 1] += weight[i];
    } else {
      nodes.push(node);
      sums.push(weight[i]);
    }
  }
  return [...threads].map(([number, one]) => speedscopeProfile(threadLabel(model, number), unit, one.nodes.map(stack), one.weights));
}

function speedscopeText() {
  const {model, weights} = app, {unit} = currentEvent();
  const frames = exportNames(model).map((name, frame) => ({name, file: escapeText(frameFile(model, frame))}));
  return JSON.stringify({$schema: "https://www.speedscope.app/file-format-schema.json", exporter: "tally page", name: String(app.base.meta.title || "profile"),
    shared: {frames}, profiles: speedscopeProfiles(model, weights, unit === "ns" ? "nanoseconds" : "none")});
}

function xmlText(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function svgCell(tree, place, top) {
  const {cell, x, width} = place, letters = Math.floor((width - 6) / SVG_LETTER);
  const label = letters < 3 ? "" : `<text x="${(x + 3).toFixed(1)}" y="${top + 13}">${xmlText(cutText(cellName(tree, cell, letters), letters))}</text>`;
  const colour = cell.frame < 0 ? theme().rest : frameColour(tree.model, cell.frame);
  return `<g><title>${xmlText(describeCell(tree, cell).join("\n"))}</title><rect x="${x.toFixed(1)}" y="${top}" width="${Math.max(width - 0.5, 0.3).toFixed(1)}" height="${ROW_HEIGHT - 1}" fill="${colour}"/>${label}</g>`;
}

// Draw the flame graph as it is zoomed, with callers at the top.
function svgText() {
  const tree = currentTree(), {rows} = finish(layoutSteps(tree, findCell(tree, app.state.zoom), SVG_WIDTH)), shown = rows.slice(0, SVG_ROWS_MAX);
  const cells = shown.map((row, at) => row.map((place) => svgCell(tree, place, 30 + at * ROW_HEIGHT)).join("\n"));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SVG_WIDTH}" height="${40 + shown.length * ROW_HEIGHT}" font-family="monospace" font-size="12">\n` +
    `<rect width="100%" height="100%" fill="${theme().ground}"/><text x="4" y="20" fill="${theme().text}">${xmlText(`${shownText(String(app.base.meta.title || "profile"), 120)}: ${selectionSums()}`)}</text>\n${cells.join("\n")}\n</svg>\n`;
}

// Quote a value. Spreadsheets would run names that begin like a formula.
function csvValue(value) {
  const text = typeof value === "number" ? String(value) : value.replace(/^[=+\-@\t]/, "'$&");
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// The table of functions, in its current order.
function csvText() {
  const {model, weights} = app, {current, base} = functionsOf(model, weights);
  const head = ["function", "file", "kind", "samples", "self", "total", ...(base ? ["self before", "total before"] : [])];
  const rows = sortedFunctions().map((frame) => [frameWholeName(model, frame), escapeText(frameFile(model, frame)), KINDS[frameKind(model, frame)], current.samples[frame],
    current.self[frame], current.total[frame], ...(base ? [base.self[frame], base.total[frame]] : [])]);
  return [head, ...rows].map((row) => row.map(csvValue).join(",")).join("\n") + "\n";
}

// [title, ending of the file name, type, text]
const EXPORTS = [
  ["Folded stacks", "folded", "text/plain", foldedText],
  ["Speedscope", "speedscope.json", "application/json", speedscopeText],
  ["Flame graph (SVG)", "svg", "image/svg+xml", svgText],
  ["Functions (CSV)", "csv", "text/csv", csvText],
];

function saveFile(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type})), link = make("a", {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  notify(`${name} was saved`);
}

function showExports() {
  const name = String(app.base.meta.title || "profile").replace(/[^\w.-]+/g, "_").slice(0, 60);
  const buttons = EXPORTS.map(([title, ending, type, build]) => makeButton(title, `save ${name}.${ending}`, () => {
    dialog.close();
    saveFile(`${name}.${ending}`, type, build());
  }));
  const dialog = showDialog("Export", make("p", {}, `The selection with all folds: ${selectionSums()}.`), make("div", {class: "choices"}, ...buttons));
}
