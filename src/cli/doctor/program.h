/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is to be known of a program before it is profiled: found as a shell would find it, read, and
 * never run. To be called without capabilities: the file is the user's.
 */
#ifndef TALLY_CLI_DOCTOR_PROGRAM_H
#define TALLY_CLI_DOCTOR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/prologue.h"
#include "symbols/elf.h"

enum doctor_debug {
	DOCTOR_DEBUG_NONE,
	DOCTOR_DEBUG_OWN,  /* in the file */
	DOCTOR_DEBUG_FILE, /* in another: debug_path */
};

struct doctor_program {
	const char *name; /* as given */
	int code;         /* 0; -ENOENT; -EACCES; -ENOEXEC no ELF file; -EBADMSG broken ... */
	char *path;       /* that was found; NULL */
	char *script;     /* if that is a script: its path; `path` is then its interpreter's */
	bool readable;    /* by us; a program that is not may not be profiled either */
	bool changes_ids; /* set-user-id or set-group-id */
	bool is64, is_static, is_pie, has_unwind;
	uint16_t machine; /* EM_* */
	uint8_t build_id[TALLY_BUILD_ID_MAX];
	size_t build_id_size;
	size_t nr_functions, nr_exported; /* in .symtab, in .dynsym */
	enum doctor_debug debug;
	char *debug_path;
	char *debug_link;   /* .gnu_debuglink; NULL: none */
	int prologues_code; /* of tally_elf_prologues_look() */
	struct tally_prologues prologues;
	const char *language;                /* "Go", "Rust"; NULL: not known */
	const struct tally_runtime *runtime; /* that makes code while it runs; or NULL */
};

/* Find the program as execvp(3) would, and look at it. What is found goes to `ret_program`, and so
 * does the error of not finding it. To be freed in any case. */
void doctor_program_find(const char *name, struct doctor_program *ret_program);
void doctor_program_free(struct doctor_program *program);

#endif
