/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doctor/doctor_program.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/doctor/doctor_text.h"
#include "view/runtimes.h"
#include "sampler/sampler_program.h"
#include "symbols/elf/image.h"

/* ---- file ---------------------------------------------------------------------- */

/* Find the interpreter after "#!" or, if it is env(1), the program that env(1) runs. Return NULL if
 * the file is not a script. */
static char *interpreter_of(const char *path)
{
	char line[256], *word, *rest = line;
	FILE *file = fopen(path, "re");
	size_t len = file ? fread(line, 1, sizeof(line) - 1, file) : 0;

	if (file)
		fclose(file);
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "#!", 2))
		return NULL;
	rest += 2 + strspn(line + 2, " \t");
	word = strsep(&rest, " \t");
	if (rest && strlen(word) >= 4 && !strcmp(word + strlen(word) - 4, "/env")) {
		/* Skip the options, as in "env -S NAME ARGS". */
		do {
			word = strsep(&rest, " \t");
		} while (rest && (*word == '-' || !*word));
	}
	return tally_program_find(word);
}

/* ---- contents --------------------------------------------------------------------- */

static size_t count_functions(const struct tally_elf *elf, uint32_t type)
{
	size_t len, nr = 0, entry = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct tally_elf_section section;
	const uint8_t *data;
	uint32_t index;

	if (!tally_elf_section_by_type(elf, type, &section, &index))
		return 0;
	data = tally_elf_section_data(elf, &section, &len);
	for (size_t at = 0; at + entry <= len; at += entry) {
		struct tally_elf_sym sym;

		nr += tally_elf_symbol(elf, data + at, &sym) && ELF64_ST_TYPE(sym.info) == STT_FUNC;
	}
	return nr;
}

static bool has_segment(const struct tally_elf *elf, uint32_t type)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type == type)
			return true;
	}
	return false;
}

static bool has_section(const struct tally_elf *elf, const char *name)
{
	struct tally_elf_section section;

	return tally_elf_section_by_name(elf, name, &section) && section.type != SHT_NOBITS;
}

static const char *language_of(const struct tally_elf *elf)
{
	struct tally_elf_section comment;
	const uint8_t *data;
	size_t len;

	if (has_section(elf, ".go.buildinfo") || has_section(elf, ".gopclntab"))
		return "Go";
	if (!tally_elf_section_by_name(elf, ".comment", &comment))
		return NULL;
	data = tally_elf_section_data(elf, &comment, &len);
	return data && doctor_text_has((const char *)data, len, "rustc version") ? "Rust" : NULL;
}

/* ---- debug information ------------------------------------------------------------- */

static bool debug_try(struct doctor_program *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool debug_try(struct doctor_program *program, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	/* The debug link may name the program itself. */
	if (access(path, R_OK) || !strcmp(path, program->path))
		return false;
	program->debug = DOCTOR_DEBUG_FILE;
	program->debug_path = strdup(path);
	return true;
}

static bool debug_by_id(struct doctor_program *program)
{
	struct tally_str hex = {0};
	bool found;

	if (program->build_id_size < 2)
		return false;
	tally_str_add_hex_bytes(&hex, program->build_id + 1, program->build_id_size - 1);
	found = debug_try(program, "/usr/lib/debug/.build-id/%02x/%s.debug", program->build_id[0],
			  tally_str_text(&hex));
	tally_str_free(&hex);
	return found;
}

static void debug_by_link(struct doctor_program *program)
{
	const char *link = program->debug_link;
	int dir = (int)(strrchr(program->path, '/') - program->path);

	if (!link || strchr(link, '/'))
		return;
	if (!debug_try(program, "%.*s/%s", dir, program->path, link) &&
	    !debug_try(program, "%.*s/.debug/%s", dir, program->path, link))
		debug_try(program, "/usr/lib/debug%.*s/%s", dir, program->path, link);
}

static void debug_find(const struct tally_elf *elf, struct doctor_program *program)
{
	const char *link;
	uint32_t crc;

	if (!tally_elf_debuglink(elf, &link, &crc))
		program->debug_link = strdup(link);
	if (has_section(elf, ".debug_info") || has_section(elf, ".zdebug_info"))
		program->debug = DOCTOR_DEBUG_OWN;
	else if (!debug_by_id(program))
		debug_by_link(program);
}

/* ---- program --------------------------------------------------------------------------- */

static void elf_examine(const struct tally_image *image, struct doctor_program *program)
{
	const struct tally_elf *elf = &image->elf;

	program->is64 = elf->is64;
	program->machine = elf->machine;
	program->is_static = !has_segment(elf, PT_INTERP);
	program->is_pie = elf->type == ET_DYN;
	program->has_unwind = has_section(elf, ".eh_frame") || has_section(elf, ".debug_frame");
	program->nr_functions = count_functions(elf, SHT_SYMTAB);
	program->nr_exported = count_functions(elf, SHT_DYNSYM);
	program->build_id_size = image->build_id.size;
	memcpy(program->build_id, image->build_id.id, sizeof(program->build_id));
	program->language = language_of(elf);
	program->prologues_code = tally_elf_prologues_scan(elf, &program->prologues);
	debug_find(elf, program);
}

static int program_examine(struct doctor_program *program)
{
	struct tally_image image = {0};
	struct stat st;
	int ret;

	program->readable = !access(program->path, R_OK);
	program->changes_ids = !stat(program->path, &st) && st.st_mode & (S_ISUID | S_ISGID);
	program->runtime = tally_runtime_of(program->path);
	ret = tally_image_open(program->path, NULL, &image);
	if (!ret)
		elf_examine(&image, program);
	tally_image_free(&image);
	return ret;
}

void doctor_program_find(const char *name, struct doctor_program *ret_program)
{
	struct doctor_program program = {.name = name, .path = tally_program_find(name)};
	char *interpreter = program.path ? interpreter_of(program.path) : NULL;

	if (interpreter) {
		program.script = program.path;
		program.path = interpreter;
	}
	program.code = program.path ? program_examine(&program) : -ENOENT;
	*ret_program = program;
}

void doctor_program_free(struct doctor_program *program)
{
	free(program->path);
	free(program->script);
	free(program->debug_path);
	free(program->debug_link);
}
