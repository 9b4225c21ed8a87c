// SPDX-License-Identifier: BSD-2-Clause
// The first screen: how much was used, the quality of the data, and the heaviest functions, lines and threads.

const CARD_WIDTH = 432, CARD_ROW = 24, CARD_HEAD = 66, CARD_LINE = 20, LETTER_WIDTH = 8.7; // pixels, as in page.css
const CARD_GAP = 12, CARD_EDGES = 30, SHARE_WIDTH = 96, NAME_EDGES = 12, MARK_WIDTH = 20;

const CARDS_MAX = 4, SMALL_HEAD = 3, LEAST_ROWS = 7; // columns of cards; rows that another card in a column takes

// Return {columns, isFull: the small cards share a column, rows, half: rows of small cards, letters: characters of a
// name, room: the same without a mark} so that the cards fill the window.
function cardSizes(box, {hasBase}) {
  const fitting = Math.max(1, Math.floor(box.clientWidth / (CARD_WIDTH + 12))), wanted = hasBase ? CARDS_MAX : CARDS_MAX - 1;
  const isFull = fitting >= wanted, columns = Math.min(fitting, wanted), each = isFull ? 1 : Math.ceil(CARDS_MAX / columns);
  const rows = Math.max(10, Math.min(30, Math.floor(((box.clientHeight - 110) / Math.min(each, 2) - CARD_HEAD - (inlineText() ? CARD_LINE : 0)) / CARD_ROW)));
  const half = Math.max(4, isFull ? Math.floor((rows - 2 * SMALL_HEAD) / 3) : Math.floor((rows - SMALL_HEAD) / 2));
  const wide = (box.clientWidth - (columns + 1) * CARD_GAP) / columns - CARD_EDGES - SHARE_WIDTH - NAME_EDGES;
  const lettersIn = (pixels) => Math.max(18, Math.floor(pixels / LETTER_WIDTH));
  return {columns, isFull, rows, half, letters: lettersIn(wide - MARK_WIDTH), room: lettersIn(wide)};
}

function rankCard(title, note, rows) {
  return make("section", {class: "card"}, make("h2", {}, title, ...(note ? [make("span", {class: "hint"}, ` ${note}`)] : [])),
    make("table", {class: "rank"}, make("tbody", {}, ...rows)));
}

function functionRows(kind, {rows, letters}) {
  const {model, weights} = app, values = functionsOf(model, weights).current[kind];
  return heaviest(values, rows).map((frame) => make("tr", {}, make("td", {class: "number"}, shareCell(values[frame], weights.current.whole)),
    make("td", {class: "name"}, functionMark(model, frame), makeButton(frameName(model, frame, letters), frameWholeName(model, frame).slice(0, WHOLE_MAX), () => openSandwich(frame), {class: "link"}), ...fileHint(frame, letters))));
}

// Return the file of a function whose name is only an address, as several files can have such a function.
function fileHint(frame, letters) {
  const {model} = app, name = frameName(model, frame, letters), file = shownText(baseName(frameFile(model, frame)), 80);
  const room = letters - name.length - 4;
  return /^fn@[0-9a-f]+$/.test(name) && room > 3 ? [make("span", {class: "hint"}, ` in ${cutText(file, room)}`)] : [];
}

// Make the mark of a function's kind.
function functionMark(model, frame) {
  const swatch = make("span", {class: "swatch", title: KINDS[frameKind(model, frame)]});
  swatch.style.background = frameColour(model, frame);
  return swatch;
}

// Return the weights of all threads in the span and query, whichever are selected; kept until the selection changes.
function* threadWeightSteps(recording) {
  const {base, state} = app, wanted = {...state, threads: null}, key = selectionKey(wanted), kept = app.threadSums[recording];
  if (kept && kept.key === key)
    return kept.weights;
  const weights = new Float64Array(base.threads), {sample_thread: thread, sample_weight: weight} = base.columns;
  const list = yield* spanSteps(wanted, recording);
  yield* inBlocks(list.length, (from, to) => {
    for (let k = from; k < to; k++)
      weights[thread[list[k]]] += weight[list[k]];
  });
  app.threadSums[recording] = {key, weights};
  return weights;
}

function threadWeights(recording) {
  return finish(threadWeightSteps(recording));
}

// Return the rows of the files with the largest self.
function fileRows({half, room}) {
  const {model, weights} = app, {self} = functionsOf(model, weights).current, sums = new Map();
  self.forEach((value, frame) => sums.set(model.columns.frame_file[frame], (sums.get(model.columns.frame_file[frame]) || 0) + value));
  const files = [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).slice(0, half);
  return files.map(([file, sum]) => make("tr", {}, make("td", {class: "number"}, shareCell(sum, weights.current.whole)),
    make("td", {class: "name"}, makeButton(cutText(shownText(baseName(model.strings.text(file)), 200) || "[unknown]", room), "filter by self in this file",
      () => file && addQuery(quoteName("self-dso", model.strings.text(file))), {class: "link"}))));
}

function threadRows(values, {half, room}) {
  const whole = values.reduce((sum, value) => sum + value, 0), chosen = app.state.threads || [];
  return heaviest(values, half).map((thread) => {
    const isChosen = chosen.includes(thread);
    const turn = () => go({threads: isChosen ? null : [thread]});
    return make("tr", {}, make("td", {class: "number"}, shareCell(values[thread], whole)),
      make("td", {class: "name"}, makeButton(threadLabel(app.model, thread, room), "filter by this thread", turn, {class: "link", "aria-pressed": String(isChosen)})));
  });
}

// Return the time between the first and the last sample of a recording in the selected time, in ns.
function selectedNs(model, r) {
  if (!model.hasTimes)
    return 0;
  const [from, to] = selectedTimes(model, r), [start, end] = samplesOf(model, r), {sample_time: time} = model.columns;
  const first = lowerBound(time, start, end, from), last = lowerBound(time, first, end, Math.min(to, model.lengths[r]) + 0.5) - 1;
  return last > first ? (time[last] - time[first]) * model.unitNs : 0;
}

// Return the number of threads with samples, and the weight of idle tasks, which have the TID 0. A thread that changed its name
// has several entries.
function countThreads(model, weights) {
  const {thread_tid: tid} = model.columns, seen = new Set();
  let idle = 0;
  weights.forEach((weight, thread) => {
    if (weight > 0)
      seen.add(tid[thread] || -thread);
    if (tid[thread] === 1)
      idle += weight;
  });
  return {nr: seen.size, idle};
}

// Return "2.35 s of CPU in 5.10 s, 46% of a CPU; 4 threads; 14 794 samples". The time of idle tasks is not counted.
function headline(side, r, threads) {
  const {base} = app, event = currentEvent(), ns = selectedNs(base, r), parts = [];
  const chosen = app.state.threads ? threads.map((weight, thread) => app.state.threads.includes(thread) ? weight : 0) : threads;
  const {nr, idle} = countThreads(base, chosen), busy = Math.max(side.whole - idle, 0);
  const inTime = ns ? ` in ${formatNs(ns)}` : "";
  if (isCpuTime(event))
    parts.push(`${formatNs(busy)} of CPU${inTime}${ns ? `, ${formatCpus(busy, ns)}` : ""}`);
  else
    parts.push(`${formatMeasure(side.whole, event)}${inTime}`);
  parts.push(countOf(nr, "thread"), countOf(side.count, "sample"));
  return parts.join("; ") + (r === base.current ? shareOfAll() : "");
}

function makeHeadlines(threads) {
  const {weights, model} = app, title = shownText(String(model.meta.title || "profile"), 60);
  const line = (side, r, values, word) => make("p", {class: "headline"}, ...(model.hasBase && r ? [] : [make("span", {class: "narrow"}, `${title}: `)]), ...(word ? [make("span", {class: "hint"}, word)] : []), headline(side, r, values));
  if (!model.columns.sample_node.length)
    return [];
  return model.hasBase ? [line(weights.base, 0, threadWeights(0), "before "), line(weights.current, 1, threads, "after ")] : [line(weights.current, 0, threads, "")];
}

// Return a query for the selection, in the words of tally report, or an empty text if it has no words for it.
function queryOfSelection() {
  const {state, model} = app, words = app.applied ? [app.applied] : [];
  if (state.threads)
    words.push(`tid:${state.threads.map((thread) => model.columns.thread_tid[thread] - 1).join(",")}`);
  if (state.span)
    words.push(`time:${state.span.map((at) => `+${(at * model.unitNs / 1e9).toFixed(6)}`).join(",")}`);
  return words.join(" ");
}

function hotLinesCard(sizes) {
  const query = queryOfSelection();
  if (query)
    return make("section", {class: "card"}, make("h2", {}, "Hot lines, self"), make("p", {class: "hint"}, "The page knows lines only for the whole recording (Source). For the lines of this selection: "),
      make("p", {class: "command code"}, `tally report --query '${escapeText(query).replace(/'/g, "'\\''")}'`));
  const lines = hotLineRows(sizes.rows, sizes.room);
  if (lines.length)
    return rankCard("Hot lines, self", "% of the whole recording", lines);
  return make("section", {class: "card"}, make("h2", {}, "Hot lines"), make("p", {class: "hint"}, app.notes.length ? "The source lines of the top functions are unknown."
    : "The page contains no source lines: tally report --html FILE --html-source adds them."));
}

// Return the cards, by columns. If the window has space for all columns, the last one has the total and the small cards;
// otherwise, the cards with the same functions are next to each other.
function overviewCards(threads, sizes) {
  const {base} = app, small = [threadRows(threads, sizes), fileRows(sizes)], {isFull, rows, half} = sizes, hasTotal = !chainsOf(base).isFlat;
  const rest = isFull ? Math.max(4, rows - 2 * SMALL_HEAD - small[0].length - small[1].length) : base.hasBase ? Math.max(half, LEAST_ROWS) : rows;
  const self = rankCard("Top functions, self", `${wholeText()}${inlineNote()}`, functionRows("self", {...sizes, rows: base.hasBase && !isFull ? rest : rows}));
  const total = hasTotal ? [rankCard("Top functions, total", `${wholeText()}, with callees`, functionRows("total", {...sizes, rows: rest}))] : [];
  const changes = base.hasBase ? [rankCard("Changes of self", window.innerWidth > NARROW_WINDOW ? `${wholeText()} before, after; points` : "percentage points", changeRows(sizes))] : [];
  const hot = hotLinesCard(sizes), order = isFull ? [self, hot, ...total] : [self, ...total, hot];
  return [...changes, ...order, rankCard("Threads", app.state.threads ? "% of all threads" : wholeText(), small[0]), rankCard("Files, self", wholeText(), small[1])];
}

function makeOverviewView() {
  const heads = make("div", {class: "heads"}), cards = make("div", {class: "cards"}), {base} = app;
  const health = make("div", {class: "healths"}, ...base.meta.recordings.map((_, r) => makeHealth(base, r)), makeButton("Recording facts", "machine, command, events, times (F)", showFacts));
  const few = make("p", {class: "caution", role: "note"});
  const body = make("div", {class: "overview", tabIndex: 0, role: "group", "aria-label": "Overview"}, heads, few, health, cards);
  return {
    element: make("div", {class: "view fills"}, body),
    focus: () => body.focus(),
    * prepare() {
      for (let r = 0; r < base.meta.recordings.length; r++)
        yield* threadWeightSteps(r);
      functionsOf(app.model, app.weights);
    },
    open: () => health.querySelectorAll("details").forEach((one) => { one.open = true; }),
    draw() {
      const threads = threadWeights(base.current);
      heads.replaceChildren(...makeHeadlines(threads));
      setText(few, fewText());
      few.hidden = !few.textContent;
      const sizes = cardSizes(body, base);
      cards.style.columnCount = sizes.columns;
      cards.replaceChildren(...(app.weights.current.whole > 0 ? overviewCards(threads, sizes) : []));
    },
  };
}
