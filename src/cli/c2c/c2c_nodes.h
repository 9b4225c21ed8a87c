/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of the CPUs that accessed a site. */
#ifndef TALLY_CLI_C2C_NODES_H
#define TALLY_CLI_C2C_NODES_H

#include "cli/c2c/c2c.h"

/* Find the nodes of all CPUs. Call this once, before c2c_add_nodes(). Returns 0 or -ENOMEM. */
int c2c_nodes_find(struct c2c_report *report);

/* Append the nodes of a site's CPUs: "0", with their CPUs as --node-info selects. */
void c2c_add_nodes(const struct c2c_report *report, const struct tally_sharing_site *site,
		   struct tally_str *out);

#endif
