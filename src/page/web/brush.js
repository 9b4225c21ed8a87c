// SPDX-License-Identifier: BSD-2-Clause
// Selection of a time span on a canvas: by dragging, or by keys (arrows, Space, Space).

// `brush.left` and `brush.width` are the time axis in the canvas; `onClick(event)` is called if the mouse was not
// dragged.
function makeBrush(canvas, box, redraw, onClick) {
  const brush = {left: 0, width: 1, from: null, to: null, cursor: null, mark: null, redraw, onClick, isDragging: false, startX: 0};
  canvas.addEventListener("mousedown", (event) => {
    if (event.button === 0)
      startDrag(brush, canvas, event);
  });
  canvas.addEventListener("dblclick", () => go({span: null}));
  canvas.addEventListener("wheel", (event) => wheelBrush(brush, canvas, box, event), {passive: false});
  box.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey && brushKey(brush, event.key, event.shiftKey))
      event.preventDefault();
  });
  box.addEventListener("blur", () => {
    brush.cursor = null;
    redraw();
  });
  return brush;
}

function timeAt(brush, x) {
  return Math.max(0, Math.min(1, (x - brush.left) / brush.width)) * app.model.length;
}

function startDrag(brush, canvas, event) {
  const left = canvas.getBoundingClientRect().left;
  const move = (next) => {
    brush.isDragging = brush.isDragging || Math.abs(next.clientX - event.clientX) > 3;
    if (brush.isDragging) {
      [brush.from, brush.to] = [timeAt(brush, event.clientX - left), timeAt(brush, next.clientX - left)];
      brush.redraw();
    }
  };
  const end = (next) => {
    window.removeEventListener("mousemove", move);
    window.removeEventListener("mouseup", end);
    const {isDragging, from, to} = brush;
    Object.assign(brush, {isDragging: false, from: null, to: null});
    if (isDragging)
      takeSpan(from, to);
    else
      brush.onClick(next);
  };
  brush.isDragging = event.clientX - left < brush.left ? null : false;
  if (brush.isDragging === null) {
    brush.isDragging = false;
    brush.onClick(event);
    return;
  }
  window.addEventListener("mousemove", move);
  window.addEventListener("mouseup", end);
}

function takeSpan(from, to) {
  const span = [Math.floor(Math.min(from, to)), Math.ceil(Math.max(from, to))];
  if (span[0] < span[1])
    go({span});
  else
    draw();
}

const WHEEL_RATE = 0.002, WHEEL_MOST = 200, LINE_PIXELS = 33, WHEEL_REST_MS = 300;
const wheel = {timer: 0, before: null};

// Zoom the span around the pointer. If something can be scrolled, only with Ctrl.
function wheelBrush(brush, canvas, box, event) {
  const {model, state} = app, page = document.documentElement;
  if (!event.ctrlKey && (box.scrollHeight > box.clientHeight || page.scrollHeight > page.clientHeight || !event.deltaY))
    return;
  event.preventDefault();
  const turn = Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, event.deltaY * (event.deltaMode ? LINE_PIXELS : 1)));
  const [from, to] = state.span || [0, model.length], times = Math.exp(turn * WHEEL_RATE);
  const at = Math.max(from, Math.min(to, timeAt(brush, event.clientX - canvas.getBoundingClientRect().left)));
  const next = [Math.max(0, Math.floor(at - (at - from) * times)), Math.min(model.length, Math.ceil(at + (to - at) * times))];
  if (next[0] < next[1])
    turnSpan(next[0] || next[1] < model.length ? next : null);
}

// Several turns of the wheel are a single history entry, made when the wheel stops.
function turnSpan(span) {
  const before = wheel.timer ? wheel.before : app.state.span;
  clearTimeout(wheel.timer);
  app.state = {...app.state, span};
  draw();
  wheel.before = before;
  wheel.timer = setTimeout(() => {
    const chosen = app.state.span;
    wheel.timer = 0;
    app.state = {...app.state, span: before};
    go({span: chosen});
  }, WHEEL_REST_MS);
}

const BRUSH_STEPS = {ArrowLeft: -1, ArrowRight: 1};

function brushKey(brush, key, isFar) {
  const {model} = app;
  const start = app.state.span ? app.state.span[0] : 0;
  if (BRUSH_STEPS[key]) {
    const at = brush.cursor === null ? start : brush.cursor + BRUSH_STEPS[key] * model.length * (isFar ? 0.1 : 0.01);
    brush.cursor = Math.max(0, Math.min(model.length, at));
  } else if (key === "Home" || key === "End") {
    brush.cursor = key === "Home" ? 0 : model.length;
  } else if (key === " ") {
    markSpan(brush);
  } else {
    return false;
  }
  if (brush.cursor !== null)
    say(`${formatSeconds(brush.cursor * model.unitNs, model.length * model.unitNs / 1000)} seconds`);
  brush.redraw();
  return true;
}

function markSpan(brush) {
  if (brush.cursor === null)
    brush.cursor = 0;
  if (brush.mark === null) {
    brush.mark = brush.cursor;
    return;
  }
  const from = brush.mark;
  brush.mark = null;
  takeSpan(from, brush.cursor);
}

// Paint the span, or the one being dragged or marked, and the keyboard cursor.
function paintBrush(context, brush, height) {
  const colours = theme(), length = Math.max(app.model.length, 1);
  const place = (time) => brush.left + brush.width * time / length;
  let span = brush.from !== null ? [brush.from, brush.to] : app.state.span;
  if (brush.mark !== null)
    span = [brush.mark, brush.cursor];
  if (span) {
    const [from, to] = [place(Math.min(...span)), place(Math.max(...span))].map((x) => Math.min(x, brush.left + brush.width));
    context.fillStyle = colours.span;
    context.fillRect(from, 0, Math.max(to - from, 1), height);
    context.fillStyle = colours.spanEdge;
    context.fillRect(from, 0, 1, height);
    context.fillRect(to - 1, 0, 1, height);
  }
  if (brush.cursor !== null) {
    context.fillStyle = colours.focus;
    context.fillRect(place(brush.cursor) - 1, 0, 2, height);
  }
}
