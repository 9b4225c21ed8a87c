/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/attr_name.h"

#include "base/arith.h"

/* ---- text, without libc ----------------------------------------------------------------- */

struct name_text {
	char *at, *end; /* `end` is the last possible position of the NUL */
};

static struct name_text text_begin(char out[TALLY_ATTR_NAME_MAX])
{
	*out = '\0';
	return (struct name_text){out, out + TALLY_ATTR_NAME_MAX - 1};
}

static void put_char(struct name_text *text, char c)
{
	if (text->at == text->end)
		return;
	*text->at++ = c;
	*text->at = '\0';
}

static void text_put(struct name_text *text, const char *string)
{
	while (*string)
		put_char(text, *string++);
}

static void put_number(struct name_text *text, uint64_t value, unsigned base)
{
	char digits[20];
	unsigned nr = 0;

	do
		digits[nr++] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (nr)
		put_char(text, digits[--nr]);
}

/* ---- generic events ---------------------------------------------------------------------- */

#define HARDWARE(id, name, alias, text) [PERF_COUNT_HW_##id] = name,
#define SOFTWARE(id, name, alias, text) [PERF_COUNT_SW_##id] = name,

static const char *const hardware_names[] = {TALLY_HARDWARE_EVENTS(HARDWARE)};
static const char *const software_names[] = {TALLY_SOFTWARE_EVENTS(SOFTWARE)};

/* Return the name of a generic event of PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE, without
 * modifiers; NULL for other events. */
static const char *generic_name(uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE && config < TALLY_ARRAY_SIZE(hardware_names))
		return hardware_names[config];
	if (type == PERF_TYPE_SOFTWARE && config < TALLY_ARRAY_SIZE(software_names))
		return software_names[config];
	return NULL;
}

/* ---- caches ------------------------------------------------------------------------------ */

#define ALL (TALLY_CACHE_READ | TALLY_CACHE_WRITE | TALLY_CACHE_PREFETCH)

const struct tally_cache tally_caches[PERF_COUNT_HW_CACHE_MAX] = {
	{"L1-dcache", ALL},
	{"L1-icache", TALLY_CACHE_READ | TALLY_CACHE_PREFETCH},
	{"LLC", ALL},
	{"dTLB", ALL},
	{"iTLB", TALLY_CACHE_READ},
	{"branch", TALLY_CACHE_READ},
	{"node", ALL},
};

/* Indexed by operation and result. */
static const char *const cache_ops[PERF_COUNT_HW_CACHE_OP_MAX][PERF_COUNT_HW_CACHE_RESULT_MAX] = {
	{"-loads", "-load-misses"},
	{"-stores", "-store-misses"},
	{"-prefetches", "-prefetch-misses"},
};

/* Return perf's name for the invalid part of a config, or NULL if the config is valid. */
static const char *cache_wrong(uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= PERF_COUNT_HW_CACHE_MAX)
		return "unknown-ext-hardware-cache-type";
	if (op >= PERF_COUNT_HW_CACHE_OP_MAX)
		return "unknown-ext-hardware-cache-op";
	if (result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return "unknown-ext-hardware-cache-result";
	return tally_caches[cache].ops & 1u << op ? NULL : "invalid-cache";
}

bool tally_cache_valid(uint64_t config)
{
	return !cache_wrong(config);
}

static void put_cache(struct name_text *text, uint64_t config)
{
	text_put(text, tally_caches[config & 0xff].name);
	text_put(text, cache_ops[config >> 8 & 0xff][config >> 16]);
}

bool tally_cache_name(uint64_t config, char out[TALLY_ATTR_NAME_MAX])
{
	struct name_text text;

	if (!tally_cache_valid(config))
		return false;
	text = text_begin(out);
	put_cache(&text, config);
	return true;
}

/* ---- attrs ------------------------------------------------------------------------------- */

/* Append modifiers (":u", ":kpp", ":HG"): first the levels that are not excluded, if any level is
 * excluded; then the precision; then host and guest, if they differ from perf's default, which
 * excludes the guest unless the event has other modifiers. */
static void put_modifiers(struct name_text *text, const struct perf_event_attr *attr)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool no_guest = !levels && !attr->precise_ip;
	bool places = attr->exclude_host || attr->exclude_guest != no_guest;
	char letters[TALLY_ATTR_NAME_MAX];
	struct name_text found = text_begin(letters);

	if (levels && !attr->exclude_kernel)
		put_char(&found, 'k');
	if (levels && !attr->exclude_user)
		put_char(&found, 'u');
	if (levels && !attr->exclude_hv)
		put_char(&found, 'h');
	for (unsigned i = 0; i < attr->precise_ip; i++)
		put_char(&found, 'p');
	if (places && !attr->exclude_host)
		put_char(&found, 'H');
	if (places && !attr->exclude_guest)
		put_char(&found, 'G');
	if (*letters)
		put_char(text, ':');
	text_put(text, letters);
}

static void put_breakpoint(struct name_text *text, const struct perf_event_attr *attr)
{
	text_put(text, "mem:0x");
	put_number(text, attr->bp_addr, 16);
	put_char(text, ':');
	if (attr->bp_type & HW_BREAKPOINT_R)
		put_char(text, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		put_char(text, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		put_char(text, 'x');
}

/* Append the name of a generic event. The upper half of a hardware config is ignored, because it
 * may select a kind of core. */
static void put_generic(struct name_text *text, const struct perf_event_attr *attr,
			const char *unknown)
{
	uint64_t mask = attr->type == PERF_TYPE_HARDWARE ? PERF_HW_EVENT_MASK : UINT64_MAX;
	const char *name = generic_name(attr->type, attr->config & mask);

	text_put(text, name ? name : unknown);
}

static void put_any_cache(struct name_text *text, uint64_t config)
{
	const char *wrong = cache_wrong(config);

	if (wrong)
		text_put(text, wrong);
	else
		put_cache(text, config);
}

void tally_attr_name(const struct perf_event_attr *attr, char out[TALLY_ATTR_NAME_MAX])
{
	struct name_text text = text_begin(out);

	switch (attr->type) {
	case PERF_TYPE_HARDWARE: put_generic(&text, attr, "unknown-hardware"); break;
	case PERF_TYPE_SOFTWARE: put_generic(&text, attr, "unknown-software"); break;
	case PERF_TYPE_HW_CACHE: put_any_cache(&text, attr->config & PERF_HW_EVENT_MASK); break;
	case PERF_TYPE_BREAKPOINT: put_breakpoint(&text, attr); break;
	case PERF_TYPE_TRACEPOINT: text_put(&text, "unknown tracepoint"); return;
	case PERF_TYPE_RAW:
		text_put(&text, "raw 0x");
		put_number(&text, attr->config, 16);
		break;
	default:
		text_put(&text, "unknown attr type: ");
		put_number(&text, attr->type, 10);
		return;
	}
	put_modifiers(&text, attr);
}
