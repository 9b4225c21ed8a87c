/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices of QEMU's virt machine: UART, clock, timer, inter-hart interrupts and power-off. */
#include "base/arith.h"
#include "ports/riscv/riscv_kernel.h"

enum { NS_PER_TIME = 100 }; /* the time register runs at 10 MHz */

void uart_write(const char *text, size_t len)
{
	volatile uint8_t *uart = (volatile uint8_t *)UART;
	uint64_t flags = irq_save();

	lock_acquire(&kernel.uart);
	while (len--) {
		while (!(uart[5] & 0x20))
			;
		*uart = (uint8_t)*text++;
	}
	lock_release(&kernel.uart);
	irq_restore(flags);
}

static void put_hex(uint64_t value)
{
	char text[17];

	for (int i = 0; i < 16; i++)
		text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
	text[16] = ' ';
	uart_write(text, sizeof(text));
}

void panic(const char *why, uint64_t a, uint64_t b)
{
	size_t len = 0;

	while (why[len])
		len++;
	uart_write("panic: ", 7);
	uart_write(why, len);
	uart_write(" ", 1);
	put_hex(a);
	put_hex(b);
	uart_write("\n", 1);
	power_off(99);
}

void power_off(uint32_t code)
{
	for (;;)
		*(volatile uint32_t *)FINISHER = code ? code << 16 | 0x3333 : 0x5555;
}

uint64_t clock_ns(void)
{
#if __riscv_xlen == 64
	return csr_read(time) * NS_PER_TIME;
#else
	uint32_t high, low;

	do {
		high = csr_read(timeh);
		low = csr_read(time);
	} while (high != csr_read(timeh));
	return ((uint64_t)high << 32 | low) * NS_PER_TIME;
#endif
}

void timer_program(const struct cpu *cpu)
{
	uint64_t at = cpu->deadline < cpu->next_tick ? cpu->deadline : cpu->next_tick;

	at = tally_div(at + NS_PER_TIME - 1, NS_PER_TIME);
#if __riscv_xlen == 32
	/* Set the upper half to its maximum first, so the register never contains a time in the
	 * past. */
	csr_write(0x15d /* stimecmph */, UINT32_MAX);
	csr_write(0x14d /* stimecmp */, at);
	csr_write(0x15d, at >> 32);
#else
	csr_write(0x14d, at);
#endif
}

/* Handle the timer interrupt. Ticks and the core's deadlines share the timer. */
void timer_interrupt(const struct tally_core_sample_data *sample_data)
{
	struct cpu *cpu = this_cpu();
	uint64_t now = clock_ns();

	if (now >= cpu->deadline) {
		cpu->deadline = UINT64_MAX;
		tally_core_timer(kernel.core, sample_data);
	}
	if (now >= cpu->next_tick) {
		cpu->next_tick += TICK_NS;
		cpu->resched = true;
		tally_core_tick(kernel.core, sample_data);
	}
	timer_program(cpu);
}

void ipi_send(uint32_t cpu)
{
	((volatile uint32_t *)CLINT)[cpu] = 1;
}
