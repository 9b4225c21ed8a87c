#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally stat --prometheus`: the formats, which a strict parser and promtool read, the counts, the file for
node_exporter, and requests of hostile clients.

usage: prometheus.py TALLY
"""
import contextlib
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import exposition  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from served import OPEN, Served, Toucher, printed, status_line  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("prometheus")
EVENTS = "context-switches:u,page-faults:u,task-clock:u,cycles:u"
SLEEP = ["sleep", "1000"]
WORKER = [sys.executable, "-S", "-c", "bytearray(1 << 22)"]
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
COUNTED = {"exact", "scaled", "estimated"}
# Accept field of Prometheus 2.42.
ACCEPT = f"{OPEN};version=1.0.0,{OPEN};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"


def lint(body):
    """Check a text with promtool, if it is installed."""
    try:
        machine.need_tool("promtool", "--version")
    except tap.Skip:
        return
    checked = tap.run("promtool", "check", "metrics", input=body.decode())
    tap.same((checked.returncode, checked.stdout + checked.stderr), (0, ""), "promtool")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def total(families, event):
    return families.values("tally_event_total", "event")[event,]


# ---- formats -----------------------------------------------------------------


def test_a_strict_parser_reads_both_formats():
    with Served("-e", EVENTS, "-e", "duration_time", *SLEEP) as served:
        served.wait_for_counts()
        plain, opened = served.scrape(), served.scrape(OPEN)
        tap.same(opened.types["tally_build"], "info", "OpenMetrics")
        tap.same(opened.units["tally_event_enabled_seconds"], "seconds", "OpenMetrics")
        tap.same({name for name, _ in plain.samples}, {name for name, _ in opened.samples}, "metrics")
        lint(served.get()[2])
        version = tap.run(TALLY, "--version").stdout.split()[-1]
        tap.same(plain.values("tally_build_info", "version"), {(version,): 1}, "version")
        qualities = plain.values("tally_event_quality", "event", "quality")
        tap.same(len(qualities), 5, qualities)
        counted = {event for event, quality in qualities if quality in COUNTED}
        values = {**plain.values("tally_event_total", "event"), **plain.values("tally_event_seconds_total", "event")}
        tap.same({event for event, in values}, counted, "an event without a count has only a quality")
        assert ("task-clock:u",) in plain.values("tally_event_seconds_total", "event"), values


def test_the_client_chooses_the_format():
    with Served("-e", "dummy", *SLEEP) as served:
        for accept, is_open in ((None, False), ("*/*", False), (ACCEPT, True), ("text/plain", False),
                                (f"{OPEN};version=2.0.0", False), (f"text/plain;version=0.0.4;q=0.9,{OPEN};q=0.1", False)):
            kind = served.get(accept=accept)[1]
            tap.same(kind.startswith(OPEN), is_open, f"Accept: {accept}")


def test_labels_name_the_parts_of_the_machine():
    machine.need_system_wide()
    for option, label in (("-A", "cpu"), ("--per-socket", "socket"), ("--per-node", "node"), ("--per-core", "core")):
        with Served("-a", option, "-e", "context-switches") as served:
            values = served.scrape().values("tally_event_total", "event", label)
            assert values and all(part.isdigit() for _, part in values), values
            if option == "-A":
                tap.same(len(values), os.sysconf("SC_NPROCESSORS_ONLN"), "CPUs")


def test_labels_name_cgroups():
    machine.need_cgroup_events()
    with Served("-a", "--for-each-cgroup", "/", "-e", "context-switches") as served:
        tap.same(set(served.scrape().values("tally_event_total", "event", "cgroup")), {("context-switches", "/")}, "cgroup")


def test_label_values_are_escaped():
    with Served("-e", 'software/config=9,name=a"b\\c\x01é/', *SLEEP) as served:
        for accept in (None, OPEN):
            (event,), = served.scrape(accept).values("tally_event_quality", "event")
            tap.same(event.removesuffix("u").rstrip(":"), 'a"b\\c\\x01é', "event")
        lint(served.get()[2])


def test_metrics_are_gauges():
    with open(os.path.join(WORK, "metrics.json"), "w", encoding="utf-8") as file:
        json.dump([{"MetricName": "faults_per_ns", "MetricExpr": "page\\-faults / task\\-clock", "ScaleUnit": "1faults"}], file)
    path = os.path.join(WORK, "metrics.prom")
    tap.run(TALLY, "stat", f"--prometheus={path}", "--events-dir", WORK, "-M", "faults_per_ns,faults_per_ns", *WORKER, status=0)
    families = exposition.parse(contents(path), False)
    (key, value), = families.values("tally_metric", "metric", "unit").items()
    tap.same(key, ("faults_per_ns", "faults"), "metric")
    (faults,), (seconds,) = families.values("tally_event_total").values(), families.values("tally_event_seconds_total").values()
    tap.same(f"{value:.6e}", f"{faults / seconds / 1e9:.6e}", "value")
    os.remove(path)
    os.remove(os.path.join(WORK, "metrics.json"))


def test_the_user_host_estimates():
    path = os.path.join(WORK, "user.prom")
    run = tap.run(TALLY, "stat", f"--prometheus={path}", "--via=user", "-e", "page-faults,task-clock", *WORKER)
    if run.returncode:
        raise tap.Skip(run.stderr.strip().splitlines()[0])
    families = exposition.parse(contents(path), False)
    tap.same({quality for quality, in families.values("tally_event_quality", "quality")}, {"estimated"}, "quality")
    os.remove(path)


def test_listens_on_ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            pass
    except OSError as error:
        raise tap.Skip(f"no IPv6 here: {error}") from error
    for address, url in (("[::1]:0", "http://[::1]:"), ("[::]:0", "http://[::]:")):
        with Served("-e", "dummy", *SLEEP, address=address, host="::1") as served:
            assert served.url.startswith(url), served.url
            served.scrape()


# ---- counts ------------------------------------------------------------------


@tap.always
def test_counts_are_those_of_the_kernel_and_of_the_summary():
    with Toucher() as toucher:
        before = toucher.switches()
        with Served("-e", "page-faults:u,context-switches", "-p", str(toucher.pid)) as served:
            toucher.touch()
            first = served.scrape()
            toucher.touch()
            last = served.scrape(OPEN)
            faults = [total(families, "page-faults:u") for families in (first, last)]
            assert faults[0] >= 1000 and faults[1] >= faults[0] + 1000, faults
            said, status = served.end()
            tap.same(status, 0, said)
            tap.same(printed(said, "page-faults:u"), int(faults[1]), said)
            if ("context-switches",) in last.values("tally_event_total", "event"):
                tap.same(total(last, "context-switches"), toucher.switches() - before, "context switches")


def test_an_interval_keeps_the_counts_between_readings():
    with Toucher() as toucher, Served("-I", "100000000", "-e", "page-faults:u", "-p", str(toucher.pid)) as served:
        toucher.touch()
        # The program has not run before the first reading.
        tap.same(served.scrape().values("tally_event_total", "event"), {}, "before the end of the interval")
        assert printed(served.end()[0], "page-faults:u") >= 1000
    with Toucher() as toucher, Served("-I", "10", "-e", "page-faults:u", "-p", str(toucher.pid)) as served:
        toucher.touch()
        tap.wait_until(lambda: served.scrape().values("tally_event_total", "event").get(("page-faults:u",), 0) >= 1000, "an interval")


def test_ends_with_the_command_or_a_signal():
    with Served("-e", "dummy", "sh", "-c", "read -r line; exit 7", address="localhost:0") as served:
        tap.same(served.rest()[1], 7, "status")  # standard input is empty
    with Toucher() as toucher, Served("-e", "dummy", "-p", str(toucher.pid)) as served:
        said, status = served.end(signal.SIGTERM)
        tap.same((status, "Performance counter stats" in said), (0, True), said)


# ---- file --------------------------------------------------------------------


def test_a_file_is_always_complete():
    path = os.path.join(WORK, "tally.prom")
    with Toucher() as toucher:
        process = subprocess.Popen([TALLY, "stat", f"--prometheus={path}", "-I", "5", "-e", "page-faults:u", "-p", str(toucher.pid)],
                                   stderr=subprocess.PIPE, text=True)
        tap.wait_until(lambda: os.path.exists(path) and os.path.getsize(path), "the file")
        toucher.touch(1)
        tap.wait_until(lambda: b"tally_event_total{" in contents(path), "a count")
        seen = []
        for _ in range(50):
            toucher.touch(1 << 16)
            seen.append(total(exposition.parse(contents(path), False), "page-faults:u"))
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=tap.PATIENCE)[1]
    tap.same(seen, sorted(seen), "counts do not decrease")
    lint(contents(path))
    tap.same(total(exposition.parse(contents(path), False), "page-faults:u"), printed(said, "page-faults:u"), "the last counts")
    tap.same(os.listdir(WORK), ["tally.prom"], "files")


def test_replaces_only_its_own_files():
    path = os.path.join(WORK, "other.prom")
    words = ["stat", f"--prometheus={path}", "-e", "dummy", "true"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("# HELP node_load1 Load.\nnode_load1 1\n")
    tap.run(TALLY, *words, status=1, says="does not recognize as its own output")
    tap.run(TALLY, *words[:2], "--force", *words[2:], status=0)
    tap.run(TALLY, *words, status=0)
    tap.run(TALLY, "stat", f"--prometheus={WORK}/none/a.prom", "true", status=1, says="No such file")
    os.remove(path)


# ---- options -----------------------------------------------------------------


def test_other_formats_and_restarts_are_refused():
    for words in (["-x,"], ["-j"], ["--json"], ["-r", "3"], ["--per-thread", "-a"], ["--plan"], ["--dry-run"],
                  ["-I", "10", "--interval-count", "2"], ["-I", "10", "--summary"], ["-I", "10", "--interval-clear"]):
        tap.run(TALLY, "stat", "--prometheus", *words, "true", status=129, says="cannot be combined with --prometheus")
    tap.run(TALLY, "stat", "--prometheus", "record", "true", status=129, says="'stat record' cannot be combined")
    tap.run(TALLY, "stat", "--prometheus=name", "true", status=129, says="neither an address nor a file")
    tap.run(TALLY, "stat", "--prometheus=http://127.0.0.1:9100", "true", status=129, says="is a URL")
    tap.run(TALLY, "stat", "--prometheus=0", "-e", "dummy,dummy", "true", status=1, says="two events have the name 'dummy")
    tap.run(TALLY, "stat", "--prometheus=192.0.2.1:0", "true", status=1, says="cannot listen on 192.0.2.1:0")


def test_a_port_in_use_is_an_error():
    with Served("-e", "dummy", *SLEEP) as served:
        run = tap.run(TALLY, "stat", f"--prometheus={served.port}", "-e", "dummy", "true", status=1, says="Address already in use")
        assert "choose another port" in run.stderr, run.stderr


def test_the_number_of_series_is_limited():
    # Events that no kernel has need no descriptors.
    events = [f"software/config=200,name=event{number}/u" for number in range(25001)]
    words = [word for at in range(0, len(events), 500) for word in ("-e", ",".join(events[at:at + 500]))]
    tap.run(TALLY, "stat", "--prometheus=0", *words, "true", status=1, says="series, more than 100000")


# ---- hostile clients ---------------------------------------------------------


def test_pages_and_invalid_requests():
    with Served("-e", "dummy", *SLEEP) as served:
        tap.same(served.get("/")[2], b"tally stat: the counters are at /metrics\n", "/")
        status, kind, body = served.get(method="HEAD")
        tap.same((status, kind[:10], body), (200, "text/plain", b""), "HEAD")
        for name, status in (("evil.example", 421), ("127.0.0.1:1", 200)):
            tap.same(served.get(Host=name)[0], status, name)
        tap.same(served.get("/metricsx")[0], 404, "other path")
        tap.same(served.get(method="POST")[0], 405, "method")
        for data, status in ((b"\x16\x03\x01" + bytes(range(256)) + b"\r\n\r\n", 400), (b"GET / HTTP/1.0\r\nA: " + b"x" * 9000, 431),
                             (b"x" * 100000, 431), (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/3.0\r\n\r\n", 505),
                             (b"GET / HTTP/1.0\r\nContent-Length: 1\r\n\r\n", 413)):
            first = served.raw(data)
            # The kernel resets a connection with unread input, which can overtake the response.
            assert first.startswith(f"HTTP/1.1 {status} ") or (not first and len(data) > 8192), (data[:40], first)
        served.scrape()


def test_two_hundred_connections_are_all_answered():
    with Served("-e", "dummy", *SLEEP) as served, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(served.connect()) for _ in range(200)]
        for client in clients:
            client.sendall(REQUEST)
        tap.same({status_line(client) for client in clients}, {"HTTP/1.1 200 OK"}, "responses")


def test_clients_that_disconnect_do_no_harm():
    with Toucher() as toucher, Served("-e", "page-faults:u", "-p", str(toucher.pid)) as served:
        for number in range(100):
            with served.connect() as client:
                client.sendall(REQUEST[:number] if number % 2 else REQUEST)
                # Reset the connection.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        toucher.touch()
        assert total(served.scrape(), "page-faults:u") >= 1000
        tap.same(served.end()[1], 0, "status")


def test_slow_clients_do_not_keep_others_out():
    with Toucher() as toucher, Served("-e", "page-faults:u", "-p", str(toucher.pid)) as served, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(served.connect()) for _ in range(40)]
        for client in slow:
            client.sendall(REQUEST[:20])
        toucher.touch()
        assert total(served.scrape(), "page-faults:u") >= 1000
        tap.same(status_line(slow[0]), "HTTP/1.1 408 Request Timeout", "the first")
        tap.same(served.end()[1], 0, "status")


@tap.full
def test_an_idle_client_is_disconnected():
    with Served("-e", "dummy", *SLEEP) as served, served.connect() as idle, served.connect() as silent:
        idle.sendall(REQUEST[:-1])
        tap.same({status_line(idle), status_line(silent)}, {"HTTP/1.1 408 Request Timeout"}, "after 10 s")


@tap.always
def test_a_slow_reader_gets_the_whole_page():
    names = [f"{number:03}" + "x" * 1500 for number in range(500)]
    words = [word for name in names for word in ("-e", f"software/config=9,name={name}/u")]
    with Served(*words, *SLEEP) as served:
        served.wait_for_counts()
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(tap.PATIENCE)
            client.connect((served.host, served.port))
            client.sendall(REQUEST.replace(b"1.1", b"1.0"))
            other = served.scrape()  # others are served in the meantime
            with served.connect() as gone:  # and this one leaves in the middle of its page
                gone.sendall(REQUEST)
                assert gone.recv(1000)
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            got = b""
            while data := client.recv(1 << 16):
                got += data
        head, _, body = got.partition(b"\r\n\r\n")
        assert b"200 OK" in head, head
        tap.same(len(exposition.parse(body, False).samples), len(other.samples), "series")
        assert len(body) > 2000000, len(body)


def test_serves_without_free_descriptors():
    with Served("-e", "dummy", *SLEEP) as served:
        pid = served.process.pid
        usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        highest = max(map(int, os.listdir(f"/proc/{pid}/fd")))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1, usual[1]))
        for _ in range(3):
            served.scrape()
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        served.scrape()
        before = tap.cpu_seconds(pid)
        time.sleep(0.3)
        assert tap.cpu_seconds(pid) - before < 0.2, "it waits without using the CPU"


tap.main(__name__, machine.need_events)
