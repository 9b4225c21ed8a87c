/* SPDX-License-Identifier: BSD-2-Clause */
/* Classify code bytes: which addresses can be return addresses, and whether execution continues
 * past the last instruction. The bytes are taken from objdump(1) output. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "symbols/code.h"

#include <cmocka.h>

struct row {
	const char *what;
	uint16_t machine;
	const char *before, *behind; /* bytes before and after the address, in hex */
	bool is_return;
};

static const struct row x86_calls[] = {
	{"call rel32", EM_X86_64, "e8 10 20 30 40", "", true},
	{"call rel32, backwards", EM_X86_64, "90 e8 00 ff ff ff", "c3", true},
	{"call rel32 of a position-independent program of TLS", EM_X86_64,
	 "66 66 48 e8 00 00 00 00", "", true},
	{"call *%rax", EM_X86_64, "ff d0", "", true},
	{"call *%r15", EM_X86_64, "41 ff d7", "", true},
	{"notrack call *%rax", EM_X86_64, "3e ff d0", "", true},
	{"bnd call *%rcx", EM_X86_64, "f2 ff d1", "", true},
	{"call *%rsp", EM_X86_64, "ff d4", "", true},
	{"call *(%rax)", EM_X86_64, "ff 10", "", true},
	{"call *(%r11)", EM_X86_64, "41 ff 13", "", true},
	{"call *(%rsp)", EM_X86_64, "ff 14 24", "", true},
	{"call *(%r12,%rbx,8)", EM_X86_64, "41 ff 14 dc", "", true},
	{"call *0x8(%rax)", EM_X86_64, "ff 50 08", "", true},
	{"call *-0x8(%rbp)", EM_X86_64, "ff 55 f8", "", true},
	{"call *0x8(%rsp)", EM_X86_64, "ff 54 24 08", "", true},
	{"call *0x10(%r15,%r14,8)", EM_X86_64, "43 ff 54 f7 10", "", true},
	{"call *0x1000(%rip)", EM_X86_64, "ff 15 00 10 00 00", "", true},
	{"call *0x108(%rax)", EM_X86_64, "ff 90 08 01 00 00", "", true},
	{"call *0x108(%rsp)", EM_X86_64, "ff 94 24 08 01 00 00", "", true},
	{"call *0x404040(,%rax,8)", EM_X86_64, "ff 14 c5 40 40 40 00", "", true},
	{"call *%gs:0x10", EM_386, "65 ff 15 10 00 00 00", "", true},
	{"call *%eax", EM_386, "ff d0", "", true},
	{"call rel32", EM_386, "e8 00 00 00 00", "", true},
	{"a call that does not return ends a function", EM_X86_64, "e8 00 00 00 00", "55 48 89 e5",
	 true},
	{"a call, and one byte", EM_X86_64, "e8 00 00 00 00 90", "", false},
	{"a call, all but one byte of it", EM_X86_64, "e8 00 00 00", "00", false},
	{"call *%rax, and one byte", EM_X86_64, "ff d0 90", "", false},
	{"call *0x8(%rax) without its last byte", EM_X86_64, "ff 50", "08", false},
	{"call *(%rsp) without its last byte", EM_X86_64, "ff 14", "24", false},
	{"jmp *%rax", EM_X86_64, "ff e0", "", false},
	{"jmp rel32", EM_X86_64, "e9 10 20 30 40", "", false},
	{"jmp *0x1000(%rip)", EM_X86_64, "ff 25 00 10 00 00", "", false},
	{"push 0x8(%rax)", EM_X86_64, "ff 70 08", "", false},
	{"lcall *(%rax)", EM_X86_64, "ff 18", "", false},
	{"inc %eax", EM_X86_64, "ff c0", "", false},
	{"a function's start", EM_X86_64, "c3 66 90", "55 48 89 e5", false},
	{"the middle of one", EM_X86_64, "48 89 e5 53 48 83 ec 08", "48 89 fb", false},
	{"the file's start", EM_X86_64, "", "e8 00 00 00 00", false},
};

static const struct row arm64_calls[] = {
	{"bl", EM_AARCH64, "9d ff ff 97", "", true},
	{"bl, forwards", EM_AARCH64, "02 00 00 94", "", true},
	{"blr x8", EM_AARCH64, "00 01 3f d6", "", true},
	{"blr x30", EM_AARCH64, "c0 03 3f d6", "", true},
	{"blraa x8, x9", EM_AARCH64, "09 09 3f d7", "", true},
	{"blrab x8, sp", EM_AARCH64, "1f 0d 3f d7", "", true},
	{"blraaz x8", EM_AARCH64, "1f 09 3f d6", "", true},
	{"blrabz x8", EM_AARCH64, "1f 0d 3f d6", "", true},
	{"b", EM_AARCH64, "02 00 00 14", "", false},
	{"br x8", EM_AARCH64, "00 01 1f d6", "", false},
	{"ret", EM_AARCH64, "c0 03 5f d6", "", false},
	{"nop", EM_AARCH64, "1f 20 03 d5", "", false},
	{"bl, one instruction before", EM_AARCH64, "02 00 00 94 1f 20 03 d5", "", false},
	{"bl, not aligned", EM_AARCH64, "02 00 00 94 1f", "20 03 d5", false},
	{"x86's call", EM_AARCH64, "e8 10 20 30 40", "", false},
	{"the file's start", EM_AARCH64, "", "02 00 00 94", false},
};

static const struct row landings[] = {
	{"rt_sigreturn of glibc and musl", EM_X86_64, "0f 1f 40 00", "48 c7 c0 0f 00 00 00 0f 05",
	 true},
	{"rt_sigreturn in five bytes", EM_X86_64, "90", "b8 0f 00 00 00 0f 05", true},
	{"another system call", EM_X86_64, "90", "b8 0e 00 00 00 0f 05", false},
	{"the number, and no system call", EM_X86_64, "90", "b8 0f 00 00 00 eb 05", false},
	{"rt_sigreturn that the file ends in", EM_X86_64, "90", "b8 0f 00 00 00 0f", false},
	{"__kernel_sigreturn", EM_386, "90", "58 b8 77 00 00 00 cd 80", true},
	{"__kernel_rt_sigreturn", EM_386, "90", "b8 ad 00 00 00 cd 80", true},
	{"i386's in a program of 64 bits", EM_X86_64, "90", "b8 ad 00 00 00 cd 80", false},
	{"__kernel_rt_sigreturn", EM_AARCH64, "1f 20 03 d5", "68 11 80 d2 01 00 00 d4", true},
	{"another system call", EM_AARCH64, "1f 20 03 d5", "48 11 80 d2 01 00 00 d4", false},
	{"glibc's __start_context", EM_X86_64, "f4 66 90", "48 89 dc 48 8b 3c 24 48 85 ff", true},
	{"runtime.goexit+1", EM_X86_64, "cc cc 90", "e8 11 22 33 44 90 cc", true},
	{"runtime.goexit", EM_X86_64, "cc cc", "90 e8 11 22 33 44 90", false},
	{"runtime.goexit+4", EM_AARCH64, "e0 03 00 aa", "12 34 56 96", true},
	{"mov x0,x0, b", EM_AARCH64, "e0 03 00 aa", "12 34 56 16", false},
	{"nop, bl", EM_AARCH64, "1f 20 03 d5", "12 34 56 96", false},
};

static const struct row others[] = {
	{"whatever of arm", EM_ARM, "00 00 00 00", "", true},
	{"whatever of riscv", EM_RISCV, "", "", true},
};

static const struct {
	const char *what;
	uint16_t machine;
	const char *code; /* in hex */
	bool runs_on;
} ends[] = {
	{"nothing", EM_X86_64, "", false},
	{"ret", EM_X86_64, "55 c3", false},
	{"iretq", EM_X86_64, "48 cf", false},
	{"syscall", EM_X86_64, "0f 05", false},
	{"sysexit", EM_X86_64, "0f 35", false},
	{"int 0x80", EM_386, "cd 80", false},
	{"ret $0x8", EM_X86_64, "c2 08 00", false},
	{"jmp rel32", EM_X86_64, "e9 10 20 30 40", false},
	{"jmp rel8", EM_X86_64, "eb 10", false},
	{"jmp *%rax", EM_X86_64, "ff e0", false},
	{"jmp *0x8(%rsp)", EM_X86_64, "ff 64 24 08", false},
	{"jmp *0x404040(,%rax,8)", EM_X86_64, "ff 24 c5 40 40 40 01", false},
	{"call *0x1000(%rip)", EM_X86_64, "ff 15 00 10 00 01", false},
	{"push %rbx", EM_X86_64, "53", true},
	{"push 0x8(%rax)", EM_X86_64, "ff 70 08", true},
	{"inc %eax", EM_X86_64, "ff c0", true},
	{"mov $-1,%rax", EM_X86_64, "48 c7 c0 ff ff ff ff", true},
	{"cmp $0xffffffffffffff15,%rax", EM_X86_64, "48 3d 15 ff ff ff", true},
	{"ret", EM_AARCH64, "c0 03 5f d6", false},
	{"braa x0, x1", EM_AARCH64, "01 08 1f d7", false},
	{"b", EM_AARCH64, "12 34 56 16", false},
	{"brk #1", EM_AARCH64, "20 00 20 d4", false},
	{"nop", EM_AARCH64, "1f 20 03 d5", false},
	{"mov x0,x0", EM_AARCH64, "e0 03 00 aa", true},
	{"half of that", EM_AARCH64, "e0 03", false},
	{"b.ne", EM_AARCH64, "41 00 00 54", true},
	{"whatever of arm", EM_ARM, "00 00 a0 e1", false},
};

static size_t hex_read(const char *text, uint8_t *bytes)
{
	size_t len = 0;
	unsigned byte;

	for (int used; sscanf(text, "%x%n", &byte, &used) == 1; text += used)
		bytes[len++] = (uint8_t)byte;
	return len;
}

static void row_check(const struct row *row)
{
	uint8_t bytes[64];
	size_t at = hex_read(row->before, bytes), len = at + hex_read(row->behind, bytes + at);
	bool is_return;

	/* Allocate exactly this size, so that ASan reports out-of-bounds accesses. */
	uint8_t *exact = len ? memcpy(test_malloc(len), bytes, len) : NULL;

	is_return = tally_code_is_return_address(row->machine, exact, len, at);
	test_free(exact);
	if (is_return != row->is_return)
		fail_msg("%s (machine %u): %d", row->what, row->machine, is_return);
}

#define CHECK_ROWS(rows)                                              \
	for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) \
	row_check(&(rows)[i])

static void calls_of_x86(void **state)
{
	CHECK_ROWS(x86_calls);
}

static void calls_of_arm64(void **state)
{
	CHECK_ROWS(arm64_calls);
}

static void recognizes_entry_points_and_signal_trampolines(void **state)
{
	CHECK_ROWS(landings);
}

static void accepts_all_addresses_of_other_machines(void **state)
{
	CHECK_ROWS(others);
	assert_true(tally_code_is_known(EM_X86_64));
	assert_true(tally_code_is_known(EM_386));
	assert_true(tally_code_is_known(EM_AARCH64));
	assert_false(tally_code_is_known(EM_ARM));
}

static void rejects_addresses_after_the_end(void **state)
{
	static const uint8_t code[] = {0xe8, 0, 0, 0, 0};

	assert_true(tally_code_is_return_address(EM_X86_64, code, 5, 5));
	assert_false(tally_code_is_return_address(EM_X86_64, code, 5, 6));
	assert_false(tally_code_is_return_address(EM_X86_64, code, 5, UINT64_MAX));
	assert_false(tally_code_is_return_address(EM_AARCH64, code, 5, UINT64_MAX - 1));
}

static void detects_code_that_ends_a_function(void **state)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		uint8_t bytes[64];
		size_t len = hex_read(ends[i].code, bytes);
		uint8_t *exact = memcpy(test_malloc(len + 1), bytes, len);
		bool runs_on = tally_code_falls_through(ends[i].machine, exact, len);

		test_free(exact);
		if (runs_on != ends[i].runs_on)
			fail_msg("%s (machine %u): %d", ends[i].what, ends[i].machine, runs_on);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_x86),
		cmocka_unit_test(calls_of_arm64),
		cmocka_unit_test(recognizes_entry_points_and_signal_trampolines),
		cmocka_unit_test(accepts_all_addresses_of_other_machines),
		cmocka_unit_test(rejects_addresses_after_the_end),
		cmocka_unit_test(detects_code_that_ends_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
