/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examine a program before it is profiled. The program is looked up as a shell would look it up.
 * Its file is read, but never executed. The functions must be called without capabilities, because
 * the file belongs to the user.
 */
#ifndef TALLY_CLI_DOCTOR_PROGRAM_H
#define TALLY_CLI_DOCTOR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/prologue.h"
#include "symbols/elf/elf.h"

enum doctor_debug {
	DOCTOR_DEBUG_NONE,
	DOCTOR_DEBUG_OWN,  /* in the file itself */
	DOCTOR_DEBUG_FILE, /* in debug_path */
};

struct doctor_program {
	const char *name; /* as given by the user */
	int code;         /* 0; -ENOENT; -EACCES; -ENOEXEC: not ELF; -EBADMSG: damaged; ... */
	char *path;       /* path to the program if found, or NULL */
	char *script;     /* path to the script; `path` is then its interpreter */
	bool readable;    /* the file can be read; otherwise it cannot be profiled */
	bool changes_ids; /* set-user-id or set-group-id */
	bool is64, is_static, is_pie, has_unwind;
	uint16_t machine; /* EM_* */
	uint8_t build_id[TALLY_BUILD_ID_MAX];
	size_t build_id_size;
	size_t nr_functions, nr_exported; /* functions in .symtab and in .dynsym */
	enum doctor_debug debug;
	char *debug_path;
	char *debug_link;   /* .gnu_debuglink, or NULL */
	int prologues_code; /* result of tally_elf_prologues_scan() */
	struct tally_prologues prologues;
	const char *language;                /* such as "Go" or "Rust"; NULL if unknown */
	const struct tally_runtime *runtime; /* runtime that generates code, or NULL */
};

/* Find the program as execvp(3) does and examine it. `ret_program` is filled in even if the program
 * is not found, and must always be freed. */
void doctor_program_find(const char *name, struct doctor_program *ret_program);
void doctor_program_free(struct doctor_program *program);

#endif
