# SPDX-License-Identifier: BSD-2-Clause
"""Common code for tests of permissions: a user account, sysctls that are restored, and seccomp filters."""
import atexit
import contextlib
import ctypes
import fcntl
import os
import platform
import pwd
import grp
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import machine
import tap

# Restore everything even if the test is terminated, for example by meson after a timeout.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

GROUP = "perf_users"
USER = "tally_perf"
SESSION_CAPS = "cap_perfmon,cap_sys_ptrace,cap_syslog=ep"
KERNEL = "/proc/sys/kernel/"


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise tap.Skip(f"no {tool} here")


# ---- sysctls ---------------------------------------------------------------------


class Keeper:
    """A keeper.py process that runs as long as any part of this process needs it. It may exit slightly later than this
    process."""

    def __init__(self):
        self.process, self.users = None, 0

    def __enter__(self):
        if not self.users:
            path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keeper.py")
            self.process = subprocess.Popen([sys.executable, "-S", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            text=True, start_new_session=True)
        self.users += 1
        return self

    def set(self, name, value):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{name} {value}\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise tap.Skip(answer or f"cannot set {name}: the keeper of settings could not start")

    def __exit__(self, *_):
        self.users -= 1
        if not self.users:
            self.process.communicate()


KEEPER = Keeper()


class sysctls:  # pylint: disable=invalid-name
    """Temporary kernel settings, as in: with sysctls(perf_event_paranoid=2)."""

    def __init__(self, **values):
        self.values, self.before = values, {}

    def set(self, **values):
        for name, value in values.items():
            if name not in self.before:
                with contextlib.suppress(OSError), open(KERNEL + name) as file:
                    self.before[name] = file.read().strip()
            KEEPER.set(name, value)

    def __enter__(self):
        KEEPER.__enter__()
        try:
            self.set(**self.values)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            for name, value in self.before.items():
                KEEPER.set(name, value)
        finally:
            KEEPER.__exit__()


@contextlib.contextmanager
def without_cpu1():
    """Take CPU 1 offline until the end of the block, or at the latest until the end of the test."""
    machine.need_cpu1_switch()
    with KEEPER:
        KEEPER.set(machine.CPU1, 0)
        try:
            yield
        finally:
            KEEPER.set(machine.CPU1, 1)


# ---- users -----------------------------------------------------------------------


def lock_accounts(opened=[]):
    """Allow only one test at a time to use accounts, until its process exits. A process that holds the lock may take it
    again."""
    if not opened:
        opened.append(os.open("/run/tally-account", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        fcntl.lockf(opened[0], fcntl.LOCK_EX)


class Account:
    """A user in group perf_users, with a home directory and copies of the program. Everything is removed at the end of
    the block."""

    def __init__(self, tally):
        machine.need_nobody()
        need("useradd", "groupadd", "userdel")
        lock_accounts()
        self.made_group = self.made_user = False
        self.tally = tally
        # In /var/tmp, set-user-ID programs and file capabilities work, and all users have access.
        self.home = tempfile.mkdtemp(prefix="tally-rights-", dir="/var/tmp")
        atexit.register(self.remove)
        os.chmod(self.home, 0o755)
        self.add()
        entry = pwd.getpwnam(USER)
        self.uid, self.gid = entry.pw_uid, entry.pw_gid
        self.work = self.make("work", self.uid)

    def add(self):
        try:
            grp.getgrnam(GROUP)
        except KeyError:
            self.change_accounts("groupadd", GROUP)
            self.made_group = True
        try:
            pwd.getpwnam(USER)
        except KeyError:
            self.change_accounts("useradd", "-g", GROUP, "-M", "-d", self.home, "-s", "/bin/sh", USER)
            self.made_user = True

    @staticmethod
    def change_accounts(*command):
        reason = machine.why_not(command)
        if reason:
            raise tap.Skip(f"{command[0]} does not work here: {reason}")

    def make(self, name, uid=0, mode=0o755):
        path = os.path.join(self.home, name)
        os.makedirs(path, exist_ok=True)
        os.chown(path, uid, self.gid if uid else 0)
        os.chmod(path, mode)
        return path

    def program(self, name, caps=None):
        """Return the path of a copy of tally that the group can run, with file capabilities."""
        path = os.path.join(self.make("bin"), name)
        if os.path.exists(path):
            return path
        if caps:
            machine.need_file_capabilities()
        shutil.copy(self.tally, path)
        os.chown(path, 0, self.gid)
        os.chmod(path, 0o750)
        if caps:
            done = tap.run("setcap", caps, path)
            assert done.returncode == 0, f"setcap {caps}: {done.stderr.strip()}"
        return path

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
        if self.made_user:
            tap.run("userdel", USER)
        if self.made_group:
            tap.run("groupdel", GROUP)
        self.made_user = self.made_group = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def options(self, **more):
        """Return the subprocess options that run a command as the user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": [], "cwd": self.work,
                "env": {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home, "LANG": "C",
                        "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}, **more}

    def run(self, *args, **more):
        return tap.run(*args, **self.options(stdin=subprocess.DEVNULL, **more))

    def start(self, *args, **more):
        return subprocess.Popen([str(arg) for arg in args],
                                **self.options(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE, text=True, **more))


# ---- limits and filters, for preexec_fn --------------------------------------------


def limit(which, soft, hard=None):
    return lambda: resource.setrlimit(which, (soft, soft if hard is None else hard))


class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8),
                ("k", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]


def perf_event_open_number():
    return {"x86_64": 298, "aarch64": 241, "riscv64": 241}.get(platform.machine())


def seccomp(errno, kills=False, no_new_privs=True):
    """Install a filter that makes perf_event_open fail with `errno`, as in a container; 0 permits the call. With
    `kills`, the filter kills callers. Unprivileged processes need no_new_privs, which disables file capabilities."""
    number = perf_event_open_number()
    if not number:
        raise tap.Skip(f"number of perf_event_open on {platform.machine()} not known")
    load, equal, ret = 0x20, 0x15, 0x06
    allow, refuse, kill_process = 0x7FFF0000, 0x00050000, 0x80000000
    action = kill_process if kills else refuse | errno if errno else allow
    lines = (Filter * 4)(Filter(load, 0, 0, 0), Filter(equal, 0, 1, number),
                         Filter(ret, 0, 0, action),
                         Filter(ret, 0, 0, allow))
    program = Program(4, lines)
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        if (no_new_privs and libc.prctl(38, 1, 0, 0, 0)) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")
    return install


def mounted_over(path, content):
    """Replace the contents of `path` for a process and its children, in a mount namespace. This simulates a kernel with
    another setting, without changing the setting here. The function must be called by root; capabilities are dropped
    afterwards."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor, name = tempfile.mkstemp(prefix="tally-mounted-")
    with os.fdopen(descriptor, "w") as file:
        file.write(content)
    os.chmod(name, 0o644)
    atexit.register(os.unlink, name)
    new_namespace, recursive_private, bind = 0x20000, 0x44000, 0x1000

    def mount():
        if (libc.unshare(new_namespace) or libc.mount(b"none", b"/", None, recursive_private, None)
                or libc.mount(name.encode(), path.encode(), None, bind, None)):
            raise OSError(ctypes.get_errno(), "mount namespace")
    return mount


def drop_bounding(*capabilities):
    """Drop capabilities from the bounding set, as in a container."""
    libc = ctypes.CDLL(None, use_errno=True)

    def drop():
        for capability in capabilities:
            if libc.prctl(24, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")
    return drop


def both(*functions):
    def call():
        for function in functions:
            function()
    return call
