/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the writer. */
#ifndef TALLY_IMPORT_IMPORT_PRIVATE_H
#define TALLY_IMPORT_IMPORT_PRIVATE_H

#include "base/arith.h"
#include "base/str.h"
#include "import/imported.h"

struct import_range {
	uint64_t start, end;
};

/* The addresses of modules and places. */
struct import_layout {
	struct imported *imported;
	struct import_range *ranges; /* by module; empty if a module has no places */
	uint32_t *order;             /* places by module and function */
	uint64_t next_user, next_kernel;
};

/* Assign an address to each place. Returns 0, -ENOMEM, or -EFBIG if there are too many places. Free
 * the layout, also after an error, with import_layout_free(). */
int import_layout_make(struct imported *imported, struct import_layout *layout);
void import_layout_free(struct import_layout *layout);

/* Append the section of embedded symbols. Returns 0 or -ENOMEM. */
int import_names_make(const struct import_layout *layout, struct tally_str *out);

/* Return a module's name. */
static inline const char *import_module_name(const struct imported *imported, uint32_t module)
{
	return tally_intern_text(&imported->texts, imported->modules.data[module].name);
}

#endif
