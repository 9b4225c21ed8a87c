// SPDX-License-Identifier: BSD-2-Clause
// Printing: the current view in light colours, at the height of its contents. Lists and canvases that are limited to
// the window are enlarged before printing, and restored afterwards.

const PRINT_ROWS_MAX = 1000;

const printing = {isOn: false, places: []};

function startPrinting() {
  const boxes = [...app.panel.querySelectorAll(".rows, .flame, .overview, .pane")];
  Object.assign(printing, {isOn: true, places: boxes.map((box) => [box, box.scrollTop])});
  document.documentElement.dataset.printing = "1";
  for (const spacer of app.panel.querySelectorAll(".spacer"))
    spacer.style.height = "0";
  drawNow();
  for (const box of app.panel.querySelectorAll(".flame")) {
    if (!box.hidden && box.scrollHeight > box.clientHeight + 1)
      box.after(make("p", {class: "caption unprinted"}, "More rows below are not printed."));
  }
}

function endPrinting() {
  for (const told of app.panel.querySelectorAll(".unprinted"))
    told.remove();
  printing.isOn = false;
  delete document.documentElement.dataset.printing;
  drawNow();
  for (const [box, top] of printing.places)
    box.scrollTop = top;
  printing.places = [];
}
