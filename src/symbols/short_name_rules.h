/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of templates, for short names. In a pattern, $1 to $9 are the arguments of the template;
 * of a container, $1 is the key and $2 the value. '|' separates alternatives. All texts are in the
 * short form.
 */
#ifndef TALLY_SYMBOLS_SHORT_NAME_RULES_H
#define TALLY_SYMBOLS_SHORT_NAME_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Default arguments of a template, which are the last ones. */
struct name_defaults {
	const char *name;
	uint8_t first;           /* index of the first argument with a default */
	const char *defaults[4]; /* patterns */
	const char *shown;       /* name to show instead, or NULL */
};

/* A name of a template instance without its default arguments. */
struct name_alias {
	const char *text, *shown;
};

/* An argument of a container's implementation that is an argument of the container, too. */
struct name_option {
	int8_t arg; /* index, or 0 if there are no more options */
	const char *map_default, *set_default;
};

/* Implementation of an associative container. */
struct name_container {
	const char *name;
	const char *shown, *multi; /* the container's name without "map" or "set" */
	const char *pair; /* template of the key and value of a map; NULL: std::pair<K const, V> */
	int8_t value;     /* argument with the elements */
	int8_t extract; /* argument that returns an element's key; 0 if there is no such argument */
	int8_t traits;  /* argument that ends with "true>" if keys are unique; or 0 */
	struct name_option options[3];
};

/* Return the entry for a name or text, or NULL. */
const struct name_defaults *name_defaults_find(const char *name, size_t len);
const struct name_alias *name_alias_find(const char *text, size_t len);
const struct name_container *name_container_find(const char *name, size_t len);

/* Return true if the path of a Rust type is below this module, e.g. "alloc::vec". */
bool name_is_rust_module(const char *module, size_t len);

#endif
