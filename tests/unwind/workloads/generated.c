/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that is generated at run time and calls a function in this program. The code has frame
 * pointers, like code from JIT compilers that support profilers, unless the second argument is
 * "bare". Writes a map for profilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned sink;

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
	for (unsigned i = 0; i < 3000; i++)
		sink += i ^ n;
	return n + 1;
}

/* push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov $target,%rax; call *%rax; leave; ret */
static const unsigned char framed[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20,
				       0x48, 0xb8, 0,    0,    0,    0,    0,    0,
				       0,    0,    0xff, 0xd0, 0xc9, 0xc3};
/* sub $40,%rsp; mov $target,%rax; call *%rax; add $40,%rsp; ret */
static const unsigned char bare[] = {0x48, 0x83, 0xec, 0x28, 0x48, 0xb8, 0,    0,    0,    0,   0,
				     0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 0x28, 0xc3};

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 30000, sum = 0;
	int is_bare = argc > 2;
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned (*inner)(unsigned) = leaf, (*outer)(unsigned);
	char name[64];
	FILE *map;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	if (code == MAP_FAILED || !map)
		return 1;
	/* Three functions, each calling the previous one. */
	for (int i = 0; i < 3; i++) {
		unsigned char *at = code + 64 * i;

		memcpy(at, is_bare ? bare : framed, is_bare ? sizeof(bare) : sizeof(framed));
		memcpy(at + (is_bare ? 6 : 10), &inner, 8);
		memcpy(&inner, &at, 8);
		fprintf(map, "%lx 40 generated_%d\n", (unsigned long)at, i);
	}
	fclose(map);
	outer = inner;
	for (unsigned i = 0; i < rounds; i++)
		sum += outer(i);
	return sum == 42;
}
