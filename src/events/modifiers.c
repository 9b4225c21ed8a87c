/* SPDX-License-Identifier: BSD-2-Clause */
/* Modifiers after an event's colon. Their effect depends on the event's existing settings, because
 * a group's modifiers are added to those of its members. */
#include <errno.h>
#include <string.h>

#include "events/parse.h"
#include "events/events_error.h"

static const char letters[] = "ukhpPGHSDIWeb";

bool tally_modifiers_are_valid(struct tally_word word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!word.text[i] || !strchr(letters, word.text[i]))
			return false;
	return true;
}

static int modifiers_check(struct tally_event_parser *p, struct tally_word word)
{
	unsigned precise = 0;

	for (size_t i = 0; i < word.len; i++) {
		char c = word.text[i];
		struct tally_word here = {word.text + i, 1};

		if (!c || !strchr(letters, c)) {
			tally_parser_fail(p, -EINVAL, "unknown modifier", here);
			tally_error_fix(p->err, "valid modifiers: u k h G H p pp ppp P D S W I e");
			return -EINVAL;
		}
		if (c == 'p' ? ++precise > 3 : !!memchr(word.text, c, i))
			return tally_parser_fail(p, -EINVAL,
						 c == 'p' ? "more than three p modifiers"
							  : "modifier specified twice",
						 here);
	}
	return 0;
}

struct excludes {
	bool user, kernel, hv, guest, host;
	bool levels, machines; /* letters u, k or h seen; letters G or H seen */
};

/* Apply a modifier letter. The first letter of a kind excludes all modes of that kind; each letter
 * then includes its own mode again. */
static void excludes_letter(struct excludes *x, char c)
{
	bool level = c == 'u' || c == 'k' || c == 'h';

	if (level && !x->levels) {
		x->levels = x->user = x->kernel = x->hv = true;
	} else if ((c == 'G' || c == 'H') && !x->machines) {
		x->machines = x->guest = x->host = true;
	}
	if ((c == 'p' || c == 'u') && !x->machines)
		x->guest = true;
	switch (c) {
	case 'u': x->user = false; break;
	case 'k': x->kernel = false; break;
	case 'h': x->hv = false; break;
	case 'G': x->guest = false; break;
	case 'H': x->host = false; break;
	default: break;
	}
}

static void spec_flags(struct tally_event_spec *spec, struct tally_word word, bool leader)
{
	bool has_p = memchr(word.text, 'P', word.len), pin = memchr(word.text, 'D', word.len);
	bool alone = memchr(word.text, 'e', word.len);

	spec->precise_max |= has_p;
	spec->sample_read |= !!memchr(word.text, 'S', word.len);
	spec->weak_group |= !!memchr(word.text, 'W', word.len);
	spec->attr.exclude_idle |= !!memchr(word.text, 'I', word.len);
	spec->attr.pinned |= pin && leader;
	spec->attr.exclusive |= alone && leader;
}

static int spec_modify(struct tally_event_parser *p, struct tally_word word, size_t i, bool group)
{
	struct tally_event_spec *spec = &p->specs.data[i];
	struct perf_event_attr *attr = &spec->attr;
	struct excludes x = {0};
	unsigned precise = attr->precise_ip;

	/* An event's own modifiers replace its defaults, including exclude_guest. */
	if (group)
		x = (struct excludes){
			attr->exclude_user,
			attr->exclude_kernel,
			attr->exclude_hv,
			attr->exclude_guest,
			attr->exclude_host,
			attr->exclude_user || attr->exclude_kernel || attr->exclude_hv,
			p->modified.data[i]};
	for (size_t c = 0; c < word.len; c++) {
		excludes_letter(&x, word.text[c]);
		precise += word.text[c] == 'p';
	}
	if (precise > 3)
		return tally_parser_fail(
			p, -EINVAL, "more than three p modifiers on the event and its group", word);
	attr->exclude_user = x.user;
	attr->exclude_kernel = x.kernel;
	attr->exclude_hv = x.hv;
	attr->exclude_guest = x.guest;
	attr->exclude_host = x.host;
	attr->precise_ip = precise & 3;
	spec->exclude_given |= x.levels;
	spec->guest_given |= x.machines;
	p->modified.data[i] = x.machines;
	spec_flags(spec, word, !group || i == spec->leader);
	return 0;
}

int tally_modifiers_apply(struct tally_event_parser *p, struct tally_word word, size_t first,
			  bool group)
{
	int ret = modifiers_check(p, word);

	for (size_t i = first; !ret && word.len && i < p->specs.len; i++)
		ret = spec_modify(p, word, i, group);
	return ret;
}
