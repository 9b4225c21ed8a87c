// SPDX-License-Identifier: BSD-2-Clause
// A table of any number of rows, of which only the visible ones are in the document. The total number and positions are
// provided to assistive technology.

const NAME_LETTER = 8.7, NAME_MARGIN = 34; // pixels of a character of a name, and next to it, as in page.css
const TABLE_ROW_HEIGHT = 26, ROWS_BESIDE = 8, DOUBLE_CLICK_MS = 500;

// `source`: {label, role, columns: [{name, title, class, sorts}], count(), cells(i, letters: the space of a name) -> [text or element],
// attributes(i), select(i), enter(i), key(i, key) -> bool, sort(name), sorted() -> [name, ascending]}.
function makeRows(source) {
  const head = make("tr", {"aria-rowindex": 1}), body = make("tbody", {});
  const table = make("table", {role: source.role || "grid", "aria-label": source.label}, make("thead", {}, head), body);
  const box = make("div", {class: "rows", tabIndex: 0, "aria-label": `${source.label}: arrow keys go from row to row`, role: "group"}, table);
  const rows = {source, box, body, table, head, cursor: -1, clicked: -1, clickedAt: 0};
  box.addEventListener("scroll", () => drawRows(rows));
  box.addEventListener("keydown", (event) => {
    if (event.target === box && !event.ctrlKey && !event.altKey && !event.metaKey && rowsKey(rows, event.key))
      event.preventDefault();
  });
  // The first click recreates the rows, so browsers would not report a double click.
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-row]"), i = row ? Number(row.dataset.row) : -1;
    if (!row)
      return;
    const isSecond = i === rows.clicked && event.timeStamp - rows.clickedAt < DOUBLE_CLICK_MS && !event.target.closest(".opener");
    Object.assign(rows, {clicked: isSecond ? -1 : i, clickedAt: event.timeStamp});
    goToRow(rows, i);
    if (source.choose)
      source.choose(i);
    if (isSecond && source.enter)
      source.enter(i);
  });
  body.addEventListener("contextmenu", (event) => {
    const row = event.target.closest("tr[data-row]");
    if (row && source.frame) {
      event.preventDefault();
      goToRow(rows, Number(row.dataset.row));
      openMenu(source.frame(rows.cursor), event.clientX, event.clientY);
    }
  });
  return rows;
}

function drawHead(rows) {
  const {source, head} = rows, [sorted, isAscending] = source.sorted ? source.sorted() : ["", false];
  head.replaceChildren(...source.columns().map((column) => {
    const isSorted = column.name === sorted;
    const title = source.sort && column.sorts !== false
      ? makeButton(column.title + (isSorted ? (isAscending ? " \u25b4" : " \u25be") : ""), "sort by this column", () => source.sort(column.name)) : column.title;
    return make("th", {scope: "col", class: column.class, "aria-sort": isSorted ? (isAscending ? "ascending" : "descending") : null}, title);
  }));
}

// The padding is a single cell: spanning columns that are hidden in a narrow window would make them visible.
function padding(height) {
  const cell = make("td", {class: "padding"});
  cell.style.height = `${height}px`;
  return make("tr", {"aria-hidden": "true"}, cell);
}

// Return [first, last) of the visible rows, plus some before and after.
function rowsInWindow(box, count) {
  return [Math.max(0, Math.floor(box.scrollTop / TABLE_ROW_HEIGHT) - ROWS_BESIDE),
    Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / TABLE_ROW_HEIGHT) + ROWS_BESIDE)];
}

// Return the number of characters of a name that fit into its column.
function nameLetters(rows) {
  const head = rows.head.querySelector("th.name");
  return printing.isOn || !head || !head.clientWidth ? 110 : Math.max(12, Math.floor((head.clientWidth - NAME_MARGIN) / NAME_LETTER));
}

function drawRows(rows) {
  const {source, box, body, table} = rows, count = source.count(), columns = source.columns();
  const [first, last] = printing.isOn ? [0, Math.min(count, PRINT_ROWS_MAX)] : rowsInWindow(box, count);
  const list = [padding(first * TABLE_ROW_HEIGHT)], letters = nameLetters(rows);
  for (let i = first; i < last; i++) {
    const attributes = {"data-row": i, "aria-rowindex": i + 2, "aria-selected": i === rows.cursor ? "true" : null,
      ...(source.attributes ? source.attributes(i) : {})};
    const cells = source.cells(i, letters);
    list.push(make("tr", attributes, ...columns.map((column, at) => make("td", {class: column.class}, cells[at]))));
  }
  if (!printing.isOn)
    list.push(padding(Math.max(0, count - last) * TABLE_ROW_HEIGHT));
  else if (last < count)
    list.push(make("tr", {}, make("td", {colspan: columns.length}, `${countOf(count - last, "more row")}, not printed`)));
  body.replaceChildren(...list);
  table.setAttribute("aria-rowcount", count + 1);
}

// Redraw everything after the rows or their order changed.
function resetRows(rows, keepsPlace) {
  if (!keepsPlace) {
    rows.cursor = -1;
    rows.box.scrollTop = 0;
    app.shown.picked = null;
  }
  drawHead(rows);
  drawRows(rows);
}

function goToRow(rows, i) {
  const {box, source} = rows;
  rows.cursor = Math.max(0, Math.min(source.count() - 1, i));
  const top = rows.cursor * TABLE_ROW_HEIGHT;
  if (top < box.scrollTop)
    box.scrollTop = top;
  else if (top + 2 * TABLE_ROW_HEIGHT > box.scrollTop + box.clientHeight)
    box.scrollTop = top + 2 * TABLE_ROW_HEIGHT - box.clientHeight;
  drawRows(rows);
  if (rows.cursor >= 0) {
    source.select(rows.cursor);
    const row = rows.body.querySelector(`tr[data-row="${rows.cursor}"]`);
    say(row ? [...row.children].map((cell) => cell.textContent).join(", ") : "");
  }
}

function rowsKey(rows, key) {
  const {source, cursor} = rows, page = Math.max(1, Math.floor(rows.box.clientHeight / TABLE_ROW_HEIGHT) - 2);
  const moves = {ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: source.count() - 1};
  if (source.key && cursor >= 0 && source.key(cursor, key))
    return true;
  if (key in moves && source.count()) {
    goToRow(rows, moves[key]);
    return true;
  }
  if ((key === "Enter" || key === "+") && cursor >= 0 && source.enter) {
    source.enter(cursor);
    return true;
  }
  return false;
}

// Make a cell with a percentage on top of a bar.
function shareCell(part, whole) {
  const bar = make("span", {class: "share-bar"});
  bar.style.width = whole > 0 ? `${Math.min(100, 100 * part / whole).toFixed(2)}%` : "0";
  return make("span", {class: "share"}, bar, make("span", {class: "share-text"}, formatShare(part, whole)));
}
