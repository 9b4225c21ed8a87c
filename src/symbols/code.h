/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the bytes of code before an address, and behind it, tell.
 *
 * Whether a return can lead there: what is found on a stack where there are no frame pointers
 * mostly is no such address.
 *
 * A return leads behind a call instruction; and to the few places that the kernel, or a runtime,
 * puts on a stack although nothing was called there: the end of a signal handler, the first
 * function of a coroutine of glibc and of a goroutine. Others that make up return addresses (a few
 * assemblers of coroutines, tracers that write calls over a function's first bytes while it runs)
 * are not known here.
 *
 * Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "CALL",
 * "ModR/M and SIB Bytes" and the opcode map; Arm Architecture Reference Manual for A-profile, "BL",
 * "BLR", "BLRAA" and "Branches, Exception Generating and System instructions"; rt_sigreturn(2);
 * setcontext(3).
 */
#ifndef TALLY_SYMBOLS_CODE_H
#define TALLY_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_dso;

/* Whether a return can lead to offset `at` of the `len` bytes of code at `code`, which are for the
 * `machine` of an ELF header (EM_...). True for machines whose calls are not known here. */
bool tally_code_is_return_address(uint16_t machine, const uint8_t *code, size_t len, uint64_t at);

/* Whether `len` bytes of code run on into what follows them: their last instruction is no return,
 * jump, call, trap or padding. Other instructions of x86 whose last bytes look like one of these
 * are taken for it. False for machines whose instructions are not known here, and without code. */
bool tally_code_runs_on(uint16_t machine, const uint8_t *code, size_t len);

/* Whether calls of the machine are known here. */
bool tally_code_is_known(uint16_t machine);

/* The same of `addr`, as for tally_dso_find(), in the DSO's file or vdso, which is opened for that.
 * Also true where it cannot be told: of memory without a file, of files that are not at hand or not
 * known to be the recorded ones. */
bool tally_dso_is_return_address(struct tally_dso *dso, uint64_t addr);

#endif
