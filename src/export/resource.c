/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/resource.h"

#include <string.h>

#include "base/arith.h"

/* The names that the conventions give to architectures, where they differ. */
static const char *arch_name(const char *arch)
{
	static const struct {
		const char *recorded, *name;
	} names[] = {
		{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"i686", "x86"},
		{"i386", "x86"},     {"armv7l", "arm32"},  {"ppc64le", "ppc64"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (!strcmp(arch, names[i].recorded))
			return names[i].name;
	}
	return arch;
}

static bool has_key(const struct tally_export_attribute *attributes, size_t nr, const char *key)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(attributes[i].key, key))
			return true;
	}
	return false;
}

size_t tally_export_resource(const struct tally_perfdata_env *env, const char *host,
			     const struct tally_export_attribute *labels, size_t nr_labels,
			     struct tally_export_attribute *out)
{
	const struct tally_export_attribute recorded[TALLY_EXPORT_RECORDED_ATTRIBUTES] = {
		{"host.name", host ? host : env->hostname},
		{"host.arch", arch_name(env->arch)},
		{"host.cpu.model.name", env->cpudesc},
		{"os.type", *env->osrelease ? "linux" : ""},
		{"os.version", env->osrelease},
		{"tally.recorder", env->version},
	};
	size_t nr = nr_labels;

	for (size_t i = 0; i < nr_labels; i++)
		out[i] = labels[i];
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(recorded); i++) {
		if (*recorded[i].value && !has_key(labels, nr_labels, recorded[i].key))
			out[nr++] = recorded[i];
	}
	return nr;
}
