/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jit_image.h"
#include "test_names.h"
#include "symbols/lines/symbols_lines.h"
#include "symbols/jit/jit_code.h"
#include "symbols/jit/perfmap.h"
#include "temporary.h"

static const char *name_of(struct tally_jit *jit, uint64_t addr)
{
	const struct tally_jit_code *code = tally_jit_find(jit, addr, TALLY_JIT_ALWAYS);

	return code ? code->symbol->name_text : NULL;
}

static void parse(const char *text, struct tally_jit *jit, struct tally_error *err)
{
	size_t used;

	assert_int_equal(tally_perfmap_parse(text, strlen(text), true, jit, &used, err), 0);
	assert_int_equal(used, strlen(text));
	assert_int_equal(tally_jit_finish(jit), 0);
}

static void parses_lines_of_perf_maps(void **state)
{
	static const char text[] = "1000 10 Lfoo;::bar (int)\n"
				   "bad\n"
				   "0x2000 0x20 with hex prefix\n"
				   "3000 10\n"
				   "ffffffffffffffff 2 wraps\n"
				   "zz 10 name\n"
				   "4000 0 point\n"
				   "5000 8 no newline at the end";
	struct tally_jit jit = {0};
	struct tally_error err = {0};

	parse(text, &jit, &err);
	assert_int_equal(jit.nr_skipped, 4);
	assert_int_equal(err.offset, 25);
	assert_int_equal(jit.codes.len, 4);
	assert_string_equal(name_of(&jit, 0x100f), "Lfoo;::bar (int)");
	assert_null(name_of(&jit, 0x1010));
	assert_string_equal(name_of(&jit, 0x2000), "with hex prefix");
	assert_string_equal(name_of(&jit, 0x4000), "point");
	assert_null(name_of(&jit, 0x4001));
	assert_string_equal(name_of(&jit, 0x5007), "no newline at the end");
	tally_jit_free(&jit);
}

/* Names from .NET and Node are kept whole, no matter what characters they contain. */
static void keeps_all_characters_of_names(void **state)
{
	static const char *const names[] = {
		"int32 [cpu-using] calc.Program+<>c::<Sum>b__2_0(int32,int32)[OptimizedTier1]",
		"instance !0 [System.Linq] System.Linq.Enumerable+Iterator`1[System.Int32]::get()",
		"JS:*alpha /srv/app.js:1:15",
		"JS:~ node:internal/bootstrap/realm:1:1",
		"py::fib:/srv/fib.py",
	};
	char text[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tally_jit jit = {0};

		snprintf(text, sizeof(text), "7f0000001000 40 %s\n", names[i]);
		parse(text, &jit, NULL);
		assert_string_equal(name_of(&jit, 0x7f0000001020), names[i]);
		tally_jit_free(&jit);
	}
}

/* The last entry for an address takes precedence. */
static void the_last_entry_of_an_address_is_valid(void **state)
{
	struct tally_jit jit = {0};

	parse("1000 100 old\n1000 100 new\n1040 10 inner\n2000 10 a\n2008 10 b\n", &jit, NULL);
	assert_string_equal(name_of(&jit, 0x1000), "new");
	assert_string_equal(name_of(&jit, 0x1048), "inner");
	assert_string_equal(name_of(&jit, 0x1050), "new");
	assert_string_equal(name_of(&jit, 0x2007), "a");
	assert_string_equal(name_of(&jit, 0x2008), "b");
	tally_jit_free(&jit);
}

/* The last line of a file that is still being written may be incomplete. */
static void leaves_an_incomplete_last_line(void **state)
{
	static const char text[] = "1000 10 one\n2000 10 tw";
	struct tally_jit jit = {0};
	size_t used = 99;

	assert_int_equal(tally_perfmap_parse(text, sizeof(text) - 1, false, &jit, &used, NULL), 0);
	assert_int_equal(used, 12);
	assert_int_equal(jit.codes.len, 1);
	assert_int_equal(tally_perfmap_parse(text + used, 10, false, &jit, &used, NULL), 0);
	assert_int_equal(used, 0);
	tally_jit_free(&jit);
}

/* ---- growing files --------------------------------------------------------------- */

struct program {
	char dir[32], path[128];
	struct tally_symbols *symbols;
	struct tally_dso *dso;
};

/* Set up a map file for this running process in a separate symfs. */
static int program_setup(void **state)
{
	struct program *program = calloc(1, sizeof(*program));
	struct tally_symbols_options options = {.symfs = program->dir};
	struct tally_dso_key key = {TALLY_DSO_PERF_MAP, "//anon", .pid = getpid()};
	char path[64];

	strcpy(program->dir, "/tmp/tally-jit-XXXXXX");
	assert_non_null(mkdtemp(program->dir));
	snprintf(path, sizeof(path), "%s/tmp", program->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(program->path, sizeof(program->path), "%s/perf-%d.map", path, (int)getpid());
	assert_int_equal(tally_symbols_new(&options, &program->symbols), 0);
	assert_int_equal(tally_dso_get(program->symbols, &key, &program->dso), 0);
	*state = program;
	return 0;
}

static int program_teardown(void **state)
{
	struct program *program = *state;

	tally_symbols_free(program->symbols);
	temporary_remove(program->dir);
	free(program);
	return 0;
}

static void write_as(const struct program *program, const char *mode, const char *text)
{
	FILE *file = fopen(program->path, mode);

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Read the file again. Returns true if it has new entries. */
static bool reread(struct program *program)
{
	uint64_t before = tally_symbols_generation(program->symbols);

	tally_symbols_jit_refresh(program->symbols);
	return tally_symbols_generation(program->symbols) != before;
}

/* Read the file repeatedly until it has new entries. After a slow read, as on a busy machine, the
 * next calls do nothing. */
static bool reread_until_new(struct program *program)
{
	for (int tries = 0; tries < 300000; tries++) {
		if (reread(program))
			return true;
		usleep(1000);
	}
	return false;
}

static void a_map_grows(void **state)
{
	struct program *program = *state;
	const struct tally_symbol *first;

	write_as(program, "w", "1000 10 one\n2000 10 tw");
	first = tally_dso_find(program->dso, 0x1000);
	assert_non_null(first);
	assert_null(dso_name_at(program->dso, 0x2000));
	assert_false(reread(program));
	write_as(program, "a", "o\n1008 8 over\n");
	assert_true(reread_until_new(program));
	assert_string_equal(dso_name_at(program->dso, 0x2000), "two");
	assert_string_equal(dso_name_at(program->dso, 0x1008), "over");
	/* Pointers to symbols stay valid. */
	assert_ptr_equal(tally_dso_find(program->dso, 0x1000), first);
	assert_int_equal(tally_dso_status(program->dso).nr_symbols, 3);
	assert_false(reread(program));
}

/* The file appears after the first lookup, as when an agent is loaded late. */
static void a_map_appears(void **state)
{
	struct program *program = *state;

	assert_null(dso_name_at(program->dso, 0x1000));
	assert_int_equal(tally_dso_status(program->dso).state, TALLY_DSO_MISSING);
	write_as(program, "w", "");
	assert_false(reread(program));
	write_as(program, "a", "1000 10 one\n");
	assert_true(reread_until_new(program));
	assert_string_equal(dso_name_at(program->dso, 0x1000), "one");
	assert_int_equal(tally_dso_status(program->dso).state, TALLY_DSO_LOADED);
}

/* After an exec, the program starts a new map, either in the same file or in a new one. */
static void a_map_is_replaced(void **state)
{
	struct program *program = *state;

	write_as(program, "w", "1000 10 one\n");
	assert_string_equal(dso_name_at(program->dso, 0x1000), "one");
	write_as(program, "w", "3000 10 longer than what was there before\n");
	assert_true(reread_until_new(program));
	assert_null(dso_name_at(program->dso, 0x1000));
	assert_non_null(dso_name_at(program->dso, 0x3000));
	assert_int_equal(remove(program->path), 0);
	/* Known names are kept. */
	assert_false(reread(program));
	assert_non_null(dso_name_at(program->dso, 0x3000));
	write_as(program, "w", "4000 10 another\n");
	assert_true(reread_until_new(program));
	assert_null(dso_name_at(program->dso, 0x3000));
	assert_string_equal(dso_name_at(program->dso, 0x4000), "another");
}

/* The last names are found after the program has exited. Names added later are ignored, because
 * another process may have the pid. */
static void a_program_ends(void **state)
{
	struct program *program = *state;
	struct tally_dso_key key = {TALLY_DSO_PERF_MAP, "//anon"};
	int fds[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[1]);
		_exit(read(fds[0], &byte, 1) != 0);
	}
	close(fds[0]);
	key.pid = pid;
	assert_int_equal(tally_dso_get(program->symbols, &key, &program->dso), 0);
	snprintf(program->path, sizeof(program->path), "%s/tmp/perf-%d.map", program->dir,
		 (int)pid);
	write_as(program, "w", "1000 10 one\n");
	assert_string_equal(dso_name_at(program->dso, 0x1000), "one");
	write_as(program, "a", "2000 10 last");
	assert_false(reread(program));
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The line has no newline, as if the program was killed while writing. */
	assert_true(reread_until_new(program));
	assert_string_equal(dso_name_at(program->dso, 0x2000), "last");
	write_as(program, "a", "\n3000 10 of nobody\n");
	assert_false(reread(program));
}

/* ---- jitdump files ----------------------------------------------------------------- */

static void write_dump(const struct program *program, uint32_t named, uint32_t pid, size_t nr)
{
	static const struct jit_image_line line = {0x1008, 42, "app.js"};
	struct jit_image image = jit_image_begin(pid, false);
	char path[160];
	FILE *file;

	jit_image_lines(&image, 90, 0x1000, &line, 1);
	for (size_t i = 0; i < nr; i++)
		jit_image_load(&image, 100 * (i + 1), 0x1000, 0x10, i, i ? "later" : "first");
	snprintf(path, sizeof(path), "%s/jit-%u.dump", program->dir, named);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, image.len, file), image.len);
	fclose(file);
	jit_image_free(&image);
}

static struct tally_dso *dump_get(struct program *program, const char *name)
{
	struct tally_dso_key key = {TALLY_DSO_JITDUMP, name, .pid = getpid()};
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(program->symbols, &key, &dso), 0);
	return dso;
}

static const char *name_when(struct tally_dso *dso, uint64_t addr, uint64_t time)
{
	uint64_t place;

	return tally_dso_jit_offset(dso, addr, time, &place) ? dso_name_at(dso, place) : NULL;
}

static void a_dump_grows(void **state)
{
	struct program *program = *state;
	struct tally_dso *dso;
	char name[32];

	snprintf(name, sizeof(name), "/jit-%d.dump", (int)getpid());
	dso = dump_get(program, name);
	write_dump(program, (uint32_t)getpid(), (uint32_t)getpid(), 1);
	assert_string_equal(name_when(dso, 0x1000, TALLY_TIME_UNKNOWN), "first");
	write_dump(program, (uint32_t)getpid(), (uint32_t)getpid(), 2);
	assert_true(reread_until_new(program));
	assert_string_equal(name_when(dso, 0x1000, 150), "first");
	assert_string_equal(name_when(dso, 0x1000, 200), "later");
	assert_null(name_when(dso, 0x1000, 99));
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_JITDUMP);
}

/* Lines in a dump are looked up like lines in debug information. */
static void finds_lines_of_a_jitdump(void **state)
{
	struct program *program = *state;
	const struct tally_line *line;
	struct tally_span span;
	struct tally_dso *dso;
	uint64_t place;
	char name[32];

	snprintf(name, sizeof(name), "/jit-%d.dump", (int)getpid());
	dso = dump_get(program, name);
	write_dump(program, (uint32_t)getpid(), (uint32_t)getpid(), 2);
	assert_true(tally_dso_has_lines(dso));
	assert_true(tally_dso_jit_offset(dso, 0x100a, 100, &place));
	tally_dso_lines_prepare(dso, &place, 1);
	assert_int_equal(tally_dso_lines(dso, place, &line, &span), 1);
	assert_null(line->function);
	assert_string_equal(line->file, "app.js");
	assert_int_equal(line->line, 42);
	assert_int_equal(span.start, place - 2);
	assert_int_equal(span.end, place + 6);
	assert_int_equal(tally_dso_lines(dso, span.start - 1, &line, NULL), 0);
	/* The later function has no lines. */
	assert_true(tally_dso_jit_offset(dso, 0x100a, 200, &place));
	assert_int_equal(tally_dso_lines(dso, place, &line, NULL), 0);
	assert_int_equal(tally_dso_lines_state(dso), TALLY_DSO_LOADED);
}

/* The name and the header of a dump contain the pid of the process. */
static void rejects_a_jitdump_of_another_process(void **state)
{
	struct program *program = *state;
	char own[32], other[32];

	snprintf(own, sizeof(own), "/jit-%d.dump", (int)getpid());
	snprintf(other, sizeof(other), "/jit-%d.dump", (int)getpid() + 1);
	write_dump(program, (uint32_t)getpid(), (uint32_t)getpid() + 1, 1);
	assert_null(name_when(dump_get(program, own), 0x1000, 100));
	assert_int_equal(tally_dso_status(dump_get(program, own)).state, TALLY_DSO_BROKEN);
	write_dump(program, (uint32_t)getpid() + 1, (uint32_t)getpid() + 1, 1);
	assert_null(name_when(dump_get(program, other), 0x1000, 100));
}

static void recognizes_names_of_jitdumps(void **state)
{
	static const struct {
		const char *path;
		int pid; /* 0 if not a jitdump */
	} rows[] = {
		{"/tmp/jit-12.dump", 12},    {"jit-1.dump", 1},
		{"/jit-12.dump.gz", 0},      {"/tmp/jit-.dump", 0},
		{"/tmp/jit--3.dump", 0},     {"/tmp/jit-0.dump", 0},
		{"/tmp/jit-x.dump", 0},      {"/tmp/xjit-3.dump", 0},
		{"/jit-12.dump/a", 0},       {"/jit-99999999999999999999.dump", 0},
		{"/jit-4294967296.dump", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int pid = 0;

		assert_int_equal(tally_jitdump_pid(rows[i].path, &pid), rows[i].pid != 0);
		assert_int_equal(pid, rows[i].pid);
	}
}

#define PROGRAM_TEST(f) cmocka_unit_test_setup_teardown(f, program_setup, program_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_lines_of_perf_maps),
		cmocka_unit_test(keeps_all_characters_of_names),
		cmocka_unit_test(the_last_entry_of_an_address_is_valid),
		cmocka_unit_test(leaves_an_incomplete_last_line),
		PROGRAM_TEST(a_map_grows),
		PROGRAM_TEST(a_map_appears),
		PROGRAM_TEST(a_map_is_replaced),
		PROGRAM_TEST(a_program_ends),
		PROGRAM_TEST(a_dump_grows),
		PROGRAM_TEST(finds_lines_of_a_jitdump),
		PROGRAM_TEST(rejects_a_jitdump_of_another_process),
		cmocka_unit_test(recognizes_names_of_jitdumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
