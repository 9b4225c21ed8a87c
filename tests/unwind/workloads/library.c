/* SPDX-License-Identifier: BSD-2-Clause */
/* C library functions that call a callback, that have no frame, or that are written in assembly. */
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

static int compare(const void *left, const void *right)
{
	const unsigned *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void visit(const void *node, VISIT which, int depth)
{
	sink += (unsigned)depth + (unsigned)which;
}

__attribute__((noinline)) static void sort(unsigned n)
{
	unsigned all[500], key = n % 977;
	void *root = NULL;

	for (unsigned i = 0; i < 500; i++)
		all[i] = (i * 7919 + n) % 977;
	for (unsigned i = 0; i < 100; i++)
		tsearch(&all[i], &root, compare);
	twalk(root, visit);
	for (unsigned i = 0; i < 100; i++)
		tdelete(&all[i], &root, compare);
	qsort(all, 500, sizeof(*all), compare);
	sink += !!bsearch(&key, all, 500, sizeof(*all), compare);
}

__attribute__((noinline)) static void texts(unsigned n)
{
	static char from[5000], to[5000];
	regex_t regex;
	char line[200];

	snprintf(line, sizeof(line), "%u %s %f %g", n, "text", n / 3.0, n * 1e9);
	memset(from, 'x', sizeof(from) - 1);
	for (int i = 0; i < 20; i++) {
		memcpy(to, from, sizeof(to));
		sink += (unsigned)strlen(to) + (unsigned)(strstr(to, "xy") != NULL);
		memmove(to + 1, to, 3000);
		sink += (unsigned)memcmp(to, from, 4000) + (strchr(to, 'z') != NULL);
	}
	if (!regcomp(&regex, "[0-9]+ (te|xt)+ [^ ]*\\.[0-9]*", REG_EXTENDED)) {
		sink += (unsigned)regexec(&regex, line, 0, NULL, 0);
		regfree(&regex);
	}
	sink += (unsigned)strtod("3.14159e10", NULL);
}

__attribute__((noinline)) static void heap(unsigned n)
{
	void *all[64];

	for (unsigned i = 0; i < 64; i++)
		all[i] = malloc(i * 37 % 3000 + n % 64 + 1);
	for (unsigned i = 0; i < 64; i++)
		all[i] = realloc(all[i], i * 91 % 5000 + 1);
	for (unsigned i = 0; i < 64; i++)
		free(all[i]);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 5000;

	for (unsigned i = 0; i < rounds; i++) {
		sort(i);
		texts(i);
		heap(i);
	}
	return 0;
}
