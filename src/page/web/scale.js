// SPDX-License-Identifier: BSD-2-Clause
// The scale of bars over time: shares of a CPU if weights are CPU time, otherwise weights.

const CPU_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
const ROUGH = 1.25; // bins with few samples may show more than a thread can use
const LANE_HEIGHT = 30, AXIS_HEIGHT = 18;

// True if the weights of an event are time on a CPU, not time spent waiting.
function isCpuTime(event) {
  return event.unit === "ns" && !/off-?cpu|wait|block|sleep/i.test(String(event.name));
}

function currentEvent() {
  return app.model.meta.events[app.state.event];
}

// Format a weight in an interval of `ns` as a share of a CPU: "46% of a CPU", "1.87 CPUs".
function formatCpus(weight, ns) {
  const share = ns > 0 ? weight / ns : 0;
  return share > 1.005 ? `${share.toFixed(2)} CPUs` : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}% of a CPU`;
}

// Format a weight in an interval, with its share of a CPU if it is CPU time.
function formatRate(weight, ns) {
  const event = currentEvent(), text = formatWeight(weight, event.unit);
  return isCpuTime(event) && ns > 0 ? `${text}, ${formatCpus(weight, ns)}` : text;
}

// Return {most: weight at full height, ticks: [{weight, text}]} for bars of `binNs` whose largest weight is `most`.
function barScale(most, binNs) {
  if (!isCpuTime(currentEvent()) || !(binNs > 0) || !(most > 0))
    return {most: Math.max(most, 1e-9), ticks: []};
  const share = most / binNs, top = CPU_STEPS.find((step) => step * ROUGH >= share) || Math.ceil(share / ROUGH);
  const text = (part) => part <= 1 ? `${Number((100 * part).toPrecision(2))}%` : `${Number(part.toPrecision(2))} CPUs`;
  const ticks = [top, top / 2].map((part) => ({weight: part * binNs, text: text(part)}));
  return {most: top * binNs, ticks};
}

// Paint the ticks of a scale as lines across `area`, with texts at its left, as far as they fit.
function paintScale(context, scale, area) {
  const colours = theme();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  scale.ticks.slice(0, area.height < 34 ? 1 : 2).forEach(({weight, text}) => {
    const y = Math.round(area.y + area.height - area.height * weight / scale.most);
    context.fillStyle = colours.line;
    context.fillRect(area.x, y, area.width, 1);
    context.fillStyle = colours.faint;
    context.fillText(text, area.x - 4, Math.max(area.y + 5, y));
  });
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
}
