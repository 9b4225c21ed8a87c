// SPDX-License-Identifier: BSD-2-Clause
// The menu of a function: by right click, or by a key for the function at the cursor.

// [label, key that does the same, action on a frame, condition]
const MENU = [
  ["Callers and callees", "s", (frame) => openSandwich(frame)],
  ["Source", "a", (frame) => openNote(frame), (frame) => findNote(frame).note >= 0],
  ["Only samples with it", "f", (frame) => onlyFunction(frame)],
  ["Only samples with its file", "d", (frame) => onlyFile(frame), (frame) => Boolean(frameFile(app.model, frame))],
  ["Drop samples with it", "D", (frame) => dropFunction(frame)],
  ["Fold it into its callers", "M", (frame) => turnFold(frame)],
  ["Fold recursive calls", "c", () => turnMerged(), () => !app.state.merged],
  ["Unfold all functions", "U", () => go({merge: null}), () => Boolean(app.state.merge)],
  ["Copy the stack, a line for each frame", "y", () => copyStack("\n"), () => Boolean(pickedCell())],
  ["Copy the stack, folded", "Y", () => copyStack(";"), () => Boolean(pickedCell())],
  ["Full names", "w", (frame) => showWhole(frame)],
];

function closeMenu() {
  const menu = byId("menu");
  if (menu) {
    menu.id = ""; // removal takes the focus away, which closes the menu, too
    menu.remove();
  }
}

function menuKey(event, menu) {
  const items = [...menu.querySelectorAll("button")], at = items.indexOf(document.activeElement);
  const moves = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1};
  if (event.key in moves)
    items[(moves[event.key] + items.length) % items.length].focus();
  else if (event.key === "Escape" || event.key === "Tab")
    closeMenu();
  else
    return;
  event.preventDefault();
  event.stopPropagation();
  if (!byId("menu"))
    app.shown.focus();
}

function menuItem([label, key, act], frame) {
  const run = () => {
    closeMenu();
    app.shown.focus();
    act(frame);
  };
  return make("button", {type: "button", role: "menuitem", title: `${label} (${key})`, onclick: run}, label, make("kbd", {}, key));
}

// Open the menu of a function at a position in the window.
function openMenu(frame, x, y) {
  closeMenu();
  if (frame < 0 || frame >= app.base.frames)
    return;
  const items = MENU.filter(([, , , holds]) => !holds || holds(frame)).map((item) => menuItem(item, frame));
  const menu = make("div", {id: "menu", role: "menu", "aria-label": "Function"}, make("div", {class: "menu-title"}, frameName(app.model, frame, 60)), ...items);
  menu.addEventListener("keydown", (event) => menuKey(event, menu));
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget))
      closeMenu();
  });
  hideTip();
  document.body.append(menu);
  menu.style.left = `${Math.max(4, Math.min(x, window.innerWidth - menu.offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - menu.offsetHeight - 4))}px`;
  items[0].focus();
}

// Open the menu above the line that shows the function.
function openMenuByKey() {
  const place = byId("details").getBoundingClientRect();
  openMenu(wantedFunction(), 24, place.top > 0 ? place.top - 300 : 100);
}

function dropFunction(frame) {
  if (frame >= 0)
    addQuery(`-${functionQuery(frame)}`);
}

function turnMerged() {
  go({merged: !app.state.merged, zoom: ""});
}

// Return the names of a cell's stack, outermost first. In a reversed tree, the cells go from the innermost outwards.
function stackNames(tree, cell) {
  const names = [];
  for (let at = cell; at && at.frame >= 0; at = at.up)
    names.push(at.frame < app.base.frames ? frameWholeName(tree.model, at.frame) : frameName(tree.model, at.frame));
  return cell.at ? names : names.reverse();
}

// Copy the stack of the cell at the cursor: folded, as flame graph programs read it, or a line for each frame with the
// innermost first.
function copyStack(separator) {
  const picked = pickedCell(), names = picked ? stackNames(picked.tree, picked.cell) : app.frame >= 0 ? [frameWholeName(app.model, app.frame)] : [];
  if (names.length)
    copyText(separator === "\n" ? names.reverse().join("\n") : names.join(";"), `${countOf(names.length, "frame")} copied`);
}

function copyText(text, told) {
  const done = () => notify(told);
  const byHand = () => showDialog("Copy this text", make("textarea", {class: "copied", readonly: true, rows: 12}, text));
  if (navigator.clipboard && navigator.clipboard.writeText)
    navigator.clipboard.writeText(text).then(done, byHand);
  else
    byHand();
}

// Show a message for a few seconds.
function notify(text) {
  say(text);
  const note = make("div", {class: "notice"}, text);
  document.body.append(note);
  setTimeout(() => note.remove(), 2500);
}
