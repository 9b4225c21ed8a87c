/* SPDX-License-Identifier: BSD-2-Clause */
/* The board: UART, clock, one-shot timer and power-off. */
#include "ports/cortexm/cortexm_kernel.h"

enum { TIMER_CTRL, TIMER_VALUE, TIMER_RELOAD, TIMER_INTCLEAR }; /* registers of a CMSDK timer */
enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 8 };
enum { EXIT_EXTENDED = 0x20, EXIT_APPLICATION = 0x20026 }; /* semihosting call */

#define ONE_SHOT device(0x40000000)
#define CLOCK    device(0x40001000)
#define UART     device(0x40004000)
#define SYSTICK  device(0xe000e010)
#define NVIC     device(0xe000e100) /* interrupt enable bits */

/*
 * The clock counter has 32 bits; ticks extend it to 64. The overflow interrupt, which is never
 * masked, reads the clock as well, possibly during a tick. So a tick updates the element of `half`
 * that is not in use, and then directs readers to that element. A reader that was interrupted by a
 * tick reads the clock again. The counter starts one second before it wraps, so every run includes
 * a wrap.
 */
static struct {
	uint32_t sequence;
	struct {
		uint64_t counts;
		uint32_t low;
	} half[2];
} extended;

uint32_t board_clock_low(void)
{
	return ~CLOCK[TIMER_VALUE];
}

static uint64_t counts_of_half(uint32_t half)
{
	return extended.half[half].counts + (board_clock_low() - extended.half[half].low);
}

uint64_t board_clock_ns(void)
{
	uint32_t sequence;
	uint64_t counts;

	do {
		sequence = __atomic_load_n(&extended.sequence, __ATOMIC_ACQUIRE);
		counts = counts_of_half(sequence & 1);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (sequence != __atomic_load_n(&extended.sequence, __ATOMIC_RELAXED));
	return counts * NS_PER_COUNT;
}

void board_clock_tick(void)
{
	uint32_t sequence = extended.sequence, low = board_clock_low();
	uint32_t from = sequence & 1, to = !from;

	extended.half[to].counts = extended.half[from].counts + (low - extended.half[from].low);
	extended.half[to].low = low;
	__atomic_store_n(&extended.sequence, sequence + 1, __ATOMIC_RELEASE);
}

/* Arm the timer. If the deadline is beyond the timer's range, the timer fires early and is armed
 * again. */
void board_timer_arm(uint64_t deadline)
{
	uint64_t now = board_clock_ns(), left = deadline > now ? deadline - now : 0;
	uint32_t wait = left > UINT32_MAX - NS_PER_COUNT ? UINT32_MAX - NS_PER_COUNT : left;

	ONE_SHOT[TIMER_CTRL] = 0;
	ONE_SHOT[TIMER_INTCLEAR] = 1;
	if (deadline == UINT64_MAX)
		return;
	wait = (wait + NS_PER_COUNT - 1) / NS_PER_COUNT;
	ONE_SHOT[TIMER_VALUE] = wait ? wait : 1;
	ONE_SHOT[TIMER_CTRL] = TIMER_ENABLE | TIMER_INTERRUPT;
}

void board_timer_acknowledge(void)
{
	ONE_SHOT[TIMER_INTCLEAR] = 1;
}

static void set_priority(uint32_t irq, uint8_t priority)
{
	((volatile uint8_t *)device(0xe000e400))[irq] = priority;
}

void board_init(void)
{
	UART[4] = 16; /* smallest divisor */
	UART[2] = 1;
	CLOCK[TIMER_RELOAD] = UINT32_MAX;
	CLOCK[TIMER_VALUE] = CLOCK_HZ;
	extended.half[0].low = board_clock_low();
	CLOCK[TIMER_CTRL] = TIMER_ENABLE;
	ONE_SHOT[TIMER_RELOAD] = 0; /* stop when the timer reaches 0 */
	set_priority(IRQ_ONE_SHOT, PRIORITY_KERNEL);
	set_priority(IRQ_COUNTER, PRIORITY_COUNTER);
	*device(0xe000ed20) = (uint32_t)PRIORITY_KERNEL << 24 | PRIORITY_PENDSV << 16;
	NVIC[0] = 1 << IRQ_ONE_SHOT | 1 << IRQ_COUNTER;
	SYSTICK[1] = CLOCK_HZ / (1000000000 / TICK_NS) - 1;
	SYSTICK[2] = 0;
	SYSTICK[0] = 7;
}

void board_write(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len--) {
		while (UART[1] & 1)
			;
		UART[0] = *at++;
	}
}

static void put_hex(uint32_t value)
{
	char text[9];

	for (int i = 0; i < 8; i++)
		text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	text[8] = ' ';
	board_write(text, sizeof(text));
}

void board_panic(const char *why, uint32_t a, uint32_t b)
{
	size_t len = 0;

	irq_save();
	while (why[len])
		len++;
	board_write("panic: ", 7);
	board_write(why, len);
	board_write(" ", 1);
	put_hex(a);
	put_hex(b);
	board_write("\n", 1);
	board_power_off(99);
}

void board_power_off(uint32_t code)
{
	const uint32_t block[2] = {EXIT_APPLICATION, code};

	for (;;)
		semihost(EXIT_EXTENDED, block);
}

uint32_t stack_used(const uint32_t *stack, size_t size)
{
	const uint32_t *at = stack, *end = stack + size / sizeof(*stack);

	while (at < end && *at == STACK_PAINT)
		at++;
	return (uint32_t)((const char *)end - (const char *)at);
}
