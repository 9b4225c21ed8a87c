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
  {name: "heat", title: "Heatmap", make: makeHeatView},
  {name: "tree", title: "Call tree", make: makeTreeView},
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
    if (tab.dataset.view === app.state.view)
      tab.setAttribute("aria-current", "page");
    else
      tab.removeAttribute("aria-current");
  }
}

// Make a text field whose value is used on Enter or when it loses the focus.
function makeField(id, label, hint, name) {
  const input = make("input", {id, type: "search", placeholder: hint, "aria-label": label, autocomplete: "off", spellcheck: "false", maxlength: QUERY_MAX});
  const take = () => {
    if (input.value.trim() !== app.state[name])
      go({[name]: input.value.trim()});
  };
  input.addEventListener("change", take);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter")
      take();
  });
  return input;
}

// Make the search field, which searches while the user types, after a short pause. The pending search is cancelled if
// the value was already used, or the address changed.
function makeSearch() {
  const input = makeField("search", "Search functions", "mark functions  ( / )", "search");
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

function makeHead() {
  const {model} = app, {events, title} = model.meta;
  const names = events.map((event, i) => [String(i), shownText(String(event.name), 60)]);
  const event = events.length > 1 ? makeChoice("Event", names, () => String(app.state.event), (value) => go({event: Number(value)}))
    : make("span", {class: "event"}, names[0][1]);
  event.id = "event";
  return make("header", {},
    make("h1", {}, shownText(String(title || "profile"), 120)), event,
    make("div", {class: "fields"},
      makeField("query", "Query", "query, like comm:x dso:y  ( : )", "query"),
      make("span", {id: "query-error", class: "wrong", role: "alert"}),
      makeSearch(),
      make("span", {id: "found", role: "status"})),
    makeButton("\u25d0", "dark or light (T)", turnTheme, {"aria-label": "Dark or light"}),
    makeButton("?", "keys and queries (?)", showHelp, {"aria-label": "Help"}));
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
  const event = byId("event");
  if (event.sync)
    event.sync();
}

function makeChrome() {
  app.strip = makeStrip();
  app.panel = make("main", {id: "panel"});
  const place = byId("app");
  place.replaceChildren(makeHead(), make("div", {class: "second"}, makeTabs(), make("div", {id: "chips", role: "group", "aria-label": "Selection"})),
    make("p", {id: "link-error", class: "wrong", role: "alert", hidden: true}), app.strip.box, make("div", {id: "nothing", role: "status", hidden: true}), app.panel, makeDetails(), make("div", {id: "status", class: "visually-hidden", "aria-live": "polite"}),
    make("div", {id: "tip", hidden: true, "aria-hidden": "true"}));
}
