/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_HOST_H
#define TALLY_CLI_DOCTOR_HOST_H

/* The container and the hypervisor, detected by their traces. */
struct doctor_host {
	const char *container;  /* "docker", "wsl2", ...; NULL: none detected */
	const char *trace;      /* path where it was detected */
	const char *hypervisor; /* "KVM", "an unknown hypervisor"; NULL: none detected */
	const char *vpmu;       /* how to make the hypervisor provide counters; or NULL */
};

/* Detect container and hypervisor. `root` is put before every path. */
void doctor_host_find(const char *root, struct doctor_host *ret_host);

/* Read a small file below `root`. Returns its text, which ends with a NUL and is freed by the
 * caller; NULL if the file cannot be read. `ret_len` may be NULL. */
char *doctor_read(const char *root, const char *path, size_t *ret_len);

/* Read a file that contains only a number. Returns false if it is not readable or not a number. */
bool doctor_read_number(const char *root, const char *path, int64_t *ret_value);

#endif
