/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print names, lines and inlined functions for addresses in an ELF file, in the format of
 * "llvm-symbolizer --output-style=GNU --addresses --functions=linkage --no-demangle", to compare
 * and measure both programs. Addresses are read from standard input, in hex. No index is used.
 *
 *	lines [--kernel] FILE [SYMFS] <ADDRESSES
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/elf/image.h"
#include "symbols/lines/symbols_lines.h"

struct address {
	uint64_t at;  /* address as given */
	uint64_t dso; /* address in the DSO */
};

static TALLY_VEC(struct address) addresses;

static int by_dso(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	return x->dso < y->dso ? -1 : x->dso > y->dso;
}

/* Look up all addresses in ascending order. */
static void prepare(struct tally_dso *dso)
{
	struct address *sorted = malloc(addresses.len * sizeof(*sorted));
	uint64_t *addrs = malloc(addresses.len * sizeof(*addrs));

	if (sorted && addrs) {
		memcpy(sorted, addresses.data, addresses.len * sizeof(*sorted));
		qsort(sorted, addresses.len, sizeof(*sorted), by_dso);
		for (size_t i = 0; i < addresses.len; i++)
			addrs[i] = sorted[i].dso;
		tally_dso_lines_prepare(dso, addrs, addresses.len);
	}
	free(sorted);
	free(addrs);
}

static void print(struct tally_dso *dso, const struct address *address)
{
	const struct tally_symbol *symbol = tally_dso_find(dso, address->dso);
	const char *name = symbol ? tally_symbol_name(dso, symbol) : "??";
	const struct tally_line *lines;
	size_t nr = tally_dso_lines(dso, address->dso, &lines, NULL);

	printf("0x%" PRIx64 "\n", address->at);
	if (!nr)
		printf("%s\n??:0\n", name);
	for (size_t i = 0; i < nr; i++)
		printf("%s\n%s:%u\n",
		       lines[i].function ? lines[i].function
		       : i + 1 == nr     ? name
					 : "??",
		       lines[i].file ? lines[i].file : "??", lines[i].line);
}

static int read_addresses(const char *symfs, const char *path, bool is_kernel)
{
	struct tally_image image;
	char full[4096];
	uint64_t at;
	int ret;

	snprintf(full, sizeof(full), "%s%s", symfs ? symfs : "", path);
	ret = tally_image_open(full, NULL, &image);

	while (!ret && scanf("%" SCNx64, &at) == 1) {
		struct address address = {at, at};

		if (!is_kernel && !tally_elf_vaddr_to_offset(&image.elf, at, &address.dso))
			address.dso = 0;
		ret = tally_vec_push(&addresses, address);
	}
	if (!ret)
		tally_image_free(&image);
	return ret;
}

int main(int argc, char **argv)
{
	bool is_kernel = argc > 2 && !strcmp(argv[1], "--kernel");
	const char *path = argc > 1 + is_kernel ? argv[1 + is_kernel] : "";
	const char *symfs = argc > 2 + is_kernel ? argv[2 + is_kernel] : NULL;
	struct tally_symbols_options options = {
		.no_demangle = true, .vmlinux = is_kernel ? path : NULL, .symfs = symfs};
	struct tally_dso_key key = {.kind = is_kernel ? TALLY_DSO_KERNEL : TALLY_DSO_USER,
				    .name = path};
	struct tally_symbols *symbols;
	struct tally_dso *dso;
	int ret = read_addresses(symfs, path, is_kernel);

	if (!ret)
		ret = tally_symbols_new(&options, &symbols);
	if (ret)
		return 1;
	ret = tally_dso_get(symbols, &key, &dso);
	if (!ret) {
		prepare(dso);
		tally_vec_for_each (address, &addresses)
			print(dso, address);
		fprintf(stderr, "symbols: %s; lines: %s\n",
			tally_dso_state_text(tally_dso_status(dso).state),
			tally_dso_state_text(tally_dso_lines_state(dso)));
	}
	tally_symbols_free(symbols);
	tally_vec_free(&addresses);
	return ret ? 1 : 0;
}
