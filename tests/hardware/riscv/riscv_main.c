/* SPDX-License-Identifier: BSD-2-Clause */
/* The first task, which runs all tests. tests/hardware/riscv.py checks their output. */
#include "riscv/riscv_user.h"

void user_main(uintptr_t nr_cpus);

void user_main(uintptr_t nr_cpus)
{
	say("harts", nr_cpus);
	if (nr_cpus == 1) {
		test_count();
		test_sample();
		test_control();
		test_cost();
	} else {
		test_harts();
	}
	test_stream(nr_cpus);
	call(CALL_OFF, 0, 0, 0, 0, 0);
}
