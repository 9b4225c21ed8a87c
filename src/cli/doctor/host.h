/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_HOST_H
#define TALLY_CLI_DOCTOR_HOST_H

/* What this runs in, by the traces that it leaves. */
struct doctor_host {
	const char *container;  /* "docker", "wsl2", ...; NULL: none seen */
	const char *trace;      /* where it was seen */
	const char *hypervisor; /* "KVM", "an unknown hypervisor"; NULL: none seen */
	const char *vpmu;       /* how that one is told to offer counters; NULL */
};

/* `root` is put before every path. */
void doctor_host_find(const char *root, struct doctor_host *ret_host);

/* The whole text of a small file below the doctor's root, to be freed; NULL: not to be read. Ends
 * with a NUL. `ret_len` may be NULL. */
char *doctor_read(const char *root, const char *path, size_t *ret_len);

/* A whole file that is a number. */
bool doctor_read_number(const char *root, const char *path, int64_t *ret_value);

#endif
