// SPDX-License-Identifier: BSD-2-Clause
// The search marks functions by name or /regular expression/.

// Return bytes by frame, or null without a search; errors are shown next to the field.
function* findSteps(model, text) {
  if (!text)
    return {found: null, error: ""};
  const isRegex = text.length > 2 && text[0] === "/" && text.endsWith("/");
  const value = isRegex ? text.slice(1, -1) : text, kind = isRegex ? "regex" : "part";
  try {
    const pattern = {kind, text: value, folds: !hasUpper(kind, value)};
    return {found: yield* symbolSteps(model, pattern, {left: REGEX_BUDGET}), error: ""};
  } catch (error) {
    if (!(error instanceof BadQuery))
      throw error;
    return {found: null, error: error.message};
  }
}

// Return the weight of the samples with any marked function in their stack.
function foundWeight(model, weights, found) {
  const nodes = matchNodes(model, found, false), {self} = weights.current;
  let sum = 0;
  for (let i = 1; i < model.nodes; i++) {
    if (nodes[i])
      sum += self[i];
  }
  return sum;
}

function* searchSteps() {
  const {state, model} = app;
  if (app.searched !== state.search) {
    const {found, error} = yield* findSteps(model, state.search);
    Object.assign(app, {searched: state.search, found, searchError: error});
  }
}

function tellFound() {
  const {model} = app;
  const share = () => formatShare(foundWeight(model, app.weights, app.found), app.weights.current.whole);
  const count = () => app.found.reduce((sum, value) => sum + value, 0);
  setText(byId("found"), app.searchError || (app.found ? `${countOf(count(), "function")}, ${share()}` : ""));
  byId("found").classList.toggle("wrong", Boolean(app.searchError));
}
