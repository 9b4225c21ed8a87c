/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that samples on this machine can contain and that can be selected by name. */
#include <errno.h>
#include <string.h>

#include "base/register_names.h"
#include "base/str.h"
#include "sampler/sampling.h"

/* This machine, for tally_register_name(), and the bits of the registers that its kernel
 * samples. */
#if defined(__x86_64__)
#define ARCH    "x86_64"
#define SAMPLED 0xff0fffull /* no segment registers except CS and SS */
#elif defined(__aarch64__)
#define ARCH    "aarch64"
#define SAMPLED 0x1ffffffffull
#elif defined(__riscv)
#define ARCH    "riscv64"
#define SAMPLED 0xffffffffull
#else
#define ARCH    ""
#define SAMPLED 0ull
#endif

uint64_t tally_sampling_all_registers(void)
{
	return SAMPLED;
}

static void list_registers(const struct tally_messages *messages)
{
	struct tally_str text = {0};

	for (unsigned bit = 0; bit < 64; bit++)
		if (SAMPLED >> bit & 1)
			tally_str_addf(&text, " %s", tally_register_name(ARCH, false, bit));
	tally_message_info(messages, "available registers:%s", tally_str_text(&text));
	tally_str_free(&text);
}

/* Return the bit of the register with this name, or 64. Case does not matter. */
static unsigned find_register(const char *name, size_t len)
{
	unsigned bit = 0;

	for (; bit < 64; bit++) {
		const char *known =
			SAMPLED >> bit & 1 ? tally_register_name(ARCH, false, bit) : NULL;

		if (known && strlen(known) == len && !strncasecmp(known, name, len))
			break;
	}
	return bit;
}

int tally_sampling_parse_registers(const struct tally_sampling *sampling, const char *text,
				   uint64_t *ret_mask)
{
	uint64_t mask = 0;

	if (!strcmp(text, "?")) {
		list_registers(sampling->messages);
		return -EINVAL;
	}
	for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t len = strcspn(at, ",");
		unsigned bit = find_register(at, len);

		if (bit == 64) {
			tally_message_error(sampling->messages,
					    "'%.*s' is not a register on this machine", (int)len,
					    at);
			list_registers(sampling->messages);
			return -EINVAL;
		}
		mask |= 1ull << bit;
	}
	*ret_mask = mask ? mask : tally_sampling_all_registers();
	return 0;
}
