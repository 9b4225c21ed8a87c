/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/fallbacks.h"

#include <string.h>

#include "base/arith.h"
#include "sampler/sampler_refuse.h"
#include "tally/client.h"

/* Fallbacks in the order of their warnings. */
static const struct {
	unsigned bit;
	const char *text;  /* NULL if there is no warning or tally_refuse_kernel() prints it */
	const char *words; /* short description for JSON */
} texts[] = {
	{TALLY_FALLBACK_CPU_CLOCK,
	 "no hardware counters (no PMU): sampling cpu-clock instead of cycles",
	 "cpu-clock instead"},
	{TALLY_FALLBACK_NO_KERNEL, NULL, "kernel excluded"},
	{TALLY_FALLBACK_GROUP_BROKEN,
	 "members of a weak group (:W) are counted separately: the group does not fit on the PMU",
	 "counted outside of its group"},
	{TALLY_FALLBACK_PRECISE, "the PMU is less precise than requested (:p)", "less precise"},
	{TALLY_FALLBACK_NO_DEFER,
	 "callchains are not deferred: the kernel unwinds at each sample (deferring requires Linux "
	 "6.19)",
	 "callchains not deferred"},
	{TALLY_FALLBACK_OLD_KERNEL, NULL, "attributes that the kernel does not know were dropped"},
};

const char *tally_fallbacks_next(unsigned *fallbacks)
{
	unsigned lowest = *fallbacks & -*fallbacks;

	*fallbacks &= ~lowest;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts); i++) {
		if (texts[i].bit == lowest)
			return texts[i].words;
	}
	return NULL;
}

void tally_fallbacks_warn(unsigned fallbacks, const char *done,
			  const struct tally_messages *messages)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts); i++) {
		if (!(fallbacks & texts[i].bit))
			continue;
		if (texts[i].text)
			tally_message_warn(messages, "%s", texts[i].text);
		else if (texts[i].bit == TALLY_FALLBACK_NO_KERNEL)
			tally_refuse_kernel(done, messages);
	}
}

/* Return the modifiers in a name, which follow ':' or, in a PMU event, the second '/'. Return NULL
 * if there are none. */
static const char *modifiers_of(const char *name)
{
	const char *slash = strrchr(name, '/'), *colon = strrchr(name, ':');

	if (colon && colon > slash && strspn(colon + 1, "ukhpPGHSDIWeb") == strlen(colon + 1))
		return colon + 1;
	return slash ? slash + 1 : NULL;
}

void tally_fallbacks_name(const char *name, unsigned fallbacks, struct tally_str *out)
{
	const char *modifiers = modifiers_of(name);
	bool has_any = modifiers;

	if (fallbacks & TALLY_FALLBACK_CPU_CLOCK) {
		/* cpu-clock replaced cycles and has no precise levels. Keep the other modifiers. */
		tally_str_add(out, "cpu-clock");
		has_any = false;
		for (; modifiers && *modifiers; modifiers++) {
			if (*modifiers == 'p' || *modifiers == 'P')
				continue;
			if (!has_any)
				tally_str_add_char(out, ':');
			has_any = true;
			tally_str_add_char(out, *modifiers);
		}
	} else {
		tally_str_add(out, name);
	}
	if (fallbacks & TALLY_FALLBACK_NO_KERNEL)
		tally_str_add(out, has_any ? "u" : ":u");
}
