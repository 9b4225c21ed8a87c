// SPDX-License-Identifier: BSD-2-Clause
// What is in the page, as text.
const meta = JSON.parse(document.getElementById("tally-meta").textContent);

function addLine(text) {
    const line = document.createElement("p");

    line.textContent = text;
    document.getElementById("app").append(line);
}

addLine(meta.title);
for (const recording of meta.recordings)
    addLine(`${recording.name}: ${recording.samples} samples`);
