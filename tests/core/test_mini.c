/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test the minimal host itself. It must report events to the core correctly, and detect every
 * contract violation that it checks for.
 */
#include <string.h>

#include "core/minimal/mini.h"
#include "test.h"

static struct mini mini;

/* ---- hosting the core ------------------------------------------------------------------- */

static void test_counts(void **state)
{
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr), .config = 1};
	uint64_t value;
	int fd;

	mini_begin(&mini, 2, NULL);
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), mini.tasks[0]->perf.tid, -1, -1,
		       0);
	assert_true(fd >= 0);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	mini_count(&mini, 0, 12345);
	mini_switch(&mini, NULL);
	assert_int_equal(mini_read(&mini, fd, &value, sizeof(value)), sizeof(value));
	assert_int_equal(value, 12345);
	mini_end(&mini);
}

static void test_samples(void **state)
{
	const struct tally_core_sample_data data = {.ip = 0x77, .mode = PERF_RECORD_MISC_USER};
	struct perf_event_attr attr = {.type = 10,
				       .size = sizeof(attr),
				       .sample_period = 100,
				       .wakeup_events = 1,
				       .sample_type = PERF_SAMPLE_IP};
	struct tally_core_buffer *buffer;
	const uint64_t *record;
	int fd;

	mini_begin(&mini, 1, NULL);
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, -1, 0);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, 3 * 4096, true, &buffer), 0);
	mini_count(&mini, 0, 100);
	assert_true(mini_overflow(&mini, 0, &data));
	record = tally_core_buffer_page(buffer, 1);
	assert_int_equal(record[1], 0x77);
	assert_int_equal(mini.files[fd].notices, 1);
	assert_int_equal(mini_poll(&mini, fd), TALLY_CORE_POLLIN);
	mini_end(&mini);
}

static void test_children(void **state)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .inherit = 1};
	struct mini_task *child;
	uint64_t value;
	int fd;

	mini_begin(&mini, 2, NULL);
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), mini.tasks[0]->perf.tid, -1, -1,
		       0);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_on(&mini, 1);
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	mini_exit(&mini, child);
	mini_offline(&mini, 0);
	mini_online(&mini, 0);
	assert_int_equal(mini_read(&mini, fd, &value, sizeof(value)), sizeof(value));
	assert_int_equal(value, 3);
	mini_end(&mini);
}

/* ---- detecting violations --------------------------------------------------------------- */

static jmp_buf broken;
static char sentence[256];
static struct mini_lock some_lock;

static void on_broken(struct mini *where, const char *text)
{
	strncpy(sentence, text, sizeof(sentence) - 1);
	longjmp(broken, 1);
}

static void breach_copy_locked(void)
{
	uint32_t word, user = 0;

	mini_ops.lock(&mini, &some_lock);
	mini_ops.copy_from_user(&mini, &word, &user, sizeof(word));
}

static void breach_copy_space(void)
{
	uint32_t word = 0, user;

	mini.held[mini.nr_held++].lock = NULL;
	mini_ops.copy_to_user(&mini, &user, &word, sizeof(word));
}

static void breach_alloc_locked(void)
{
	mini_ops.lock(&mini, &some_lock);
	mini_ops.alloc(&mini, 8);
}

static void breach_alloc_off(void)
{
	mini_ops.irq_save(&mini);
	mini_ops.alloc(&mini, 8);
}

static void breach_size(void)
{
	mini_ops.free(&mini, mini_ops.alloc(&mini, 8), 16);
}

static void breach_free(void)
{
	mini_ops.free(&mini, &mini, 16);
}

static void breach_kind(void)
{
	mini_ops.free(&mini, mini_ops.pages_alloc(&mini, 1), 1);
}

static void breach_lock_twice(void)
{
	mini_ops.lock(&mini, &some_lock);
	mini_ops.lock(&mini, &some_lock);
}

static void breach_lock_off(void)
{
	mini_ops.irq_save(&mini);
	mini_ops.lock(&mini, &some_lock);
}

static void breach_lock_freed(void)
{
	struct mini_lock *lock = mini_ops.lock_new(&mini);

	mini_ops.lock(&mini, lock);
	mini_ops.lock_free(&mini, lock);
}

static void breach_get_locked(void)
{
	mini_ops.lock(&mini, &some_lock);
	mini_ops.task_get(&mini, NULL, 1);
}

static void breach_unlock(void)
{
	mini_ops.unlock(&mini, &some_lock);
}

static void breach_irq_order(void)
{
	uintptr_t outer = mini_ops.irq_save(&mini);

	mini_ops.irq_save(&mini);
	mini_ops.irq_restore(&mini, outer);
}

static void breach_call_off(void)
{
	mini_ops.irq_save(&mini);
	mini_ops.call(&mini, 1, NULL, NULL);
}

static void breach_two_fetches(void)
{
	uint64_t user = 0, word;

	mini_ops.copy_from_user(&mini, &word, &user, 4);
	mini_ops.copy_from_user(&mini, (uint8_t *)&word + 3, (uint8_t *)&user + 3, 5);
}

static void breach_put(void)
{
	mini_ops.task_put(&mini, &mini.tasks[0]->perf);
}

static void breach_wait(void)
{
	for (int i = 0; i < 2000; i++)
		mini_ops.relax(&mini);
}

static void breach_spin(void)
{
	mini_ops.irq_save(&mini);
	mini_ops.relax(&mini);
}

static void breach_notify(void)
{
	mini_ops.notify(&mini, NULL, 1);
}

static void breach_trap(void)
{
	mini_ops.irq_save(&mini);
	mini_ops.sigtrap(&mini, &mini.tasks[0]->perf, 0, 0, 0);
}

static void breach_add(void)
{
	struct tally_core_hw hw = {.index = -1};

	mini.pmus[0].add(&mini.pmus[0], &hw);
}

static void breach_del(void)
{
	struct tally_core_hw hw = {.index = 2};

	mini_ops.irq_save(&mini);
	mini.pmus[0].del(&mini.pmus[0], &hw);
}

static void breach_write_after_free(void)
{
	uint8_t *memory = mini_ops.alloc(&mini, 100);

	mini_ops.free(&mini, memory, 100);
#ifdef __SANITIZE_ADDRESS__
	/* With the sanitizer, the write below would abort, so report the violation here. */
	on_broken(&mini, "memory was written after it was freed");
#endif
	memory[50] = 1;
	mini_memory_check(&mini);
}

static const struct {
	void (*breach)(void);
	const char *sentence;
} breaches[] = {
	{breach_copy_locked, "copy_from_user is called under a lock of the core"},
	{breach_copy_space, "copy_to_user is called under the lock of the address space"},
	{breach_alloc_locked, "alloc is called under a lock of the core"},
	{breach_alloc_off, "alloc, which may sleep, is called with interrupts off"},
	{breach_size, "16 are freed of memory made with 8"},
	{breach_free, "memory is freed that is not held"},
	{breach_write_after_free, "memory was written after it was freed"},
	{breach_kind, "pages are freed as memory, or memory as pages"},
	{breach_lock_twice, "lock is called under a lock of the core"},
	{breach_lock_off, "lock, which may sleep, is called with interrupts off"},
	{breach_lock_freed, "a lock is freed that is held"},
	{breach_get_locked, "task_get is called under a lock of the core"},
	{breach_unlock, "a lock is given back that is not the last that was taken"},
	{breach_irq_order, "interrupts are restored to 0 from 2"},
	{breach_call_off, "call, which may sleep, is called with interrupts off"},
	{breach_two_fetches, "user memory is fetched twice in one call"},
	{breach_put, "task_put of a task that nobody has"},
	{breach_wait, "something is waited for that does not happen"},
	{breach_spin, "a spin lock is waited for that what was interrupted holds"},
	{breach_notify, "notify is called with interrupts on"},
	{breach_trap, "SIGTRAP for a task that does not run here"},
	{breach_add, "the PMU's add is called with interrupts on"},
	{breach_del, "an event is not on the counter it is said to be on"},
};

/* Commit a violation on a new host and check the host's message. Afterwards only the host's memory
 * is freed. */
static void check_breach(void (*breach)(void), const char *expected)
{
	mini_begin(&mini, 2, NULL);
	mini.on_broken = on_broken;
	*sentence = 0;
	some_lock.held = false;
	if (!setjmp(broken))
		breach();
	assert_string_equal(sentence, expected);
	mini_abandon(&mini);
}

static void every_violation_is_detected(void **state)
{
	for (size_t i = 0; i < sizeof(breaches) / sizeof(breaches[0]); i++)
		check_breach(breaches[i].breach, breaches[i].sentence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_children),
		cmocka_unit_test(every_violation_is_detected),
	};

	return cmocka_run_group_tests_name("core/minimal", tests, NULL, NULL);
}
