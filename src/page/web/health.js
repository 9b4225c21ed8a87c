// SPDX-License-Identifier: BSD-2-Clause
// The quality of a recording: one line in green, yellow or red, and the details behind it.

const LEVELS = ["good", "fair", "bad"], LEVEL_WORDS = {good: "no problems known", fair: "look at this", bad: "problems"};
const LOST_BAD = 0.05, LOST_FAIR = 0.001, CUT_BAD = 0.2, CUT_FAIR = 0.02;
const PROBLEM_LINE = /^(no symbols|hint|stacks ended early)|\blost\b|throttl|\bbroken\b/i;

// Return lines from the recording, escaped.
function foreignLines(value) {
  return isList(value).map((line) => shownText(String(line), 1000));
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

function levelOf(share, fair, bad) {
  return share > bad ? 2 : share > fair ? 1 : 0;
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
}

// Return [{level, text}] of the problems of a recording, the worst first.
function problemsOf(model, r) {
  const [start, end] = samplesOf(model, r), count = Math.max(end - start, 1), lost = lossesOf(model, r), cut = cutOf(model, r), list = [];
  if (end === start)
    list.push({level: 2, text: "there are no samples"});
  if (lost)
    list.push({level: Math.max(1, levelOf(lost / (lost + count), LOST_FAIR, LOST_BAD)), text: `${percent(lost / (lost + count))} of the samples or records were lost`});
  if (cut)
    list.push({level: levelOf(cut / count, CUT_FAIR, CUT_BAD), text: `callers are missing in ${percent(cut / count)} of the stacks`});
  if (end > start && !chainsOf(model).hasChains)
    list.push({level: 1, text: NO_CHAINS});
  for (const line of foreignLines(model.meta.recordings[r].health).filter((line) => PROBLEM_LINE.test(line) && !/^health:/i.test(line)))
    list.push({level: 1, text: line});
  return list.filter((one) => one.level).sort((a, b) => b.level - a.level);
}

// Return {level: a word of LEVELS, problems} of a recording; computed once.
function healthOf(model, r) {
  model.health = model.health || [];
  if (!model.health[r]) {
    const problems = problemsOf(model, r);
    model.health[r] = {level: LEVELS[problems.length ? problems[0].level : 0], problems};
  }
  return model.health[r];
}

function worstHealth(model) {
  return model.meta.recordings.map((_, r) => healthOf(model, r).level).sort((a, b) => LEVELS.indexOf(b) - LEVELS.indexOf(a))[0];
}

// Return all that is known of the quality of a recording.
function healthLines(model, r) {
  const lines = foreignLines(model.meta.recordings[r].health), cut = cutOf(model, r), lost = lossesOf(model, r);
  if (!chainsOf(model).hasChains)
    lines.push(NO_CHAINS);
  if (lost)
    lines.push(`${formatCount(lost)} ${lost === 1 ? "sample or record was" : "samples or records were"} lost at known times: see the marks in the time views`);
  if (cut)
    lines.push(`${cut === 1 ? "the stack of 1 sample was" : `the stacks of ${formatCount(cut)} samples were`} broken: [cut] replaces the outermost callers`);
  return lines;
}

function textList(lines) {
  return make("ul", {}, ...lines.map((line) => make("li", {}, line)));
}

// Make the line of a recording, which opens the details.
function makeHealth(model, r) {
  const {level, problems} = healthOf(model, r), whose = model.hasBase ? `${r ? "After" : "Before"}: ` : "Health: ";
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const summary = make("summary", {}, make("span", {class: "dot", "aria-hidden": "true"}, "\u25cf"), whose,
    problems.length ? `${cutText(problems[0].text, 160)}${more}` : LEVEL_WORDS[level]);
  const lines = healthLines(model, r), notes = r === model.current ? foreignLines(model.meta.notes) : [];
  return make("details", {class: `health ${level}`}, summary, lines.length ? textList(lines) : make("p", {}, "No problems known."),
    ...(notes.length ? [make("h3", {}, "Omitted from this page"), textList(notes)] : []));
}

// Show the facts that were recorded about the machine and the command.
function showFacts() {
  showDialog("Recording", ...app.base.meta.recordings.map((_, r) => factList(app.base, r)));
}

function factList(model, r) {
  const recording = model.meta.recordings[r], list = make("dl", {class: "header"});
  const rows = isList(recording.header).filter((row) => Array.isArray(row)).slice(0, 500).map(([label, text]) => [shownText(String(label), 80), shownText(String(text), 2000)]);
  rows.unshift(["samples", formatCount(numberOf(recording.samples))]);
  if (model.hasTimes)
    rows.splice(1, 0, ["length", formatNs(model.lengths[r] * model.unitNs)],
      ["times", `${clockTimes(model, r)} by the clock of the recording, used by time: in queries; views begin at 0`]);
  for (const [label, text] of rows)
    list.append(make("dt", {}, label), make("dd", {}, text));
  return make("section", {}, ...(model.hasBase ? [make("h3", {}, `${r ? "After" : "Before"}: ${shownText(String(recording.name))}`)] : []), list);
}
