# SPDX-License-Identifier: BSD-2-Clause
"""A small WebDriver client for headless Chromium with chromedriver, as in Debian's packages chromium and
chromium-driver."""
import atexit
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "Shift": "\ue008", "Backspace": "\ue003", "Left": "\ue012", "Up": "\ue013",
        "Right": "\ue014", "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Space": " "}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ATTEMPTS = 3  # attempts to start a browser, in case it takes longer than chromedriver waits
STARTED = []


class Failure(Exception):
    """Raised if the browser reports an error."""


class Browser:
    """A Chromium process with one window."""

    def __init__(self, width=1280, height=860, sandbox=True):
        self.home = tempfile.TemporaryDirectory(prefix="tally-page-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env={**os.environ, "HOME": self.home.name})
        try:
            self.base = f"http://127.0.0.1:{self.port()}"
            args = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
                    f"--user-data-dir={self.home.name}/profile", f"--window-size={width},{height}", "--hide-scrollbars"]
            options = {"args": args + ([] if sandbox else ["--no-sandbox"])}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                      "timeouts": {"script": 1000 * tap.PATIENCE, "pageLoad": 1000 * tap.PATIENCE},
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = f"/session/{made['sessionId']}"
        except BaseException:
            self.end_driver()
            raise

    def port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failure("chromedriver did not start")

    def end_driver(self):
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.home.cleanup()

    def close(self):
        with contextlib.suppress(Failure, OSError):
            self.call("DELETE", self.session)
        self.end_driver()

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else b"{}" if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2 * tap.PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"].splitlines()[0]) from error

    def do(self, path, body=None):
        return self.call("POST", self.session + path, body if body is not None else {})

    def run(self, script, *args):
        """Run a script, and return its result, which may be a promise."""
        return self.do("/execute/sync", {"script": script, "args": list(args)})

    def chrome(self, command, **parameters):
        """Send a DevTools protocol command."""
        return self.do("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def go(self, url):
        self.do("/url", {"url": url})

    def back(self):
        self.do("/back")

    def url(self):
        return self.call("GET", self.session + "/url")

    def resize(self, width, height):
        """Set the size of the window's contents."""
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def find(self, selector):
        return self.do("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def drawn(self):
        """Wait until everything has been computed and drawn, because the next mouse position may depend on it."""
        self.run("const look = (done) => document.documentElement.dataset.busy ? setTimeout(look, 5, done) : done(1);"
                 "return new Promise((done) => requestAnimationFrame(() => look(done)))")

    def click(self, selector):
        self.do(f"/element/{self.find(selector)}/click")
        self.drawn()

    def type(self, selector, text):
        self.do(f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.do("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def mouse(self, *steps):
        """Move the mouse and press its button. Each step is a position (x, y) to move to, "down", or "up"."""
        actions = []
        for step in steps:
            if isinstance(step, str):
                actions.append({"type": "pointer" + step.capitalize(), "button": 0})
            else:
                actions.append({"type": "pointerMove", "duration": 0, "x": round(step[0]), "y": round(step[1])})
        self.do("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})
        self.drawn()

    def click_at(self, x, y):
        self.mouse((x, y), "down", "up")

    def log(self, kind):
        """Return the messages since the last call: "browser" selects the console, and "performance" the requests."""
        return self.do("/se/log", {"type": kind})

    def printed(self):
        """Print the page, and return the PDF."""
        return base64.b64decode(self.do("/print"))

    def screenshot(self):
        return base64.b64decode(self.call("GET", self.session + "/screenshot"))


def start():
    """Start a browser. Its sandbox does not work for root and, on some machines, for any user."""
    for sandbox in [False] if os.geteuid() == 0 else [True, False]:
        for _ in range(ATTEMPTS):
            try:
                return Browser(sandbox=sandbox)
            except (Failure, OSError) as error:
                refused = error
                if not re.search("time[d-]? ?out", str(error)):
                    break
    raise refused


@machine.probe
def need_browser():
    """Skip the test unless Chromium starts and can be controlled by chromedriver."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed"
    try:
        STARTED.append(start())
    except (Failure, OSError) as error:
        return f"Chromium cannot be driven here: {error}"
    atexit.register(STARTED[0].close)
    return None


def browser():
    """Return the browser shared by all tests in a program."""
    need_browser()
    return STARTED[0]
