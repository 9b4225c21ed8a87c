/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables and their types, in this process and from a worker. A worker's replies may be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arith.h"
#include "corpus.h"
#include "dwarf/message.h"
#include "dwarf/variables.h"
#include "dwarf/worker.h"

enum { RDI = 5, RSP = 7, REGISTERS = 16, OFFSETS = 160 };

static int open_corpus(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	*file = ((struct corpus *)arg)->file;
	return 0;
}

static uint64_t text_of(const struct corpus *corpus)
{
	struct tally_elf_section text;

	assert_true(tally_elf_section_by_name(&corpus->image.elf, ".text", &text));
	return text.addr;
}

/*
 * The source of the file "types" in the corpus:
 *
 *	struct inner { int a, b[4]; };
 *	union number { long whole; struct { int low, high; }; };
 *	typedef const struct { short first : 3, second : 9; } pair_t;
 *	struct foo { struct inner in, more[3]; union number number; pair_t *pair; struct foo *next;
 *		     char tail[]; };
 *	long entry(struct foo *foo, long n)
 */
static void types_have_their_members(void **state)
{
	static const struct {
		const char *name;
		uint64_t offset, size, element;
		uint32_t depth;
	} members[] = {
		{"in", 0, 20, 0, 0},     {"a", 0, 4, 0, 1},      {"b", 4, 16, 4, 1},
		{"more", 20, 60, 20, 0}, {"a", 20, 4, 0, 1},     {"b", 24, 16, 4, 1},
		{"number", 80, 8, 0, 0}, {"whole", 80, 8, 0, 1}, {NULL, 80, 8, 0, 1},
		{"low", 80, 4, 0, 2},    {"high", 84, 4, 0, 2},  {"pair", 88, 8, 0, 0},
		{"next", 96, 8, 0, 0},   {"tail", 104, 0, 1, 0},
	};
	struct tally_variable_question question = {0, RDI, 1, {84}};
	struct tally_variable found;
	struct tally_dwarf *dwarf;
	struct corpus corpus;

	(void)state;
	corpus_open(CORPUS "/types", &corpus);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	question.pc = text_of(&corpus);
	assert_int_equal(tally_dwarf_variable(dwarf, &question, &found), 0);
	assert_int_equal(found.result, TALLY_VARIABLE_FOUND);
	assert_string_equal(found.type->name, "struct foo");
	assert_int_equal(found.type->size, 104);
	assert_int_equal(found.offset, 84);
	assert_int_equal(found.type->nr, TALLY_ARRAY_SIZE(members));
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(members); i++) {
		const struct tally_type_member *member = &found.type->members[i];

		assert_int_equal(!member->name, !members[i].name);
		if (member->name)
			assert_string_equal(member->name, members[i].name);
		assert_int_equal(member->offset, members[i].offset);
		assert_int_equal(member->size, members[i].size);
		assert_int_equal(member->element, members[i].element);
		assert_int_equal(member->depth, members[i].depth);
	}
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

static void pointers_are_followed(void **state)
{
	static const struct {
		struct tally_variable_question question;
		enum tally_variable_result result;
		const char *type;
		uint64_t offset;
	} rows[] = {
		/* foo->pair->second; foo->next->pair->second; foo->next->number */
		{{0, RDI, 2, {88, 1}}, TALLY_VARIABLE_FOUND, "pair_t", 1},
		{{0, RDI, 3, {96, 88, 0}}, TALLY_VARIABLE_FOUND, "pair_t", 0},
		{{0, RDI, 2, {96, 84}}, TALLY_VARIABLE_FOUND, "struct foo", 84},
		/* not a pointer; beyond the types */
		{{0, RDI, 2, {84, 0}}, TALLY_VARIABLE_NO_TYPE, NULL, 0},
		{{0, RDI, 2, {88, 2}}, TALLY_VARIABLE_OUTSIDE, NULL, 0},
		{{0, RDI, 1, {104}}, TALLY_VARIABLE_OUTSIDE, NULL, 0},
		{{0, RDI, 1, {-8}}, TALLY_VARIABLE_OUTSIDE, NULL, 0},
		/* the value that the function returns, which is a number */
		{{0, TALLY_VARIABLE_RETURNED, 1, {0}}, TALLY_VARIABLE_NO_TYPE, NULL, 0},
		/* a number; a register without a variable; an address without one */
		{{0, RDI - 1, 1, {0}}, TALLY_VARIABLE_NO_TYPE, NULL, 0},
		{{0, RDI - 2, 1, {0}}, TALLY_VARIABLE_NONE, NULL, 0},
		{{0, TALLY_VARIABLE_ADDRESS, 1, {8}}, TALLY_VARIABLE_NONE, NULL, 0},
	};
	struct tally_variable found;
	struct tally_dwarf *dwarf;
	struct corpus corpus;

	(void)state;
	corpus_open(CORPUS "/types", &corpus);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_variable_question question = rows[i].question;

		question.pc = text_of(&corpus);
		assert_int_equal(tally_dwarf_variable(dwarf, &question, &found), 0);
		assert_int_equal(found.result, rows[i].result);
		if (rows[i].type) {
			assert_string_equal(found.type->name, rows[i].type);
			assert_int_equal(found.offset, rows[i].offset);
		}
	}
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

/* ---- workers --------------------------------------------------------------------- */

static void assert_equal_types(const struct tally_type *a, const struct tally_type *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->nr, b->nr);
	for (uint32_t i = 0; i < a->nr; i++) {
		assert_string_equal(a->members[i].type, b->members[i].type);
		assert_int_equal(a->members[i].offset, b->members[i].offset);
		assert_int_equal(a->members[i].depth, b->members[i].depth);
	}
}

static void a_worker_replies_as_this_process_would(void **state)
{
	const struct tally_dwarf_limits limits = {.seconds = 60, .bytes = 1 << 30};
	static struct tally_variable_question questions[REGISTERS * OFFSETS];
	static struct tally_variable replies[REGISTERS * OFFSETS];
	struct tally_dwarf_worker worker;
	struct tally_arena memory = {0};
	struct tally_lines texts = {0};
	struct tally_variable found;
	struct tally_dwarf *dwarf;
	struct corpus corpus;
	size_t nr = 0, nr_found = 0;

	(void)state;
	corpus_open(CORPUS "/types", &corpus);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	for (int32_t base = 0; base < REGISTERS; base++)
		for (int64_t offset = 0; offset < OFFSETS; offset++)
			questions[nr++] = (struct tally_variable_question){
				text_of(&corpus) + (uint64_t)offset, base, 1, {offset - 48}};
	assert_int_equal(tally_dwarf_worker_start(&worker, &limits, open_corpus, &corpus), 0);
	assert_int_equal(
		tally_dwarf_worker_variables(&worker, questions, nr, &texts, &memory, replies), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(tally_dwarf_variable(dwarf, &questions[i], &found), 0);
		assert_int_equal(found.result, replies[i].result);
		if (found.result != TALLY_VARIABLE_FOUND)
			continue;
		assert_int_equal(found.offset, replies[i].offset);
		assert_equal_types(found.type, replies[i].type);
		nr_found++;
	}
	assert_true(nr_found > 10 && nr_found < nr);
	tally_dwarf_worker_stop(&worker);
	tally_lines_free(&texts);
	tally_arena_free(&memory);
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

/* A reply of a worker that was taken over by a damaged file. */
struct reply {
	struct dwarf_message messages[3];
	size_t nr;
	uint8_t more[64]; /* bytes after the messages */
	size_t nr_more;
};

static void reply_with(int fd, const struct reply *reply)
{
	uint8_t question[256];

	(void)!read(fd, question, sizeof(question));
	(void)!write(fd, reply->messages, reply->nr * sizeof(*reply->messages));
	(void)!write(fd, reply->more, reply->nr_more);
	_exit(0);
}

static int ask_with_reply(const struct reply *reply, struct tally_variable *ret_variable)
{
	const struct tally_variable_question question = {0x1000, RDI, 1, {0}};
	struct tally_dwarf_worker worker = {.left = 60000, .answer_most = 1 << 20};
	struct tally_arena memory = {0};
	struct tally_lines texts = {0};
	int pair[2], ret;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	worker.fd = pair[0];
	worker.pid = fork();
	assert_true(worker.pid >= 0);
	if (!worker.pid)
		reply_with(pair[1], reply);
	close(pair[1]);
	ret = tally_dwarf_worker_variables(&worker, &question, 1, &texts, &memory, ret_variable);
	tally_dwarf_worker_stop(&worker);
	tally_lines_free(&texts);
	tally_arena_free(&memory);
	return ret;
}

enum { TYPE = DWARF_MESSAGE_TYPE, VARIABLE = DWARF_MESSAGE_VARIABLE, END = DWARF_MESSAGE_END };

/* Replies that must be rejected, after one that is correct. */
static const struct reply replies[] = {
	{{{.kind = TYPE, .start = 8}, {.kind = VARIABLE, .start = 1, .end = 4}, {.kind = END}},
	 3,
	 {0},
	 0},
	/* no answer; two answers; unknown result */
	{{{.kind = END}}, 1, {0}, 0},
	{{{.kind = VARIABLE, .nr = 1}, {.kind = VARIABLE, .nr = 1}, {.kind = END}}, 3, {0}, 0},
	{{{.kind = VARIABLE, .nr = TALLY_VARIABLE_RESULTS}, {.kind = END}}, 2, {0}, 0},
	/* a type that was not sent; found without a type; a type without being found */
	{{{.kind = VARIABLE, .start = 1}, {.kind = END}}, 2, {0}, 0},
	{{{.kind = VARIABLE}, {.kind = END}}, 2, {0}, 0},
	{{{.kind = TYPE, .start = 8}, {.kind = VARIABLE, .nr = 2, .start = 1}, {.kind = END}},
	 3,
	 {0},
	 0},
	/* an offset outside the type; a name that was not sent; too large a number of a name */
	{{{.kind = TYPE, .start = 8}, {.kind = VARIABLE, .start = 1, .end = 8}, {.kind = END}},
	 3,
	 {0},
	 0},
	{{{.kind = TYPE, .start = 8, .end = 1}, {.kind = VARIABLE, .start = 1}, {.kind = END}},
	 3,
	 {0},
	 0},
	{{{.kind = TYPE, .start = 8, .end = 1ull << 32},
	  {.kind = VARIABLE, .start = 1},
	  {.kind = END}},
	 3,
	 {0},
	 0},
	/* too many members; a member with a name that was not sent, and one that is too deep */
	{{{.kind = TYPE, .nr = TALLY_TYPE_MEMBERS_MAX + 1, .start = 8}}, 1, {0}, 0},
	{{{.kind = TYPE, .nr = 1, .start = 8}}, 1, {1}, sizeof(struct dwarf_message_member)},
	{{{.kind = TYPE, .nr = 1, .start = 8}},
	 1,
	 {[offsetof(struct dwarf_message_member, depth)] = TALLY_TYPE_DEPTH_MAX},
	 sizeof(struct dwarf_message_member)},
	/* the other kinds of messages */
	{{{.kind = DWARF_MESSAGE_SPAN}, {.kind = VARIABLE, .nr = 1}, {.kind = END}}, 3, {0}, 0},
	{{{.kind = DWARF_MESSAGE_TEXT, .nr = 1, .thread = 99}}, 1, {0}, 1},
	{{{.kind = 99}, {.kind = END}}, 2, {0}, 0},
};

static void wrong_replies_are_rejected(void **state)
{
	struct tally_variable found;

	(void)state;
	assert_int_equal(ask_with_reply(&replies[0], &found), 0);
	assert_int_equal(found.offset, 4);
	for (size_t i = 1; i < TALLY_ARRAY_SIZE(replies); i++)
		assert_int_equal(ask_with_reply(&replies[i], &found), TALLY_DWARF_ERROR_CRASHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_their_members),
		cmocka_unit_test(pointers_are_followed),
		cmocka_unit_test(a_worker_replies_as_this_process_would),
		cmocka_unit_test(wrong_replies_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
