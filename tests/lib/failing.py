# SPDX-License-Identifier: BSD-2-Clause
"""Run programs in which a single allocation fails."""
import os
import re
import sys

import steps
import tap

# Allocation number FAIL_AT (counted from 1) fails; with FAIL_AT=0, allocations are only counted. The function names
# below are those that AddressSanitizer uses for its own allocation functions.
SOURCE = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
__attribute__((weak)) void *__interceptor_malloc(size_t), *__interceptor_calloc(size_t, size_t), *__interceptor_realloc(void *, size_t);
static long nr, at = -1;
static int fails(void)
{
	if (at < 0 && !environ) /* AddressSanitizer starts before libc */
		return 0;
	if (at < 0)
		at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	errno = ++nr == at ? ENOMEM : errno;
	return nr == at;
}
#define CALL(name, ...) (fails() ? NULL : __interceptor_##name ? __interceptor_##name(__VA_ARGS__) : __libc_##name(__VA_ARGS__))
void *malloc(size_t size) { return CALL(malloc, size); }
void *calloc(size_t n, size_t size) { return CALL(calloc, n, size); }
void *realloc(void *block, size_t size) { return CALL(realloc, block, size); }
__attribute__((destructor)) static void done(void) { if (!at) fprintf(stderr, "allocations: %ld\n", nr); }
"""


class Allocations:
    """Runs tally with a single failing allocation."""

    def __init__(self, folder):
        self.library = steps.build(os.path.join(folder, "failing.so"), SOURCE, "-shared", "-fPIC", "-fno-builtin", compiler="gcc")
        if "allocations: " not in self.run(sys.executable, "-c", "").stderr:
            raise tap.Skip("allocations cannot be made to fail here")
        if "INTERP" not in tap.run("readelf", "-lW", steps.tally()).stdout:
            raise tap.Skip("nothing can be preloaded into a tally that is linked statically")

    def run(self, *command, at=0, **options):
        """Run a command in which allocation number `at` fails."""
        return tap.run(*command, env=tap.preloading(LD_PRELOAD=self.library, FAIL_AT=str(at)), **options)

    def count(self, *command):
        """Return the number of allocations that a command makes if none of them fails."""
        done = self.run(*command, status=0, text=False)
        found = re.search(rb"allocations: (\d+)", done.stderr)
        assert found, done.stderr[:500]
        return int(found[1])
