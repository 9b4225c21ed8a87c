/* SPDX-License-Identifier: BSD-2-Clause */
/* Hook that src/core/atomic.h calls before each operation in builds with
 * TALLY_CORE_DEBUG_HOOK="core/hook.h". Test hosts define the hook. */
#ifndef TALLY_TESTS_CORE_HOOK_H
#define TALLY_TESTS_CORE_HOOK_H

void tally_core_debug_hook(const volatile void *word);

#endif
