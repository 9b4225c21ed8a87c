#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally stat` on running tasks, with control commands, signals and limits, and on cgroups.

usage: stat_tasks.py TALLY

No test depends on how long something takes: tests wait for timed events.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from steps import stat  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])


# ---- tasks -----------------------------------------------------------------------

class Worker:
    """A process that, on request, causes a number of page faults and reports that it has done so."""
    SCRIPT = ("import sys\nkept=[]\nprint('ready', flush=True)\n"
              "for line in sys.stdin:\n kept.append(bytearray(1<<24))\n print('done', flush=True)\n")

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-S", "-c", self.SCRIPT], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def work(self):
        self.process.stdin.write("work\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


class Controlled:
    """A tally stat process that starts disabled and reads commands from a FIFO."""

    def __init__(self, *args):
        self.args = args

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        paths = [os.path.join(self.folder.name, name) for name in ("control", "ack")]
        for path in paths:
            os.mkfifo(path)
        self.control, self.ack = (os.open(path, os.O_RDWR) for path in paths)
        self.process = subprocess.Popen([TALLY, "stat", "-D", "-1", "--control", "fifo:" + ",".join(paths), "--json",
                                         *self.args], stderr=subprocess.PIPE, text=True)
        return self

    def tell(self, word):
        os.write(self.control, word.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n\0"):
            answer += os.read(self.ack, 64)
        assert answer == b"ack\n\0", answer

    def end(self):
        _, text = self.process.communicate(timeout=tap.PATIENCE)
        return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        os.close(self.control)
        os.close(self.ack)
        self.folder.cleanup()


def counted_work(option):
    with Worker() as worker:
        with Controlled("-e", "page-faults", option, str(worker.process.pid)) as tally:
            tally.tell("ping")
            worker.work()
            tally.tell("enable")
            worker.work()
            tally.tell("disable")
            worker.work()
            os.kill(tally.process.pid, signal.SIGINT)
            value = tally.end()["counts"][0]["value"]
            assert 4096 <= value < 2 * 4096, value
            assert tally.process.returncode == 130, tally.process.returncode


def test_a_running_process_under_control():
    counted_work("-p")


def test_a_running_thread_under_control():
    counted_work("-t")


def test_it_ends_with_the_process_it_counts():
    for option in ("-p", "-t"):
        with Worker() as worker:
            with Controlled("-e", "page-faults", option, str(worker.process.pid)) as tally:
                tally.tell("enable")
                worker.work()
                worker.process.stdin.close()
                assert tally.end()["counts"][0]["value"] >= 4096
                assert tally.process.returncode == 0


def test_threads_of_a_process_apart():
    with Worker() as worker:
        with Controlled("-e", "page-faults", "--per-thread", "-p", str(worker.process.pid)) as tally:
            tally.tell("enable")
            worker.work()
            os.kill(tally.process.pid, signal.SIGINT)
            count = tally.end()["counts"][0]
            assert count["tid"] == worker.process.pid and count["value"] >= 4096, count


def test_control_by_descriptors():
    control, ack = os.pipe(), os.pipe()
    os.write(control[1], b"enable\nping\n")
    text = stat("-D", "-1", "--json", "-e", "page-faults", "--control", f"fd:{control[0]},{ack[1]}",
                *["sh", "-c", f"read answer <&{ack[0]}; exec {sys.executable} -S -c 'bytearray(1<<24)'"],
                pass_fds=(control[0], ack[0], ack[1]))
    for fd in control + ack:
        os.close(fd)
    value = json.loads([line for line in text.splitlines() if line.startswith("{")][-1])["counts"][0]["value"]
    assert value >= 4096, text


def test_interrupt_shows_what_was_counted():
    """Check that tally forwards a signal to the command if only tally received it. With -r, the counts of the runs so
    far are printed."""
    for options in ([], ["-r", "0"]):
        process = subprocess.Popen([TALLY, "stat", *options, "-e", "page-faults", "sh", "-c", "echo up; exec sleep 1000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 130, process.returncode
        assert re.search(r" [1-9]\d* +page-faults", text), text


def test_delay_starts_later():
    """Check that counting starts after the delay. The command runs until the test has seen that counting has
    started."""
    process = subprocess.Popen([TALLY, "stat", "-D", "1", "--json", "-e", "cs", "cat"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline() == "Events disabled\n"
    assert process.stderr.readline() == "Events enabled\n"
    process.stdin.close()
    assert json.loads(process.stderr.read())["counts"][0]["quality"] in ("exact", "never ran")
    process.stderr.close()
    assert process.wait() == 0


def test_timeout_ends_the_command():
    text = stat("--timeout", "20", "-e", "page-faults", "sleep", "1000")
    assert "seconds time elapsed" in text, text


def test_stop_by_control_leaves_the_commands_own_status():
    with tempfile.TemporaryDirectory() as folder:
        up = os.path.join(folder, "up")
        os.mkfifo(up)
        script = f"trap 'exit 5' TERM; echo up > {up}; while :; do sleep 0.01; done"
        with Controlled("-e", "cs", "sh", "-c", script) as tally:
            with open(up, encoding="utf-8") as file:
                assert file.read() == "up\n"
            tally.tell("stop")
            tally.end()
            assert tally.process.returncode == 5, tally.process.returncode


# ---- cgroups ---------------------------------------------------------------------

def cgroup_root():
    machine.need_cgroup_events()
    return machine.cgroup_root()


class Cgroup:
    def __init__(self, name):
        self.path = os.path.join(cgroup_root(), name)

    def __enter__(self):
        machine.need_system_wide()
        machine.need_new_cgroups()
        os.mkdir(self.path)
        return self

    def __exit__(self, *_):
        os.rmdir(self.path)

    def run(self, script):
        """Return a shell command that first moves itself to the cgroup."""
        return ["sh", "-c", f"echo $$ > {self.path}/cgroup.procs && {script}"]


def test_each_cgroup_has_every_event():
    name = f"tally-test-{os.getpid()}"
    with Cgroup(name) as cgroup:
        command = cgroup.run(" ".join(["exec", sys.executable, "-S", "-c", "'bytearray(1<<24)'"]))
        counts = json.loads(stat("-a", "--json", "-e", "page-faults,cs", "--for-each-cgroup", name + ",/", *command))
        names = [(count["event"], count["cgroup"]) for count in counts["counts"]]
        assert names == [("page-faults", name), ("cs", name), ("page-faults", "/"), ("cs", "/")], names
        assert counts["counts"][0]["value"] >= 4096, counts["counts"][0]
        for line in stat("-a", "-x,", "-e", "cs", "--for-each-cgroup", name, *command).splitlines():
            assert line.split(",")[3] == name, line
        event = json.loads(stat("-a", "-j", "-e", "cs", "--for-each-cgroup", name, *command))
        assert event["cgroup"] == name, event
        assert re.search(rf"cs +{name} ", stat("-a", "-e", "cs", "--for-each-cgroup", name, *command))


def test_cgroups_that_match_a_pattern():
    name = f"tally-pattern-{os.getpid()}"
    with Cgroup(name + "-a"), Cgroup(name + "-b"):
        counts = json.loads(stat("-a", "--json", "-e", "cs", "--for-each-cgroup", f"^{name}-[ab]$", "true"))["counts"]
        tap.same([count["cgroup"] for count in counts], [name + "-a", name + "-b"], "cgroups")
        counts = json.loads(stat("-a", "--json", "-e", "cs", "--for-each-cgroup", f"/,{name}-(b|c)", "true"))["counts"]
        tap.same([count["cgroup"] for count in counts], ["/", name + "-b"], "a name and a pattern")
        stat("-a", "-e", "cs", "--for-each-cgroup", f"^{name}-c$", "true", status=1, says="no cgroup matches")
        stat("-a", "-e", "cs", "--for-each-cgroup", "^(", "true", status=129, says="Invalid argument")


def test_cgroups_belong_to_the_events_before():
    machine.need_system_wide()
    cgroup_root()
    counts = json.loads(stat("-a", "--json", "-e", "cs,page-faults", "-G", "/", "-e", "faults", "true"))["counts"]
    assert [count.get("cgroup") for count in counts] == ["/", "/", None], counts
    stat("-a", "-e", "cs", "-G", "/,/", "true", status=129, says="more cgroups than preceding events")
    stat("-a", "-e", "cs", "--for-each-cgroup", "no/such/cgroup", "true", status=1, says="no/such/cgroup: No such file")


@tap.always
def test_tasks_of_a_list_that_are_gone_are_told():
    with subprocess.Popen(["sleep", "600"]) as alive:
        try:
            for command in (["stat"], ["record", "-o", "/dev/null"]):
                for pids in (f"{alive.pid},999999999", f"{alive.pid}, 999999999,"):
                    tap.run(TALLY, *command, "-e", "task-clock", "-p", pids, "true", status=0, says="ignoring task 999999999, which does not exist")
                run = tap.run(TALLY, *command, "-e", "task-clock", "-p", f"{alive.pid},", "true", status=0)
                assert "not exist" not in run.stderr, run.stderr
                tap.run(TALLY, *command, "-e", "task-clock", "-p", "999999999,999999998", "true", status=1, says="no such task")
        finally:
            alive.kill()


if __name__ == "__main__":
    tap.main(__name__, machine.need_kernel_events)
