/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals are constant objects: code, field, rule and fix. */
#ifndef TALLY_CORE_REFUSE_H
#define TALLY_CORE_REFUSE_H

#include "core/core_private.h"

/* Refusal of an access that ops->permit() denies. */
extern const struct tally_core_refusal tally_not_permitted;

/* Copy the reason, if there is one, to *ret_why (NULL is allowed). Return its code, or 0. */
static inline int tally_refusal_report(const struct tally_core_refusal *why,
				       struct tally_core_refusal *ret_why)
{
	if (why && ret_why)
		*ret_why = *why;
	return why ? why->code : 0;
}

#endif
