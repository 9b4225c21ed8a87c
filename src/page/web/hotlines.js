// SPDX-License-Identifier: BSD-2-Clause
// The source lines with the largest self, over all functions with code in the page. They refer to the whole recording.

const HOT_LINES = 40;

function eventWeight(model, event) {
  const {sample_event: events, sample_weight: weights} = model.columns, [start, end] = samplesOf(model, model.current);
  let sum = 0;
  for (let i = start; i < end; i++)
    sum += events[i] === event ? weights[i] : 0;
  return sum;
}

// Add the costs of a function's lines to `lines`. The text of a line may be missing.
function addLines(lines, note, at) {
  for (const row of isList(note.rows)) {
    const source = isRecord(row) && sourceOfRow(note, row), line = source ? numberOf(row.line) : 0, weight = source ? numberOf(row.weight) : 0;
    if (!line || !weight)
      continue;
    const key = `${source.file}\n${line}`, known = lines.get(key), text = isList(source.lines)[line - (numberOf(source.first) || 1)];
    if (known)
      known.weight += weight;
    else
      lines.set(key, {note: at, source: row.source, line, text: String(text === undefined ? "" : text), file: String(source.file || ""), weight});
  }
}

// Return [{note, source, line, text, file, weight}] of an event, heaviest first.
function hotLines(notes, event) {
  const lines = new Map();
  notes.forEach((note, at) => {
    if (numberOf(note.event) === event)
      addLines(lines, note, at);
  });
  return [...lines.values()].sort((a, b) => b.weight - a.weight || a.line - b.line);
}

// Go to a line of source code.
function openLine(line) {
  app.wantedLine = {source: line.source, line: line.line};
  go({view: "source", note: line.note, pivot: app.notes[line.note].frame});
}

function hotLineRow(line, whole, letters) {
  const {frame} = app.notes[line.note], place = `${foldName(shownText(baseName(line.file)), 20)}:${line.line}`, room = Math.max(12, letters - place.length);
  const text = line.text ? shownText(line.text.trim(), room) : make("span", {class: "hint"}, `in ${frameName(app.model, frame, room - 3)}`);
  const title = `${shownText(line.file)}:${line.line}: go to the source${line.text ? "" : "; the page does not contain the text of this line"}`;
  return make("tr", {}, make("td", {class: "number"}, shareCell(line.weight, whole)),
    make("td", {class: "name"}, makeButton(make("span", {}, make("span", {class: "place"}, place), " ", text), title, () => openLine(line), {class: "link"})));
}

// Return the rows of the heaviest lines for the current event, with at most `letters` characters; the lines are computed
// once for each event.
function hotLineRows(count, letters) {
  const {notes, state} = app, {event} = state;
  app.hot = app.hot && app.hot.event === event ? app.hot : {event, lines: hotLines(notes, event).slice(0, HOT_LINES), whole: wholeOfEvent()};
  return app.hot.lines.slice(0, count).map((line) => hotLineRow(line, app.hot.whole, letters));
}
