# SPDX-License-Identifier: BSD-2-Clause
"""Test programs that used to fail under tally emulate or that used to crash its server.

usage: robust.py TALLY ROBUST
"""
import os
import resource
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, ROBUST = sys.argv[1:3]
FOLDER = tap.workplace("emulate-robust")
HOSTS = ("kernel", "user", "sim")


def host(name):
    """Return the words that must precede a command to run the command on this host."""
    machine.need_process_vm()
    if name == "kernel":
        machine.need_events()
    if name == "user":
        machine.need_ptrace()
    if name == "sim":
        name = "sim:" + os.path.join(FOLDER, "machine.sim")
        with open(name[4:], "w", encoding="ascii") as file:
            file.write("time call 10ms\n")
    return [TALLY, "emulate", "--host", name, "--"]


def says(mode, name, want, **options):
    done = tap.run(*host(name), ROBUST, mode, **options)
    tap.same((done.returncode, done.stderr, done.stdout), (0, "", want), f"{mode} on {name}")


@tap.always
def test_events_that_were_mapped_leave_no_descriptors():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    for name in HOSTS:
        says("rounds", name, "600 rounds\n", preexec_fn=few)


@tap.always
def test_an_event_that_is_mapped_again_does_not_hang_up():
    for name in HOSTS:
        says("remap", name, "poll: IN\n")


@tap.always
def test_reads_in_a_handler_on_a_small_stack():
    for name in HOSTS:
        says("small_stack", name, "read: 8\n", env=dict(os.environ, LD_BIND_NOW="1"))


@tap.always
def test_a_program_that_dropped_its_user_measures_only_itself():
    machine.need_root()
    for name in ("kernel", "user"):
        says("dropped", name, "others: Permission denied, all of a CPU: Permission denied, own: Success\n")


@tap.always
def test_other_signals_arrive_as_they_were_sent():
    for name in HOSTS:
        says("others", name, "child: code 1, pid right\nfault: code 1, address 0x123450\n")


@tap.always
def test_a_program_that_only_waits_is_woken():
    for name in HOSTS:
        says("waits", name, "poll: 1\n")


@tap.always
def test_a_read_to_a_bad_pointer_leaves_no_reply_behind():
    for name in HOSTS:
        says("bad_pointers", name, "read: Bad address, id: right, open: works\n")


@tap.always
def test_writing_to_an_event_blocks_nobody():
    for name in HOSTS:
        says("writes", name, "went on\n", timeout=60)


@tap.always
def test_threads_of_a_program_that_dropped_its_user_are_answered():
    machine.need_root()
    for name in ("kernel", "user"):
        says("threads", name, "all open\n")


@tap.always
def test_a_classic_ring_of_one_page_is_woken():
    for name in HOSTS:
        words = host(name)
        done = tap.run(*words[:-1], "--abi", "classic", "--", ROBUST, "classic")
        tap.same((done.returncode, done.stderr, done.stdout), (0, "", "poll: 1\n"), name)


def test_nested_emulate_is_rejected():
    # Set this option only for the inner tally: ASan's runtime rejects a library that is loaded before it.
    options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"
    done = tap.run(*host("user"), "env", "ASAN_OPTIONS=" + options, TALLY, "emulate", "--", "true")
    tap.same((done.returncode, "under another 'tally emulate'" in done.stderr), (1, True), done.stderr)


tap.main(__name__)
