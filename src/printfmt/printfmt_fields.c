/* SPDX-License-Identifier: BSD-2-Clause */
/* Print all fields as name=value, for payloads with a print fmt that cannot be compiled. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "printfmt/printfmt.h"

static bool is_printable(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len && bytes[i]; i++)
		if (!isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

static void array_add(const struct tally_tp_field *field, const uint8_t *bytes, size_t len,
		      size_t limit, struct tally_str *out)
{
	if (field->is_string && is_printable(bytes, len)) {
		tally_str_add_bytes(out, bytes, strnlen((const char *)bytes, len));
		return;
	}
	tally_str_add(out, "ARRAY[");
	for (size_t i = 0; i < len && !tally_tp_is_full(out, limit); i++) {
		if (i)
			tally_str_add(out, ", ");
		tally_str_add_hex(out, bytes[i], 2);
	}
	tally_str_add_char(out, ']');
}

/* Append a number. Like perf, print pointers and longs in hex, and pad 16-bit numbers. */
static void number_add(const struct tally_tp_field *field, uint64_t value, struct tally_str *out)
{
	bool is_long = strstr(field->type, "long");

	if (field->is_pointer || (is_long && (!field->is_signed || field->size == 4))) {
		if (field->size == 4)
			value &= UINT32_MAX;
		tally_str_addf(out, "0x%llx", (unsigned long long)value);
	} else if (field->is_signed) {
		tally_str_addf(out, field->size == 2 ? "%2lld" : "%lld", (long long)value);
	} else {
		tally_str_add_u64(out, value);
	}
}

int tally_tp_print_fields(const struct tally_tp_format *format, const struct tally_tp_raw *raw,
			  const struct tally_tp_env *env, struct tally_str *out)
{
	size_t limit = tally_tp_limit(env, out->len);

	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct tally_tp_field *field = &format->fields[i];
		const uint8_t *bytes;
		size_t len;
		uint64_t value;

		if (tally_tp_is_full(out, limit))
			break;
		tally_str_add_char(out, ' ');
		tally_tp_add(out, limit, field->name, strlen(field->name));
		tally_str_add_char(out, '=');
		if (field->is_array) {
			if (!tally_tp_field_bytes(field, raw, &bytes, &len))
				array_add(field, bytes, len, limit, out);
		} else if (!tally_tp_field_u64(field, raw, &value)) {
			number_add(field, value, out);
		}
	}
	return tally_tp_truncate(out, limit);
}
