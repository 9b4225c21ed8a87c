/* SPDX-License-Identifier: BSD-2-Clause */
/* Detect containers and hypervisors by the traces that they leave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_text.h"
#include "client/procfs.h"

enum { TEXT_MAX = 1 << 20, PATH_ROOM = 512 };

char *doctor_read(const char *root, const char *path, size_t *ret_len)
{
	char full[PATH_ROOM], *text;
	size_t len;

	snprintf(full, sizeof(full), "%s%s", root, path);
	if (tally_file_read(full, TEXT_MAX, &text, &len))
		return NULL;
	if (ret_len)
		*ret_len = len;
	return text;
}

bool doctor_read_number(const char *root, const char *path, int64_t *ret_value)
{
	size_t len;
	char *text = doctor_read(root, path, &len);
	bool is_number = text && procfs_number(text, len, ret_value);

	free(text);
	return is_number;
}

/* ---- containers ------------------------------------------------------------- */

enum trace_kind { TRACE_EXISTS, TRACE_HAS, TRACE_VARIABLE };

/* More specific traces come first, because Kubernetes runs its containers through other container
 * managers. */
static const struct trace {
	enum trace_kind kind;
	const char *path, *part, *container;
} traces[] = {
	{TRACE_HAS, "/proc/version", "gvisor", "gvisor"},
	/* gVisor's build date, which is the same regardless of the emulated kernel. */
	{TRACE_HAS, "/proc/version", "Sun Jan 10 15:06:54 PST 2016", "gvisor"},
	{TRACE_HAS, "/proc/version", "microsoft", "wsl2"},
	{TRACE_EXISTS, "/var/run/secrets/kubernetes.io", NULL, "kubernetes"},
	{TRACE_HAS, "/proc/self/cgroup", "kubepods", "kubernetes"},
	{TRACE_VARIABLE, "/proc/1/environ", "KUBERNETES_SERVICE_HOST", "kubernetes"},
	{TRACE_EXISTS, "/run/.containerenv", NULL, "podman"},
	{TRACE_EXISTS, "/.dockerenv", NULL, "docker"},
	{TRACE_HAS, "/proc/self/cgroup", "/docker", "docker"},
	{TRACE_HAS, "/proc/self/cgroup", "/libpod", "podman"},
	{TRACE_HAS, "/proc/self/cgroup", "/lxc", "lxc"},
	{TRACE_VARIABLE, "/proc/1/environ", "container", NULL},
	{TRACE_HAS, "/run/systemd/container", "", NULL},
	{TRACE_HAS, "/run/host/container-manager", "", NULL},
};

/* Return the constant string for a container manager's name found in a trace. */
static const char *known_word(const char *word, size_t len)
{
	static const char *const words[] = {"docker", "podman", "lxc", "systemd-nspawn",
					    "kubernetes"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
		if (len >= strlen(words[i]) && !memcmp(word, words[i], strlen(words[i])))
			return words[i];
	}
	return len ? "other" : NULL;
}

static const char *trace_in(const struct trace *trace, const char *text, size_t len)
{
	const char *value = text;

	if (trace->kind == TRACE_VARIABLE)
		value = doctor_text_variable(text, len, trace->part, &len);
	else if (!doctor_text_has(text, len, trace->part))
		value = NULL;
	if (!value)
		return NULL;
	return trace->container ? trace->container : known_word(value, len);
}

static const char *trace_container(const char *root, const struct trace *trace)
{
	char full[PATH_ROOM], *text;
	const char *found;
	size_t len;

	if (trace->kind == TRACE_EXISTS) {
		snprintf(full, sizeof(full), "%s%s", root, trace->path);
		return access(full, F_OK) ? NULL : trace->container;
	}
	text = doctor_read(root, trace->path, &len);
	found = text ? trace_in(trace, text, len) : NULL;
	free(text);
	return found;
}

/* ---- hypervisors ----------------------------------------------------------------- */

static const struct maker {
	const char *part, *name, *vpmu;
} makers[] = {
	{"firecracker", "Firecracker", NULL},
	{"vmware", "VMware",
	 "enable \"Virtualize CPU performance counters\" for the virtual machine (vpmc.enable)"},
	{"virtualbox", "VirtualBox", NULL},
	{"innotek", "VirtualBox", NULL},
	{"xen", "Xen", "boot the host with vpmu=on"},
	{"amazon", "Amazon EC2", "use a larger instance type, or a .metal one"},
	{"google", "Google Compute Engine", "use a machine type with a PMU, and enable it"},
	{"microsoft", "Hyper-V", "on the host: Set-VMProcessor NAME -Perfmon @(\"pmu\")"},
	{"qemu", "QEMU/KVM", "start the virtual machine with -cpu host,pmu=on"},
	{"kvm", "KVM", "start the virtual machine with -cpu host,pmu=on"},
};

static const char *const maker_files[] = {
	"/sys/class/dmi/id/sys_vendor",
	"/sys/class/dmi/id/product_name",
	"/sys/hypervisor/type",
	"/proc/device-tree/hypervisor/compatible",
};

static const struct maker *maker_in(const char *text, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(makers); i++) {
		if (doctor_text_has(text, len, makers[i].part))
			return &makers[i];
	}
	return NULL;
}

static void hypervisor_find(const char *root, struct doctor_host *host)
{
	const struct maker *maker = NULL;
	char *text;
	size_t len;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(maker_files) && !maker; i++) {
		text = doctor_read(root, maker_files[i], &len);
		maker = text ? maker_in(text, len) : NULL;
		free(text);
	}
	if (maker) {
		host->hypervisor = maker->name;
		host->vpmu = maker->vpmu;
		return;
	}
	text = doctor_read(root, "/proc/cpuinfo", &len);
	if (text && doctor_text_has_word(text, len, "hypervisor"))
		host->hypervisor = "an unknown hypervisor";
	free(text);
}

/* ---- results ------------------------------------------------------------------------ */

void doctor_host_find(const char *root, struct doctor_host *ret_host)
{
	struct doctor_host host = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(traces) && !host.container; i++) {
		host.container = trace_container(root, &traces[i]);
		host.trace = traces[i].path;
	}
	hypervisor_find(root, &host);
	*ret_host = host;
}
