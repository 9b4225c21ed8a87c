/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's extensions to %p: network addresses, MAC addresses and UUIDs. */
#include <string.h>

#include "base/endian.h"
#include "printfmt/printfmt.h"

/* Linux address families. */
enum { FAMILY_INET = 2, FAMILY_INET6 = 10 };

static void byte_add(struct tally_str *out, uint8_t byte, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char two[2] = {digits[byte >> 4], digits[byte & 15]};

	tally_str_add_bytes(out, two, 2);
}

/* Append an IPv4 address. `reversed` is set for format letters h and l if the number is stored in
 * little-endian order. */
static void ip4_add(struct tally_str *out, const uint8_t *ip, bool zeros, bool reversed)
{
	for (int i = 0; i < 4; i++) {
		unsigned byte = ip[reversed ? 3 - i : i];

		if (i)
			tally_str_add_char(out, '.');
		if (zeros && byte < 100)
			tally_str_add_bytes(out, "00", byte < 10 ? 2 : 1);
		tally_str_add_u64(out, byte);
	}
}

static void ip6_whole_add(struct tally_str *out, const uint8_t *ip, bool colons)
{
	for (int i = 0; i < 16; i += 2) {
		byte_add(out, ip[i], false);
		byte_add(out, ip[i + 1], false);
		if (colons && i < 14)
			tally_str_add_char(out, ':');
	}
}

/* Return true for IPv4-mapped and ISATAP addresses, which end in dotted form. */
static bool ip6_has_ip4(const uint8_t *ip)
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

	if (!memcmp(ip, mapped, sizeof(mapped)))
		return true;
	return (ip[8] & ~2) == 0 && ip[9] == 0 && ip[10] == 0x5e && ip[11] == 0xfe;
}

/* Find the first of the longest runs of two or more zero words among `nr` words. */
static int zeros_find(const uint8_t *ip, int nr, int *ret_len)
{
	int best = -1, best_len = 1;

	for (int i = 0, len; i < nr; i += len ? len : 1) {
		for (len = 0; i + len < nr && !ip[2 * (i + len)] && !ip[2 * (i + len) + 1]; len++) {
		}
		if (len > best_len) {
			best = i;
			best_len = len;
		}
	}
	*ret_len = best_len;
	return best;
}

static void ip6_short_add(struct tally_str *out, const uint8_t *ip)
{
	bool ip4 = ip6_has_ip4(ip), colon = false;
	int nr = ip4 ? 6 : 8, gap_len, gap = zeros_find(ip, nr, &gap_len);

	for (int i = 0; i < nr; i++) {
		if (i == gap) {
			tally_str_add_bytes(out, "::", 2);
			colon = false;
			i += gap_len - 1;
			continue;
		}
		if (colon)
			tally_str_add_char(out, ':');
		tally_str_add_hex(out, (uint64_t)ip[2 * i] << 8 | ip[2 * i + 1], 0);
		colon = true;
	}
	if (ip4) {
		if (colon)
			tally_str_add_char(out, ':');
		ip4_add(out, ip + 12, false, false);
	}
}

static void ip6_add(struct tally_str *out, const struct tally_tp_piece *piece, const uint8_t *ip)
{
	if (piece->style == 'c' && !piece->small_i)
		ip6_short_add(out, ip);
	else
		ip6_whole_add(out, ip, !piece->small_i);
}

static void port_add(struct tally_str *out, const uint8_t *sockaddr)
{
	tally_str_add_char(out, ':');
	tally_str_add_u64(out, (uint64_t)sockaddr[2] << 8 | sockaddr[3]);
}

/* Append a socket address. Nothing is printed if the address is neither IPv4 nor IPv6, or if the
 * data is too short. */
static void sockaddr_add(struct tally_tp_run *run, const struct tally_tp_piece *piece,
			 const uint8_t *data, size_t len)
{
	uint16_t family = len >= 2 ? tally_load_u16(data, run->print->target.swap) : 0;

	if (family == FAMILY_INET && len >= 8) {
		ip4_add(run->out, data + 4, piece->small_i, false);
		if (piece->port)
			port_add(run->out, data);
	} else if (family == FAMILY_INET6 && len >= 24) {
		if (piece->port)
			tally_str_add_char(run->out, '[');
		ip6_add(run->out, piece, data + 8);
		if (piece->port) {
			tally_str_add_char(run->out, ']');
			port_add(run->out, data);
		}
	}
}

static void mac_add(struct tally_str *out, const struct tally_tp_piece *piece, const uint8_t *mac)
{
	for (int i = 0; i < 6; i++) {
		if (i && piece->style != 'm')
			tally_str_add_char(out, piece->style);
		byte_add(out, mac[piece->port ? 5 - i : i], false);
	}
}

static void uuid_add(struct tally_str *out, const struct tally_tp_piece *piece, const uint8_t *id)
{
	static const uint8_t big[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const uint8_t little[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *order = piece->style == 'l' || piece->style == 'L' ? little : big;
	bool upper = piece->style == 'B' || piece->style == 'L';

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			tally_str_add_char(out, '-');
		byte_add(out, id[order[i]], upper);
	}
}

void tally_tp_address_run(struct tally_tp_run *run, const struct tally_tp_piece *piece)
{
	size_t len;
	const uint8_t *data = tally_tp_bytes(run, piece->arg, &len);
	bool reversed;

	if (piece->kind == TP_SOCKADDR) {
		sockaddr_add(run, piece, data, len);
		return;
	}
	if (len < piece->arg->size) {
		run->short_payload = true;
		return;
	}
	switch ((enum tally_tp_piece_kind)piece->kind) {
	case TP_IP4:
		reversed = piece->style == 'l' ||
			   (piece->style == 'h' && !run->print->target.big_endian);
		ip4_add(run->out, data, piece->small_i, reversed);
		break;
	case TP_IP6: ip6_add(run->out, piece, data); break;
	case TP_MAC: mac_add(run->out, piece, data); break;
	case TP_UUID: uuid_add(run->out, piece, data); break;
	default: break;
	}
}
