#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scrape `tally stat --prometheus` with Prometheus and VictoriaMetrics, and query the counts.

usage: prometheus_servers.py TALLY
"""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from served import Served, Toucher  # noqa: E402

CONFIG = """
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: tally
    static_configs:
      - targets: ['127.0.0.1:{port}']
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running time series database (a context manager)."""

    def __init__(self, words, port):
        self.words, self.port = words, port

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        errors="replace")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=tap.PATIENCE)

    def get(self, path, **words):
        """Return the data of an API call, or None if the server is not ready."""
        assert self.process.poll() is None, self.process.stderr.read()[-2000:]
        url = f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(words)}"
        try:
            with urllib.request.urlopen(url, timeout=tap.PATIENCE) as response:
                return json.load(response)["data"]
        except (urllib.error.URLError, ConnectionError):
            return None

    def query(self, text):
        """Return the values of a query by (metric, event, quality)."""
        data = self.get("/api/v1/query", query=text)
        return {tuple(row["metric"].get(name) for name in ("__name__", "event", "quality")): float(row["value"][1])
                for row in (data or {"result": []})["result"]}

    def wait_for(self, text, condition):
        """Repeat a query until the values satisfy the condition."""
        return tap.wait_until(lambda: (lambda found: condition(found) and found)(self.query(text)), lambda: f"{text}: {self.query(text)}", pause=0.2)


def prometheus(config, data):
    machine.need_tool("prometheus", "--version")
    port = free_port()
    return Server(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={data}", f"--web.listen-address=127.0.0.1:{port}",
                   "--log.level=warn"], port)


def victoria_metrics(config, data):
    machine.need_tool("victoria-metrics", "-version")
    port = free_port()
    return Server(["victoria-metrics", f"-promscrape.config={config}", f"-storageDataPath={data}", f"-httpListenAddr=127.0.0.1:{port}",
                   "-search.latencyOffset=0s", "-loggerLevel=ERROR"], port)


@contextlib.contextmanager
def scraped(make):
    """A program, a tally that counts its page faults, and a server that scrapes tally."""
    with tempfile.TemporaryDirectory() as folder, Toucher() as toucher, \
            Served("-e", "page-faults:u,task-clock:u,software/config=200,name=none/u", "-p", str(toucher.pid)) as served:
        config = os.path.join(folder, "config.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(port=served.port))
        toucher.touch()
        with make(config, os.path.join(folder, "data")) as server:
            yield server, served, toucher


FAULTS = ("tally_event_total", "page-faults:u", None)


def compare_counts(server, served, toucher):
    """Wait until the server has the values of an independent scrape, before and after page faults."""
    for _ in range(2):
        now = served.scrape().values("tally_event_total", "event")["page-faults:u",]
        server.wait_for("tally_event_total", lambda found, now=now: found == {FAULTS: now})
        toucher.touch()
    clock = served.scrape().values("tally_event_seconds_total", "event")["task-clock:u",]
    server.wait_for("tally_event_seconds_total", lambda found: found == {("tally_event_seconds_total", "task-clock:u", None): clock})
    found = server.query("tally_event_quality")
    assert found[("tally_event_quality", "page-faults:u", "exact")] == 1, found
    found = server.query('tally_event_quality{quality!~"exact|scaled|estimated"}')
    tap.same([event for _, event, _ in found], [name for name in served_names(served) if "none" in name], found)


def served_names(served):
    return [event for event, in served.scrape().values("tally_event_quality", "event")]


def compare_rates(server, toucher):
    """The rate is positive while there are page faults."""
    toucher.touch()
    rates = server.wait_for("rate(tally_event_total[1m])", lambda found: found and min(found.values()) > 0)
    tap.same([event for _, event, _ in rates], ["page-faults:u"], rates)
    joined = server.wait_for('rate(tally_event_total[5m]) and ignoring(quality) tally_event_quality{quality="exact"}', bool)
    tap.same([event for _, event, _ in joined], ["page-faults:u"], joined)


def test_prometheus_scrapes_openmetrics_and_answers():
    with scraped(prometheus) as (server, served, toucher):
        server.wait_for('up{job="tally"}', lambda found: list(found.values()) == [1])
        compare_counts(server, served, toucher)
        compare_rates(server, toucher)
        facts = {fact["metric"]: (fact["type"], fact["unit"]) for fact in server.get("/api/v1/targets/metadata")}
        # Only OpenMetrics has units.
        tap.same(facts["tally_event_seconds"], ("counter", "seconds"), facts)
        tap.same(facts["tally_event"], ("counter", ""), facts)
        tap.same(served.end(signal.SIGTERM)[1], 0, "status")
        server.wait_for("up", lambda found: list(found.values()) == [0])
        tap.same(server.query("tally_event_total"), {}, "the series end with tally")


def test_victoria_metrics_scrapes_and_answers():
    with scraped(victoria_metrics) as (server, served, toucher):
        compare_counts(server, served, toucher)
        compare_rates(server, toucher)


tap.main(__name__, machine.need_events)
