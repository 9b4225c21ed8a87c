/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine code of a DSO, of whatever kind: the file that was mapped, an image of the kernel, a
 * module's file, this process's vdso, the dump of a JIT compiler. Addresses are as of
 * tally_dso_find(); disassemblers and debug information know code by where it was linked to be,
 * which is another address.
 *
 *	ret = tally_code_file_open(dso, &file);
 *	ret = tally_code_file_read(file, symbol->start, symbol->end, &code);
 *	...
 *	tally_code_file_close(file);
 *
 * It does not: read the memory of the running kernel (/proc/kcore); apply relocations, so what is
 * called from a module's file is not known.
 */
#ifndef TALLY_SYMBOLS_CODE_FILE_H
#define TALLY_SYMBOLS_CODE_FILE_H

#include "symbols/symbols.h"

struct tally_code_file;

struct tally_code {
	const uint8_t *bytes; /* of the file, until it is closed */
	size_t len;
	uint64_t linked; /* address of the first one */
	uint16_t machine;
	bool is64, is_big_endian;
	bool is_cut;         /* the file ends before the range does */
	bool is_relocatable; /* targets of jumps and calls mean nothing unless they are near */
};

/* Open it. 0; or why not: -ENODATA: there is no code, but perhaps a name (perf-PID.map, a debug
 * file, memory without a file); TALLY_CODE_ERROR_NO_KERNEL: no image of the kernel has the recorded
 * build-id; -ENOMEM; or an error for tally_code_file_state(). The DSO outlives the file. */
#define TALLY_CODE_ERROR_NO_KERNEL (-ENOPKG)
int tally_code_file_open(struct tally_dso *dso, struct tally_code_file **ret_file);

/* Look for names and lines in files, too, where none are stored with the recording: these are of
 * addresses that samples have. For who has the code open, and so knows that the file is the one
 * that was recorded. */
void tally_dso_ask_files(struct tally_dso *dso);

/* NULL is allowed. */
void tally_code_file_close(struct tally_code_file *file);

/* Why it could not be opened, as a state of the DSO. */
enum tally_dso_state tally_code_file_state(int error);

/* Code at [start, end), addresses as of tally_dso_find(). 0; -EINVAL of an empty range; -ERANGE
 * where the file has no code there; -EIO: the file became shorter. */
int tally_code_file_read(const struct tally_code_file *file, uint64_t start, uint64_t end,
			 struct tally_code *ret_code);

/* The address of what was linked to be at `linked`. False: that is nowhere in the file. */
bool tally_code_file_address(const struct tally_code_file *file, uint64_t linked,
			     uint64_t *ret_addr);

/* Where the byte at `addr`, as of tally_dso_find(), was linked to be, and how many bytes from there
 * on lie in the file as they are linked. False: the file has nothing there. */
bool tally_code_file_linked(const struct tally_code_file *file, uint64_t addr, uint64_t *ret_linked,
			    uint64_t *ret_len);

/* Where the first segment of the file was linked to be, from which addresses relative to the image
 * are counted; 0 where there are no segments. */
uint64_t tally_code_file_base(const struct tally_code_file *file);

/* How many bytes are of the symbol. Where it is but the start of a function, unwind rules tell
 * where that ends. 0: it is not known. */
uint64_t tally_symbol_size(struct tally_dso *dso, const struct tally_symbol *symbol);

/* The path of the file; NULL: it has none. */
const char *tally_code_file_path(const struct tally_code_file *file);

#endif
