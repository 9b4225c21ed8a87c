/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_HOST_H
#define TALLY_CLI_DOCTOR_HOST_H

/* The container and the hypervisor, detected by their traces. */
struct doctor_host {
	const char *container;  /* such as "docker" or "wsl2"; NULL if none was detected */
	const char *trace;      /* path at which the container was detected */
	const char *hypervisor; /* such as "KVM" or "an unknown hypervisor"; NULL if none */
	const char *vpmu;       /* how to make the hypervisor provide counters, or NULL */
};

/* Detect the container and the hypervisor. `root` is prepended to every path. */
void doctor_host_find(const char *root, struct doctor_host *ret_host);

/* Read a small file below `root`. Return its NUL-terminated contents, which the caller frees, or
 * NULL if the file cannot be read. `ret_len` may be NULL. */
char *doctor_read(const char *root, const char *path, size_t *ret_len);

/* Read a file that contains only a number. Return false if the file cannot be read or does not
 * contain a number. */
bool doctor_read_number(const char *root, const char *path, int64_t *ret_value);

#endif
