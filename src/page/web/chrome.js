// SPDX-License-Identifier: BSD-2-Clause
// The frame around the views: title, tabs, query and search fields, selection, theme.

const SEARCH_QUIET_MS = 200;

const VIEW_LIST = [
  {name: "overview", title: "Overview", make: makeOverviewView},
  {name: "functions", title: "Functions", make: makeFunctionsView},
  {name: "flame", title: "Flame graph", make: makeFlameView},
  {name: "sandwich", title: "Callers, callees", make: makeSandwichView},
  {name: "source", title: "Source", make: makeSourceView},
  {name: "time", title: "Time", make: makeTimeView},
  {name: "stacks", title: "Stacks in time", make: makeStacksView},
  {name: "tree", title: "Call tree", make: makeTreeView},
  {name: "heat", title: "Heatmap", make: makeHeatView},
];

function turnTheme() {
  refreshTheme();
  themeChosen = themeName() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = themeChosen;
  draw();
}

function makeTabs() {
  const tabs = make("nav", {class: "tabs", "aria-label": "Views"});
  VIEW_LIST.forEach((view, i) => tabs.append(makeButton(view.title, `key ${i + 1}`, () => go({view: view.name}), {"data-view": view.name})));
  return tabs;
}

function drawTabs() {
  for (const tab of byId("app").querySelectorAll(".tabs button")) {
    if (tab.hasAttribute("aria-current") === (tab.dataset.view === app.state.view))
      continue;
    if (tab.dataset.view === app.state.view) {
      tab.setAttribute("aria-current", "page");
      if (window.innerWidth <= NARROW_WINDOW)
        tab.scrollIntoView({block: "nearest", inline: "nearest"});
    } else {
      tab.removeAttribute("aria-current");
    }
  }
}

// Give the focus back to the view, so that its keys work.
function leaveField(input) {
  input.blur();
  const view = app.views[app.state.view];
  if (view && view.focus)
    view.focus();
}

// Make a text field whose value is used on Enter or when it loses the focus.
function makeField(id, label, hint, name) {
  const input = make("input", {id, type: "search", placeholder: hint, title: label, "aria-label": label, autocomplete: "off", spellcheck: "false", maxlength: QUERY_MAX});
  const take = () => {
    if (input.value.trim() !== app.state[name])
      go({[name]: input.value.trim()});
  };
  input.addEventListener("change", take);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      take();
      leaveField(input);
    }
  });
  return input;
}

// Make the search field, which searches while the user types, after a short pause. The pending search is cancelled if
// the value was already used, or the address changed.
function makeSearch() {
  const input = makeField("search", "Mark functions by name (/)", "mark functions  ( / )", "search");
  let timer = 0;
  const cancel = () => clearTimeout(timer);
  input.addEventListener("input", () => {
    cancel();
    timer = setTimeout(() => go({search: input.value.trim()}), SEARCH_QUIET_MS);
  });
  input.addEventListener("change", cancel);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter")
      cancel();
  });
  window.addEventListener("hashchange", cancel);
  return input;
}

// Show the details of the recording's health.
function openHealth() {
  const name = "overview";
  app.views[name] = app.views[name] || VIEW_LIST[0].make();
  app.views[name].open();
  go({view: name});
}

// Make the buttons that apply to all views. In a narrow window they are shown by a button.
function makeTools(event) {
  return make("div", {class: "tools"}, event,
    make("div", {class: "fields"}, withCompletions(makeField("query", "Filter all views by a query (:)", "query, like comm:x dso:y  ( : )", "query")), makeSearch()),
    makeToggle("My code", "just my code: fold libraries, the kernel and the runtime into their callers (m)", () => app.state.own, turnOwn),
    makeToggle("Inlined", "count inlined functions apart, or in their callers (I)", () => !app.state.noinline, turnInlines),
    makeButton("Export", "save the selection as folded stacks, speedscope, SVG or CSV (E)", showExports),
    makeButton("\u25d0", "dark or light (T)", turnTheme, {"aria-label": "Dark or light"}),
    makeButton("?", "keys and queries (?)", showHelp, {"aria-label": "Help"}));
}

function makeHead() {
  const {model} = app, {events, title} = model.meta;
  const names = events.map((event, i) => [String(i), shownText(String(event.name), 60)]);
  const event = events.length > 1 ? makeChoice("Event", names, () => String(app.state.event), (value) => go({event: Number(value)}))
    : make("span", {class: "event"}, names[0][1]);
  event.id = "event";
  const level = worstHealth(app.base);
  const open = makeButton("\u2630", "query, search and settings", () => header.toggleAttribute("data-open"), {class: "burger", "aria-label": "Query, search and settings"});
  const header = make("header", {}, make("h1", {}, shownText(String(title || "profile"), 120)),
    makeButton("\u25cf", `health of the recording: ${LEVEL_WORDS[level]} (i)`, openHealth, {class: `health-dot ${level}`, "aria-label": `Health: ${LEVEL_WORDS[level]}`}),
    open, makeTools(event), make("span", {id: "query-error", class: "wrong", role: "alert"}), make("span", {id: "found", role: "status"}));
  return header;
}

function drawFields() {
  for (const name of ["query", "search"]) {
    const input = byId(name);
    if (document.activeElement !== input)
      input.value = app.state[name];
  }
  setText(byId("query-error"), app.queryError);
  setText(byId("link-error"), app.linkError);
  byId("link-error").hidden = !app.linkError;
  syncAll(byId("app").querySelector(".tools"));
}

function makeChrome() {
  app.strip = makeStrip();
  app.panel = make("main", {id: "panel"});
  const place = byId("app");
  const second = make("div", {class: "second"}, makeTabs(), make("div", {id: "chips", role: "group", "aria-label": "Selection"}));
  place.replaceChildren(make("div", {id: "top"}, makeHead(), second), make("p", {id: "link-error", class: "wrong", role: "alert", hidden: true}), app.strip.box, make("div", {id: "nothing", role: "status", hidden: true}), app.panel, makeDetails(), make("div", {id: "status", class: "visually-hidden", "aria-live": "polite"}),
    make("div", {id: "tip", hidden: true, "aria-hidden": "true"}));
}
