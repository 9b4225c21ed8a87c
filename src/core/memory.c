/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that compilers call implicitly, for hosts without a C library. They are weak, so the
 * host's own versions, which are faster, take precedence.
 */
#include <stddef.h>
#include <stdint.h>

#if !__STDC_HOSTED__

#define WEAK __attribute__((weak, optimize("no-tree-loop-distribute-patterns")))

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	return memmove(to, from, len);
}

WEAK void *memmove(void *to, const void *from, size_t len)
{
	const unsigned char *f = from;
	unsigned char *t = to;

	if (t <= f) {
		for (size_t i = 0; i < len; i++)
			t[i] = f[i];
	} else {
		while (len--)
			t[len] = f[len];
	}
	return to;
}

WEAK void *memset(void *to, int byte, size_t len)
{
	unsigned char *t = to;

	while (len--)
		*t++ = (unsigned char)byte;
	return to;
}

WEAK int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;

	while (len && *x == *y) {
		x++;
		y++;
		len--;
	}
	return len ? *x - *y : 0;
}

/* 64-bit shifts on 32-bit machines, called by code that is optimized for size. */
#if UINTPTR_MAX == UINT32_MAX

uint64_t __ashldi3(uint64_t value, int by);
uint64_t __lshrdi3(uint64_t value, int by);
int64_t __ashrdi3(int64_t value, int by);

static uint64_t join(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

WEAK uint64_t __ashldi3(uint64_t value, int by)
{
	uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;

	if (by >= 32)
		return join(low << (by - 32), 0);
	return by ? join(high << by | low >> (32 - by), low << by) : value;
}

WEAK uint64_t __lshrdi3(uint64_t value, int by)
{
	uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;

	if (by >= 32)
		return high >> (by - 32);
	return by ? join(high >> by, low >> by | high << (32 - by)) : value;
}

WEAK int64_t __ashrdi3(int64_t value, int by)
{
	uint64_t shifted = __lshrdi3((uint64_t)value, by);

	return (int64_t)(value < 0 ? ~__lshrdi3(~(uint64_t)value, by) : shifted);
}

#endif

#endif
