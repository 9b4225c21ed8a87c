/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Return address checks on machine code.
 *
 * If functions do not keep frame pointers, most values that a frame-pointer walk finds on the stack
 * are not return addresses. These functions inspect the code around an address to decide whether a
 * call can return there.
 *
 * A return address follows a call instruction. The exceptions are a few addresses that the kernel
 * or a runtime puts on the stack without a call: the end of a signal handler, the first function of
 * a glibc coroutine and the first function of a goroutine. Other exceptions are not recognised:
 * coroutine libraries in assembly, and tracers that patch calls into the start of a running
 * function.
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

/* Return true if offset `at` in the `len` bytes at `code` can be a return address. `machine` is the
 * machine in the ELF header (EM_...). Always true for unsupported machines. */
bool tally_code_is_return_address(uint16_t machine, const uint8_t *code, size_t len, uint64_t at);

/* Return true if execution can run past the end of `len` bytes of code, because the last
 * instruction is not a return, jump, call, trap or padding. On x86, an instruction that ends with
 * the same bytes as one of these is mistaken for it. False for empty code and for unsupported
 * machines. */
bool tally_code_falls_through(uint16_t machine, const uint8_t *code, size_t len);

/* Return true if the machine's call instructions are supported. */
bool tally_code_is_known(uint16_t machine);

/* Do the same as tally_code_is_return_address() for code in the DSO's file or vdso, which is opened
 * if necessary. `addr` is an address as for tally_dso_find(). If the recording has embedded symbols
 * for the DSO, they contain the answer. Returns true if the answer is unknown: for memory without a
 * file, and for files that are not available or not known to be the recorded ones. */
bool tally_dso_is_return_address(struct tally_dso *dso, uint64_t addr);

#endif
