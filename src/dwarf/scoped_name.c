/* SPDX-License-Identifier: BSD-2-Clause */
/* Names with scopes, for functions without a linkage name: lambdas, constructors, and templates
 * with a local type as an argument. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "dwarf/dwarf_private.h"
#include "dwarf/message.h"

enum {
	SCOPES_MAX = 64, /* nesting depth */
	CHAIN_MAX = 16,  /* number of references from a definition to its declaration */
	TEXTS_MAX = 64 << 20,
};

/* A part of a name, innermost first. */
struct scoped_part {
	const char *text;
	uint32_t line; /* line of a lambda, or 0 */
};

struct scoped_name {
	struct scoped_part parts[SCOPES_MAX];
	uint32_t nr;
};

static bool has_scopes(int language)
{
	enum { CXX_17 = 0x2a, CXX_20 = 0x2b, CXX_23 = 0x3a }; /* not in older headers */

	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case CXX_17:
	case CXX_20:
	case CXX_23:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_Rust:
	case DW_LANG_D: return true;
	default: return false;
	}
}

/* Return the unit's language. Partial units made by dwz have none: use that of the caller. */
static int language_of(Dwarf_Die *die, const struct dwarf_unit *caller)
{
	Dwarf_Die unit = {0}, known = caller->die;
	int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

	return language > 0 ? language : dwarf_srclang(&known);
}

static bool reference_follow(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	if (!dwarf_attr(die, name, &attribute) || !dwarf_formref_die(&attribute, &next))
		return false;
	*die = next;
	return true;
}

/* Get the declaration, which is inside the scope; a definition may be outside. */
static void declaration_find(Dwarf_Die *die)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!reference_follow(die, DW_AT_abstract_origin) &&
		    !reference_follow(die, DW_AT_specification))
			return;
	}
}

/* Return the scopes of the unit that contains `die`, which are read if it is not the caller's unit.
 * NULL if there is not enough memory. */
static const struct dwarf_scopes *scopes_of(struct tally_dwarf *dwarf,
					    const struct dwarf_unit *caller, const Dwarf_Die *die)
{
	uint64_t known = tally_map_get(&dwarf->others, (uintptr_t)die->cu);
	struct dwarf_scopes scopes = {0};
	Dwarf_Die of = *die, unit = {0};

	if (die->cu == caller->die.cu)
		return &caller->scopes;
	if (known != TALLY_MAP_NONE)
		return &dwarf->other_scopes.data[known];
	/* In a damaged unit, no scopes are found. */
	if (dwarf_diecu(&of, &unit, NULL, NULL))
		(void)dwarf_scopes_read(dwarf, &unit, &scopes);
	known = dwarf->other_scopes.len;
	if (tally_vec_push(&dwarf->other_scopes, scopes)) {
		dwarf_scopes_free(&scopes);
		return NULL;
	}
	/* If this fails, the scopes are read again next time. */
	(void)tally_map_set(&dwarf->others, (uintptr_t)die->cu, known);
	return &dwarf->other_scopes.data[known];
}

/* Move from a function or a scope to the scope that contains it. */
static bool scope_find(struct tally_dwarf *dwarf, const struct dwarf_unit *caller, Dwarf_Die *die)
{
	const struct dwarf_scopes *scopes;
	const struct dwarf_scope *scope;

	declaration_find(die);
	scopes = scopes_of(dwarf, caller, die);
	scope = scopes ? dwarf_scope_of(scopes, die) : NULL;
	if (scope)
		*die = (Dwarf_Die){.addr = (void *)(uintptr_t)scope->start, .cu = die->cu};
	return scope;
}

/* Return what an unnamed scope is called. A class with a call operator is a lambda; compilers do
 * not name it. */
static struct scoped_part unnamed_part(Dwarf_Die *die, const char *member)
{
	static const char call[] = "operator()";
	struct scoped_part part = {.text = "(anonymous class)"};
	int tag = dwarf_tag(die), line = 0;

	if (tag == DW_TAG_namespace)
		part.text = "(anonymous namespace)";
	else if (tag == DW_TAG_union_type)
		part.text = "(anonymous union)";
	else if (!strncmp(member, call, strlen(call)))
		part.text = "{lambda";
	else if (tag == DW_TAG_structure_type)
		part.text = "(anonymous struct)";
	if (*part.text == '{' && !dwarf_decl_line(die, &line) && line > 0)
		part.line = (uint32_t)line;
	return part;
}

/* Return the name of a scope, or NULL. */
static const char *scope_text(Dwarf_Die *die)
{
	Dwarf_Die signature = *die;
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_name, &attribute) ||
	    (reference_follow(&signature, DW_AT_signature) &&
	     dwarf_attr(&signature, DW_AT_name, &attribute)))
		return dwarf_formstring(&attribute);
	return NULL;
}

/* Return what is known about a scope. Its DIE is read only once, because it can have many
 * attributes, and many functions. Returns NULL if there is not enough memory. */
static const struct dwarf_scope_facts *facts_of(struct tally_dwarf *dwarf,
						const struct dwarf_unit *unit, Dwarf_Die *die)
{
	uint64_t known = tally_map_get(&dwarf->scope_facts, (uintptr_t)die->addr);
	struct dwarf_scope_facts facts = {.outer = *die};

	if (known == TALLY_MAP_NONE) {
		facts.text = scope_text(die);
		facts.has_outer = scope_find(dwarf, unit, &facts.outer);
		known = dwarf->facts.len;
		if (tally_vec_push(&dwarf->facts, facts) ||
		    tally_map_set(&dwarf->scope_facts, (uintptr_t)die->addr, known))
			return NULL;
	}
	return &dwarf->facts.data[known];
}

/* Append the parts, outermost first. Lambdas of one function are distinguished by their lines. */
static void name_join(const struct scoped_name *name, struct tally_str *text)
{
	for (uint32_t i = name->nr; i-- > 0 && text->len < DWARF_TEXT_MAX;) {
		const struct scoped_part *part = &name->parts[i];

		tally_str_add(text, part->text);
		if (*part->text == '{' && part->line)
			tally_str_addf(text, ":%u", part->line);
		tally_str_add(text, !strcmp(part->text, "{lambda") ? "}" : "");
		tally_str_add(text, i ? "::" : "");
	}
}

/* Return a copy of the name that is kept with the handle, or NULL. */
static const char *name_keep(struct tally_dwarf *dwarf, const struct scoped_name *name)
{
	struct tally_str text = {0};
	const char *kept = NULL;
	uint32_t id;

	name_join(name, &text);
	if (!tally_str_error(&text) && text.len < DWARF_TEXT_MAX &&
	    dwarf->scoped_texts.arena.total < TEXTS_MAX &&
	    !tally_intern(&dwarf->scoped_texts, text.data, text.len, &id))
		kept = tally_intern_text(&dwarf->scoped_texts, id);
	tally_str_free(&text);
	return kept;
}

/* Find the scopes. Returns false if there are none, or too many. */
static bool name_find(struct tally_dwarf *dwarf, const struct dwarf_unit *unit, Dwarf_Die die,
		      struct scoped_name *name)
{
	bool has_outer = scope_find(dwarf, unit, &die);

	while (has_outer) {
		const struct dwarf_scope_facts *facts = facts_of(dwarf, unit, &die);

		if (!facts || name->nr == SCOPES_MAX)
			return false;
		name->parts[name->nr] =
			facts->text ? (struct scoped_part){.text = facts->text}
				    : unnamed_part(&die, name->parts[name->nr - 1].text);
		name->nr++;
		has_outer = facts->has_outer;
		die = facts->outer;
	}
	return name->nr > 1;
}

const char *dwarf_scoped_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			      Dwarf_Die *die, const char *name)
{
	uint64_t known = tally_map_get(&dwarf->scoped_names, (uintptr_t)die->addr);
	struct scoped_name scoped = {.parts = {{.text = name}}, .nr = 1};
	const char *text = NULL;

	if (known != TALLY_MAP_NONE)
		return (const char *)(uintptr_t)known;
	if (has_scopes(language_of(die, unit)) && name_find(dwarf, unit, *die, &scoped))
		text = name_keep(dwarf, &scoped);
	text = text ? text : name;
	/* If caching fails, the name is made again next time. */
	(void)tally_map_set(&dwarf->scoped_names, (uintptr_t)die->addr, (uintptr_t)text);
	return text;
}
