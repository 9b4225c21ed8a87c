// SPDX-License-Identifier: BSD-2-Clause
// Create elements one by one, with text set as text: nothing from a recording is parsed as markup.

const PROPERTIES = new Set(["type", "value", "hidden", "disabled", "tabIndex", "htmlFor", "checked", "open"]);

// make("td", {class: "number", onclick: f}, "text", element, ...). Attributes without a value are omitted.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name))
      element[name] = value;
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

// Set the text only if it changed, as each write causes a layout.
function setText(element, text) {
  if (element.textContent !== text)
    element.textContent = text;
}

// Replace the children by those that `build` makes, but only if `key` changed.
function setChildren(element, key, build) {
  if (element.builtBy === key)
    return;
  element.builtBy = key;
  element.replaceChildren(...build());
}

function makeButton(label, title, onclick, attributes) {
  return make("button", {type: "button", title, onclick, ...attributes}, label);
}

// Make a toggle button. draw() of the view calls button.sync().
function makeToggle(label, title, get, set) {
  const button = makeButton(label, title, () => set(!get()));
  button.sync = () => button.setAttribute("aria-pressed", String(get()));
  button.sync();
  return button;
}

// Make a selection list; `options` are [value, text] pairs.
function makeChoice(label, options, get, set) {
  const select = make("select", {title: label.toLowerCase(), onchange: () => set(select.value)});
  for (const [value, text] of options)
    select.append(make("option", {value}, text));
  const element = make("label", {class: "choice"}, label, " ", select);
  element.sync = () => { select.value = get(); };
  element.sync();
  return element;
}

function syncAll(bar) {
  for (const child of bar.children) {
    if (child.sync)
      child.sync();
  }
}

// Show a dialog with a heading; Escape or its button closes it.
function showDialog(title, ...children) {
  const close = makeButton("Close", "close (Esc)", () => dialog.close());
  const dialog = make("dialog", {"aria-label": title}, make("div", {class: "dialog-head"}, make("h2", {}, title), close), ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Fit a canvas to its box (in CSS pixels) at the resolution of the screen. Returns the context.
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const columns = Math.max(1, Math.round(width * ratio));
  const rows = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d", {alpha: false});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
