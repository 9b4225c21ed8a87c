/* SPDX-License-Identifier: BSD-2-Clause */
/* Run the scenario repeatedly, and make a different allocation or copy from or to user memory fail
 * in each run. The affected call must fail, but nothing may be lost or leaked. */
#include "core/minimal/scenario.h"
#include "core/mini_test.h"

static struct mini mini;

static void check_opened(void)
{
	uint64_t words[64];

	mini.refuse_alloc = mini.refuse_copy = 0;
	for (int fd = 0; fd < MINI_FILES; fd++) {
		if (mini.files[fd].event)
			assert_true(mini_read(&mini, fd, words, sizeof(words)) >= 0);
	}
}

/* Run the scenario until nothing fails any longer, and return the number of runs. */
static uint64_t play_refused(bool copies, unsigned nr_cpus, bool scattered)
{
	struct tally_core_settings settings;
	uint64_t nth = 0;
	bool refused = true;

	tally_core_settings_init(&settings);
	settings.record_max = 4096;
	settings.scattered = scattered;
	while (refused) {
		mini_begin(&mini, nr_cpus, &settings);
		*(copies ? &mini.refuse_copy : &mini.refuse_alloc) = ++nth;
		mini_scenario(&mini);
		refused = mini.refused;
		check_opened();
		mini_end(&mini);
	}
	return nth;
}

static void each_refused_allocation_fails_its_call_and_leaks_nothing(void **state)
{
	uint64_t nr = play_refused(false, 2, false);

	print_message("# %llu allocations\n", (unsigned long long)nr);
	assert_true(nr > 30);
}

static void refused_allocations_of_scattered_rings_leak_nothing(void **state)
{
	assert_true(play_refused(false, 4, true) > 30);
}

static void each_refused_copy_fails_its_call_and_leaks_nothing(void **state)
{
	assert_true(play_refused(true, 2, false) > 10);
}

static void a_run_of_everything_keeps_the_contract(void **state)
{
	mini_test_begin(&mini, 4, NULL);
	assert_true(mini_scenario(&mini) > 40);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refused_allocation_fails_its_call_and_leaks_nothing),
		cmocka_unit_test(refused_allocations_of_scattered_rings_leak_nothing),
		cmocka_unit_test(each_refused_copy_fails_its_call_and_leaks_nothing),
		cmocka_unit_test(a_run_of_everything_keeps_the_contract),
	};

	return cmocka_run_group_tests_name("core/refused", tests, NULL, NULL);
}
