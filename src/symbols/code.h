/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Return address checks on machine code.
 *
 * Where functions do not keep frame pointers, most values that a frame-pointer walk finds on the
 * stack are not return addresses. These functions inspect the code before and after an address to
 * decide if a return can lead there.
 *
 * A return address follows a call instruction. The exceptions are a few addresses that the kernel
 * or a runtime puts on the stack without a call: the end of a signal handler, the first function of
 * a glibc coroutine and the first function of a goroutine. Other sources of such addresses are not
 * known here: some coroutine libraries in assembly, and tracers that write calls over a function's
 * first bytes while it runs.
 *
 * Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "CALL", "ModR/M
 * and SIB Bytes" and the opcode map; Arm Architecture Reference Manual for A-profile, "BL", "BLR",
 * "BLRAA" and "Branches, Exception Generating and System instructions"; rt_sigreturn(2);
 * setcontext(3).
 */
#ifndef TALLY_SYMBOLS_CODE_H
#define TALLY_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_dso;

/* Return true if a return can lead to offset `at` of the `len` bytes of code at `code`. `machine`
 * is the machine of the ELF header (EM_...). Always true for machines that are not known here. */
bool tally_code_is_return_address(uint16_t machine, const uint8_t *code, size_t len, uint64_t at);

/* Return true if execution can fall through the end of `len` bytes of code: the last instruction is
 * not a return, jump, call, trap or padding. On x86, other instructions that end with the same
 * bytes are mistaken for one of these. False for empty code and for machines that are not known
 * here. */
bool tally_code_falls_through(uint16_t machine, const uint8_t *code, size_t len);

/* Return true if the machine's call instructions are known here. */
bool tally_code_is_known(uint16_t machine);

/* Like tally_code_is_return_address() for `addr`, an address as for tally_dso_find(), in the DSO's
 * file or vdso, which is opened for this. If the recording has embedded symbols for the DSO, the
 * answer is taken from them. True if the answer is unknown: for memory without a file, and for
 * files that are not available or not known to be the recorded ones. */
bool tally_dso_is_return_address(struct tally_dso *dso, uint64_t addr);

#endif
