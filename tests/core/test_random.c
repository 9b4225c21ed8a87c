/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A million random operations on random machines. All invariants are checked after each operation.
 * Use TALLY_OPERATIONS=100000000 for the nightly run. TALLY_SEED repeats a run.
 */
#include "core/random_sim.h"
#include "tier.h"
#include "test.h"

enum { OPERATIONS_EACH = 20000 };

static void random_operations_keep_the_invariants(void **state)
{
	const char *text = getenv("TALLY_OPERATIONS");
	uint64_t wanted = text ? strtoull(text, NULL, 0) : 1000000 / tier_step(4), done = 0,
		 checks = 0;
	struct random random = random_start();
	static struct random_sim random_sim;

	while (done < wanted) {
		random_sim_start(&random_sim, random);
		random_u64(&random);
		for (int i = 0; i < OPERATIONS_EACH; i++) {
			random_sim_step(&random_sim);
			random_sim_check(&random_sim);
		}
		done += random_sim.ops;
		checks += random_sim.checks;
		random_sim_end(&random_sim);
	}
	printf("# %llu operations, %llu values equal to the truth\n", (unsigned long long)done,
	       (unsigned long long)checks);
	assert_true(checks > done / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_operations_keep_the_invariants)};

	return cmocka_run_group_tests_name("core/random", tests, NULL, NULL);
}
