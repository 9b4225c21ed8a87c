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

// Return [{note, source, line, text, file, weight}] of an event, heaviest first.
function hotLines(notes, event) {
  const lines = new Map();
  notes.forEach((note, at) => {
    if (numberOf(note.event) !== event)
      return;
    isList(note.sources).forEach((source, s) => {
      isList(source.weights).forEach((value, i) => {
        const weight = numberOf(value), line = (numberOf(source.first) || 1) + i, key = `${source.file}\n${line}`;
        const known = lines.get(key);
        if (known)
          known.weight += weight;
        else if (weight)
          lines.set(key, {note: at, source: s, line, text: String(isList(source.lines)[i] || ""), file: String(source.file || ""), weight});
      });
    });
  });
  return [...lines.values()].sort((a, b) => b.weight - a.weight || a.line - b.line);
}

// Go to a line of source code.
function openLine(line) {
  app.wantedLine = {source: line.source, line: line.line};
  go({view: "source", note: line.note, pivot: app.notes[line.note].frame});
}

function hotLineRow(line, whole, letters) {
  const place = `${cutText(shownText(baseName(line.file), 40), 20)}:${line.line}`, text = shownText(line.text.trim(), Math.max(12, letters - place.length));
  return make("tr", {}, make("td", {class: "number"}, shareCell(line.weight, whole)),
    make("td", {class: "name"}, makeButton(make("span", {}, make("span", {class: "place"}, place), " ", text), `${shownText(line.file, 200)}:${line.line}: go to the source`, () => openLine(line), {class: "link"})));
}

// Return the rows of the heaviest lines for the current event, with at most `letters` characters; the lines are computed
// once for each event.
function hotLineRows(count, letters) {
  const {notes, base, state} = app, {event} = state;
  app.hot = app.hot && app.hot.event === event ? app.hot : {event, lines: hotLines(notes, event).slice(0, HOT_LINES), whole: eventWeight(base, event)};
  return app.hot.lines.slice(0, count).map((line) => hotLineRow(line, app.hot.whole, letters));
}
