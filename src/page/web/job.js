// SPDX-License-Identifier: BSD-2-Clause
// Long computations are generators that yield after each small part. They run in slices, between which the browser
// handles input: no slice is noticeable, however large the recording is. Their results are cached, so that a view is
// drawn from what was computed before.

const SLICE_MS = 16;
const BLOCK = 32768; // samples or nodes between two yields

// Run a computation to its end at once, and return its result.
function finish(steps) {
  for (;;) {
    const {done, value} = steps.next();
    if (done)
      return value;
  }
}

// Make a job: a computation that runSlice() runs in slices, the first one at once, and then calls `done`, which is a
// slice of its own unless the computation was short. stopJob() ends it.
function makeJob(steps, done) {
  return {steps, done, isOver: false, total: 0, longest: 0, timer: 0};
}

// Measure a part of a job.
function inJob(job, act) {
  const start = performance.now();
  try {
    return act();
  } finally {
    const spent = performance.now() - start;
    job.total += spent;
    job.longest = Math.max(job.longest, spent);
  }
}

function runSlice(job) {
  const end = performance.now() + SLICE_MS;
  const isDone = inJob(job, () => {
    while (performance.now() < end) {
      if (job.steps.next().done)
        return true;
    }
    return false;
  });
  if (!isDone)
    job.timer = setTimeout(() => runSlice(job), 0);
  else if (end - performance.now() > SLICE_MS / 2)
    endJob(job);
  else
    job.timer = setTimeout(() => endJob(job), 0);
}

function endJob(job) {
  job.isOver = true;
  job.done(job);
}

function stopJob(job) {
  if (job && !job.isOver)
    clearTimeout(job.timer);
}

// Call act(from, to) for each block of `count` elements.
function* inBlocks(count, act) {
  for (let from = 0; from < count; from += BLOCK) {
    act(from, Math.min(from + BLOCK, count));
    yield;
  }
}
