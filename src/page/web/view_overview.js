// SPDX-License-Identifier: BSD-2-Clause
// The recording and its quality, and the heaviest functions and threads of the selection.

function card(title, ...children) {
  return make("section", {class: "card"}, make("h2", {}, title), ...children);
}

// Return lines from the recording, escaped.
function foreignLines(value) {
  return isList(value).map((line) => shownText(String(line), 1000));
}

function textList(lines) {
  return make("ul", {}, ...lines.map((line) => make("li", {}, line)));
}

function lossesOf(model, recording) {
  const {loss_recording: recordings, loss_count: counts} = model.columns;
  let sum = 0;
  for (let i = 0; counts && i < counts.length; i++)
    sum += (recordings ? recordings[i] : 0) === recording ? counts[i] : 0;
  return sum;
}

// Return the number of samples in a recording whose stack was truncated.
function cutOf(model, recording) {
  const [start, end] = samplesOf(model, recording), {sample_node: node} = model.columns;
  let sum = 0;
  for (let i = start; i < end; i++)
    sum += model.cut[node[i]] ? 1 : 0;
  return sum;
}

function healthCard(model, r) {
  const recording = model.meta.recordings[r], cut = cutOf(model, r), lost = lossesOf(model, r);
  const name = model.hasBase ? `${r ? "After" : "Before"}: ${shownText(String(recording.name))}` : "Health";
  const lines = foreignLines(recording.health);
  if (!r && !chainsOf(model).hasChains)
    lines.push(NO_CHAINS);
  if (lost)
    lines.push(`${formatCount(lost)} ${lost === 1 ? "sample or record was" : "samples or records were"} lost at known times: see the marks in the time views`);
  if (cut)
    lines.push(`${cut === 1 ? "the stack of 1 sample was" : `the stacks of ${formatCount(cut)} samples were`} broken: [cut] replaces the outermost callers`);
  return card(name, lines.length ? textList(lines) : make("p", {}, "No problems known."));
}

function headerCard(model, r) {
  const recording = model.meta.recordings[r], list = make("dl", {class: "header"});
  const rows = isList(recording.header).filter((row) => Array.isArray(row)).slice(0, 500).map(([label, text]) => [shownText(String(label), 80), shownText(String(text), 2000)]);
  rows.unshift(["samples", formatCount(numberOf(recording.samples))]);
  if (model.hasTimes)
    rows.splice(1, 0, ["length", formatNs(model.lengths[r] * model.unitNs)],
      ["times", `${clockTimes(model, r)} by the clock of the recording, used by time: in queries; views begin at 0`]);
  for (const [label, text] of rows)
    list.append(make("dt", {}, label), make("dd", {}, text));
  return card(model.hasBase ? `Recorded ${r ? "after" : "before"}` : "Recording", list);
}

function rankCard(title, rows) {
  return card(title, make("table", {class: "rank"}, make("tbody", {}, ...rows)));
}

function functionRows(kind) {
  const {model, weights} = app, values = functionsOf(model, weights).current[kind];
  return heaviest(values, 10).map((frame) => make("tr", {}, make("td", {class: "number"}, shareCell(values[frame], weights.current.whole)),
    make("td", {class: "name"}, makeButton(frameName(model, frame, 70), "callers and callees", () => openSandwich(frame), {class: "link"}))));
}

function threadWeights() {
  const {model, state, selected} = app, filter = makeFilter(model.base, {...state, threads: null}, selected), weights = new Float64Array(model.threads);
  const [start, end] = filter.range(model.current);
  for (let i = start; i < end; i++) {
    if (filter.passes(i, model.current))
      weights[model.columns.sample_thread[i]] += model.columns.sample_weight[i];
  }
  return weights;
}

function threadRows() {
  const values = threadWeights(), whole = values.reduce((sum, value) => sum + value, 0), chosen = app.state.threads || [];
  return heaviest(values, 12).map((thread) => {
    const isChosen = chosen.includes(thread);
    const turn = () => go({threads: isChosen ? null : [thread]});
    return make("tr", {}, make("td", {class: "number"}, shareCell(values[thread], whole)),
      make("td", {class: "name"}, makeButton(threadLabel(app.model, thread, 80), "filter by this thread", turn, {class: "link", "aria-pressed": String(isChosen)})));
  });
}

function makeOverviewView() {
  const body = make("div", {class: "cards", tabIndex: 0, role: "group", "aria-label": "Overview"});
  const {model} = app, fixed = model.meta.recordings.map((_, r) => healthCard(model, r));
  if (isList(model.meta.notes).length)
    fixed.push(card("Omitted from this page", textList(foreignLines(model.meta.notes))));
  const headers = model.meta.recordings.map((_, r) => headerCard(model, r));
  return {
    element: make("div", {class: "view fills"}, body),
    focus: () => body.focus(),
    draw() {
      const ranks = () => [rankCard("Top functions, self", functionRows("self")),
        ...(chainsOf(model).isFlat ? [] : [rankCard("Top functions, total", functionRows("total"))]), rankCard("Top threads", threadRows())];
      body.replaceChildren(...fixed, ...(app.weights.current.whole > 0 ? ranks() : []), ...headers);
    },
  };
}
