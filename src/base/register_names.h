/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the registers in sample_regs_user and sample_regs_intr. */
#ifndef TALLY_BASE_REGISTER_NAMES_H
#define TALLY_BASE_REGISTER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Return perf's name for the register of bit `bit`, 0..63, on the machine `arch` (as in
 * `uname -m`); NULL if it is unknown. `is_simd` is set for samples with PERF_SAMPLE_REGS_ABI_SIMD,
 * where bits have other meanings on x86. The string is constant. */
const char *tally_register_name(const char *arch, bool is_simd, unsigned bit);

#endif
