/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code for any kind of DSO: the mapped file, a kernel image, a module's file, this
 * process's vdso, or a JIT compiler's dump. Addresses are as for tally_dso_find(). Disassemblers
 * and debug information use linked addresses, which are different.
 *
 *	ret = tally_code_file_open(dso, &file);
 *	ret = tally_code_file_read(file, symbol->start, symbol->end, &code);
 *	...
 *	tally_code_file_close(file);
 *
 * The running kernel's memory (/proc/kcore) is not supported. Neither are relocations, so call
 * targets in a module's file are unknown.
 */
#ifndef TALLY_SYMBOLS_CODE_FILE_H
#define TALLY_SYMBOLS_CODE_FILE_H

#include "symbols/symbols.h"

struct tally_code_file;

struct tally_code {
	const uint8_t *bytes; /* borrowed until the file is closed */
	size_t len;
	uint64_t linked; /* linked address of the first byte */
	uint16_t machine;
	bool is64, is_big_endian;
	bool is_cut;         /* the file ends before the end of the requested range */
	bool is_relocatable; /* not relocated: distant jump and call targets are invalid */
};

/* Open the code of a DSO. Returns 0; -ENODATA if there is no code, even if there are names
 * (perf-PID.map, a debug file, memory without a file); TALLY_CODE_ERROR_NO_KERNEL if no kernel
 * image has the recorded build-id; -ENOMEM; or another error, which tally_code_file_state()
 * converts to a state. The DSO must outlive the file. */
#define TALLY_CODE_ERROR_NO_KERNEL (-ENOPKG)
int tally_code_file_open(struct tally_dso *dso, struct tally_code_file **ret_file);

/* Search files for names and lines, even if the recording has embedded ones, which only cover the
 * sampled addresses. Call this only after opening the code, which ensures that the file is the
 * recorded one. */
void tally_dso_prefer_files(struct tally_dso *dso);

/* Close the file and free it. NULL is allowed. */
void tally_code_file_close(struct tally_code_file *file);

/* Return the DSO state for an error from tally_code_file_open(). */
enum tally_dso_state tally_code_file_state(int error);

/* Get the code from `start` up to `end`. Both are addresses in the form that tally_dso_find()
 * takes. Returns 0; -EINVAL if the range is empty; -ERANGE if the file has no code there; or -EIO
 * if the file was truncated. */
int tally_code_file_read(const struct tally_code_file *file, uint64_t start, uint64_t end,
			 struct tally_code *ret_code);

/* Convert a linked address to an address for tally_dso_find(). Returns false if the linked address
 * is not in the file. */
bool tally_code_file_address(const struct tally_code_file *file, uint64_t linked,
			     uint64_t *ret_addr);

/* Get the linked address of the byte at `addr`, which is an address in the form that
 * tally_dso_find() takes. Also get the number of bytes from there that are contiguous both in the
 * file and in memory. Returns false if `addr` is not in the file. */
bool tally_code_file_linked(const struct tally_code_file *file, uint64_t addr, uint64_t *ret_linked,
			    uint64_t *ret_len);

/* Return the linked address of the first PT_LOAD segment, which is the base of image-relative
 * addresses, or 0 if there are no segments. */
uint64_t tally_code_file_base(const struct tally_code_file *file);

/* Return a symbol's size in bytes, or 0 if it is unknown. If the symbol has no end, use the unwind
 * rules to find the end. */
uint64_t tally_symbol_size(struct tally_dso *dso, const struct tally_symbol *symbol);

/* Return the file's path, or NULL if it has none. */
const char *tally_code_file_path(const struct tally_code_file *file);

#endif
