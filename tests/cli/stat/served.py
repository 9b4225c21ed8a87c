# SPDX-License-Identifier: BSD-2-Clause
"""Run `tally stat --prometheus`, and send requests to it."""
import http.client
import re
import signal
import socket
import subprocess
import sys

import exposition
import tap
from steps import tally

OPEN = "application/openmetrics-text"
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OPEN_TYPE = OPEN + "; version=1.0.0; charset=utf-8"


class Served:
    """A `tally stat` that listens on a free port (a context manager). `end` sends SIGINT and returns what it printed."""

    def __init__(self, *words, address="0", host="127.0.0.1", **options):
        self.process = subprocess.Popen([tally(), "stat", f"--prometheus={address}", *words], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.said = tap.read_until(self.process.stderr, lambda text: "/metrics\n" in text, "the URL")
        self.url = re.search(r"http://\S+", self.said)[0]
        self.host, self.port = host, int(re.search(r":(\d+)/metrics$", self.url)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The signal also ends the command, which has standard error open.
        self.process.terminate()
        self.process.communicate(timeout=tap.PATIENCE)

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=tap.PATIENCE)

    def get(self, path="/metrics", accept=None, method="GET", **fields):
        """Return status, type and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=tap.PATIENCE)
        connection.request(method, path, headers={**({"Accept": accept} if accept else {}), **fields})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, response.getheader("Content-Type"), body

    def scrape(self, accept=None):
        """Return the families of /metrics."""
        status, kind, body = self.get(accept=accept)
        is_open = bool(accept) and accept.startswith(OPEN)
        tap.same((status, kind), (200, OPEN_TYPE if is_open else TEXT_TYPE), body[:1000])
        return exposition.parse(body, is_open)

    def wait_for_counts(self):
        """Wait until the command has run. Until then, nothing is counted."""
        tap.wait_until(lambda: self.scrape().values("tally_event_running_seconds_total"), "the command to run")

    def raw(self, data):
        """Send bytes, and return the status line of the response, or an empty string if the connection was reset."""
        with self.connect() as connection:
            connection.sendall(data)
            return status_line(connection)

    def end(self, number=signal.SIGINT):
        """End the counting, and return the summary and the exit status."""
        self.process.send_signal(number)
        return self.rest()

    def rest(self):
        said = self.process.communicate(timeout=tap.PATIENCE)[1]
        assert self.process.returncode not in tap.CRASHES, said
        return self.said + said, self.process.returncode


def status_line(connection):
    """Read a response to its end, and return its first line."""
    got = b""
    try:
        while data := connection.recv(1 << 16):
            got += data
    except ConnectionResetError:
        pass
    return got.split(b"\r\n")[0].decode()


# A program that waits for a number in each line of its input, and makes page faults in as many bytes.
TOUCHER = [sys.executable, "-S", "-c", "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: bytearray(int(line)); print('done', flush=True)"]


class Toucher:
    """A running TOUCHER (a context manager)."""

    def __enter__(self):
        self.process = subprocess.Popen(TOUCHER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid
        self.rest()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def rest(self):
        """Wait until the program sleeps."""
        def sleeps():
            with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "S"
        tap.wait_until(sleeps, "the program to sleep")

    def touch(self, size=1 << 22):
        self.process.stdin.write(f"{size}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"
        self.rest()

    def switches(self):
        """Return the kernel's own number of context switches of the program."""
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as file:
            return sum(int(number) for number in re.findall(r"ctxt_switches:\s+(\d+)", file.read()))


def printed(text, event):
    """Return an event's count in the text of stat."""
    return int(re.search(rf"^ *(\d+) +{event}\b", text, re.M)[1])
