/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare the shifts in core/memory.c with the compiler's. Built freestanding for 32 bits. */
#include <stddef.h>
#include <stdint.h>

uint64_t __ashldi3(uint64_t value, int by);
uint64_t __lshrdi3(uint64_t value, int by);
int64_t __ashrdi3(int64_t value, int by);

static const uint64_t values[] = {
	0, 1, UINT32_MAX, UINT64_C(1) << 63, UINT64_C(0x8123456789abcdef), UINT64_MAX,
};

int main(void)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (int by = 0; by < 64; by++) {
			uint64_t value = values[i];

			if (__ashldi3(value, by) != value << by ||
			    __lshrdi3(value, by) != value >> by ||
			    __ashrdi3((int64_t)value, by) != (int64_t)value >> by)
				return 1;
		}
	}
	return 0;
}
