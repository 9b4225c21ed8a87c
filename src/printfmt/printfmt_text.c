/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments for %s: strings, flags, symbols, arrays and masks. */
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "printfmt/printfmt.h"

enum { MAX_PAD = 4096 };

/* Apply the conversion's width and precision to the text appended since `start`. */
static void pad_apply(struct tally_tp_run *run, const struct tally_tp_piece *piece, size_t start)
{
	struct tally_str *out = run->out;
	int width = piece->width, precision = piece->precision;
	bool left = piece->left, cut = piece->has_precision;
	size_t len = out->len - start, pad;
	char *room;

	if (piece->star_width)
		width = (int)tally_tp_eval(run, piece->star_width);
	if (piece->star_precision)
		precision = (int)tally_tp_eval(run, piece->star_precision);
	if (width < 0) {
		left = true;
		width = width == INT32_MIN ? 0 : -width;
	}
	if (cut && precision >= 0 && len > (size_t)precision) {
		len = (size_t)precision;
		out->len = start + len;
		out->data[out->len] = '\0';
	}
	if (len >= (size_t)width)
		return;
	pad = TALLY_MIN((size_t)width, (size_t)MAX_PAD) - TALLY_MIN(len, (size_t)MAX_PAD);
	room = tally_str_reserve(out, pad);
	if (!room)
		return;
	if (!left)
		memmove(out->data + start + pad, out->data + start, len);
	memset(left ? room : out->data + start, ' ', pad);
	out->len += pad;
	out->data[out->len] = '\0';
}

static bool is_plain(const struct tally_tp_piece *piece)
{
	return !piece->width && !piece->has_precision && !piece->star_width;
}

/* Return true if a star argument is negative. In this case, perf prints the conversion as it was
 * written. */
static bool star_is_negative(struct tally_tp_run *run, const struct tally_tp_piece *piece)
{
	const struct tally_tp_node *star =
		piece->star_precision ? piece->star_precision : piece->star_width;

	return star && (int)tally_tp_eval(run, star) < 0;
}

static void padded_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const void *text, size_t len)
{
	size_t start = run->out->len;

	if (is_plain(piece)) {
		tally_tp_add(run->out, run->limit, text, len);
	} else if (star_is_negative(run, piece)) {
		tally_tp_add(run->out, run->limit, piece->text, piece->len);
	} else {
		tally_tp_add(run->out, run->limit, text, len);
		if (!tally_str_error(run->out))
			pad_apply(run, piece, start);
	}
}

static void hex_add(struct tally_str *out, uint64_t value)
{
	tally_str_add_bytes(out, "0x", 2);
	tally_str_add_hex(out, value, 0);
}

/* Append a field. A pointer-sized field that is not an array is printed as a pointer. */
static void field_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		      const struct tally_tp_node *node)
{
	uint64_t size = node->size;

	if (!node->array && size == run->print->target.long_size) {
		tally_str_add_hex(run->out, tally_tp_load(run, node->offset, node->size), 0);
		return;
	}
	if (!size && node->offset <= run->len)
		size = run->len - node->offset;
	if (!tally_range_ok(node->offset, size, run->len)) {
		run->short_payload = true;
		return;
	}
	padded_add(run, piece, run->data + node->offset,
		   strnlen((const char *)run->data + node->offset, (size_t)size));
}

/* Append a string. It ends at its NUL, regardless of the length in the loc word. */
static void string_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const struct tally_tp_node *node)
{
	uint64_t offset = tally_tp_load(run, node->offset, 4) & 0xffff;

	if (node->relative)
		offset += node->offset + node->size;
	if (offset > run->len) {
		run->short_payload = true;
		return;
	}
	padded_add(run, piece, run->data + offset,
		   strnlen((const char *)run->data + offset, run->len - (size_t)offset));
}

/* Append the names of flags. Each name is padded separately. Bits without a name follow in hex. */
static void flags_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		      const struct tally_tp_node *node)
{
	uint64_t value = tally_tp_eval(run, node->a);
	bool some = false;

	for (uint32_t i = 0; i < node->nr_entries; i++) {
		const struct tally_tp_entry *entry = &node->entries[i];

		if (!value && entry->negative) {
			padded_add(run, piece, entry->text, entry->len);
			break;
		}
		if (entry->negative || !entry->value || (value & entry->value) != entry->value)
			continue;
		if (some)
			tally_tp_add(run->out, run->limit, node->text, node->len);
		padded_add(run, piece, entry->text, entry->len);
		some = true;
		value &= ~entry->value;
	}
	if (!value)
		return;
	if (some)
		tally_tp_add(run->out, run->limit, node->text, node->len);
	hex_add(run->out, value);
}

static void symbol_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const struct tally_tp_node *node)
{
	uint64_t value = tally_tp_eval(run, node->a);

	for (uint32_t i = 0; i < node->nr_entries; i++) {
		if (value == node->entries[i].value) {
			padded_add(run, piece, node->entries[i].text, node->entries[i].len);
			return;
		}
	}
	hex_add(run->out, value);
}

/* ---- arrays ------------------------------------------------------------------------ */

/* Get the data of an array, which may extend beyond its field, but not beyond the payload. */
static const uint8_t *array_bytes(struct tally_tp_run *run, const struct tally_tp_node *node,
				  uint64_t count, uint64_t size, uint64_t *ret_nr)
{
	size_t len;
	const uint8_t *data = tally_tp_bytes(run, node->a, &len);
	uint64_t room = (uint64_t)(run->data + run->len - data) / size;

	if (count > room)
		run->short_payload = true;
	*ret_nr = TALLY_MIN(count, room);
	return data;
}

static void hex_bytes_add(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t nr;
	const uint8_t *data = array_bytes(run, node, (uint32_t)tally_tp_eval(run, node->b), 1, &nr);

	for (uint64_t i = 0; i < nr && !tally_tp_is_full(run->out, run->limit); i++) {
		char two[2] = {digits[data[i] >> 4], digits[data[i] & 15]};

		if (i)
			tally_tp_add(run->out, run->limit, node->text, node->len);
		tally_str_add_bytes(run->out, two, 2);
	}
}

static void array_add(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	uint64_t size = tally_tp_eval(run, node->c), nr;
	uint64_t count = (uint32_t)tally_tp_eval(run, node->b);
	const uint8_t *data;

	if (size != 1 && size != 2 && size != 4 && size != 8) {
		run->short_payload = true; /* invalid element size */
		return;
	}
	data = array_bytes(run, node, count, size, &nr);
	for (uint64_t i = 0; i < nr && !tally_tp_is_full(run->out, run->limit); i++) {
		if (i)
			tally_tp_add(run->out, run->limit, node->text, node->len);
		tally_str_add_u64(run->out,
				  tally_tp_load(run, (uint64_t)(data - run->data) + i * size,
						(uint32_t)size));
	}
}

/* ---- masks -------------------------------------------------------------------------- */

/* Return byte `i` of a mask, counted from the least significant byte. The kernel's masks are arrays
 * of longs. */
static uint8_t mask_byte(const struct tally_tp_run *run, const uint8_t *data, size_t i)
{
	size_t word = run->print->target.long_size;

	return run->print->target.big_endian ? data[i / word * word + word - 1 - i % word]
					     : data[i];
}

static size_t mask_whole(const struct tally_tp_run *run, size_t len)
{
	size_t word = run->print->target.long_size;

	return run->print->target.big_endian ? len / word * word : len;
}

static void bitmask_add(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	size_t len;
	const uint8_t *data = tally_tp_bytes(run, node, &len);

	len = mask_whole(run, len);
	for (size_t i = len; i-- > 0 && !tally_tp_is_full(run->out, run->limit);) {
		tally_str_add_hex(run->out, mask_byte(run, data, i), 2);
		if (i && i % 4 == 0)
			tally_str_add_char(run->out, ',');
	}
}

static void cpumask_add(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	size_t len, nr, first, cpu = 0;
	const uint8_t *data = tally_tp_bytes(run, node, &len);
	bool some = false;

	nr = 8 * mask_whole(run, len);
	while (cpu < nr && !tally_tp_is_full(run->out, run->limit)) {
		if (!(mask_byte(run, data, cpu / 8) >> (cpu % 8) & 1)) {
			cpu++;
			continue;
		}
		first = cpu;
		while (cpu < nr && mask_byte(run, data, cpu / 8) >> (cpu % 8) & 1)
			cpu++;
		if (some)
			tally_str_add_char(run->out, ',');
		some = true;
		tally_str_add_u64(run->out, first);
		if (cpu - first > 1) {
			tally_str_add_char(run->out, '-');
			tally_str_add_u64(run->out, cpu - 1);
		}
	}
}

void tally_tp_text_run(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const struct tally_tp_node *node)
{
	size_t start = run->out->len;

	switch ((enum tally_tp_op)node->op) {
	case TP_NUM:
	case TP_TEXT: padded_add(run, piece, node->text, node->len); break;
	case TP_FIELD: field_add(run, piece, node); break;
	case TP_STR: string_add(run, piece, node); break;
	case TP_FLAGS: flags_add(run, piece, node); break;
	case TP_SYMBOLIC: symbol_add(run, piece, node); break;
	case TP_HEX: hex_bytes_add(run, node); break;
	case TP_ARRAY: array_add(run, node); break;
	case TP_COND:
		tally_tp_text_run(run, piece, tally_tp_eval(run, node->a) ? node->b : node->c);
		break;
	case TP_BITMASK:
	case TP_CPUMASK:
		if (node->op == TP_BITMASK)
			bitmask_add(run, node);
		else
			cpumask_add(run, node);
		if (!is_plain(piece) && !tally_str_error(run->out))
			pad_apply(run, piece, start);
		break;
	default: break; /* perf prints nothing for other nodes */
	}
}
