/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for /proc/kallsyms: lines of "address type name[\t[module]]". */
#ifndef TALLY_SYMBOLS_KALLSYMS_H
#define TALLY_SYMBOLS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbols/symbols_table.h"

/* Parse `len` bytes of kallsyms and finish `table`, which must be empty. `module` selects symbols:
 * NULL selects those of the core kernel, and "ext4" selects those tagged [ext4]. Symbols that are
 * neither text nor data are skipped. Names are copied. Returns 0; -EINVAL with `err` filled in if a
 * line is malformed; -EPERM if all addresses are 0 (kptr_restrict); or -ENOMEM. */
int tally_kallsyms_parse(const char *data, size_t len, const char *module,
			 struct tally_symtab *table, struct tally_error *err);

/* Get the address of the core kernel symbol `name`. Returns 0 or -ENOENT. */
int tally_kallsyms_address(const char *data, size_t len, const char *name, uint64_t *ret_address);

#endif
