# SPDX-License-Identifier: BSD-2-Clause
"""Test the single static file that scripts/build.sh --static makes: what it links, in a directory without any other
files (chroot), and on the oldest and newest kernels that Debian's mirror has, under QEMU. argv: tally, the source root,
the build directory."""
import functools
import glob
import os
import platform
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from guest import QEMU_X86, GuestX86  # noqa: E402

ROOT, BUILD = sys.argv[2:4]
WORK = os.path.join(BUILD, "static-file")
LOOP = """
static volatile unsigned long total;
__attribute__((noinline)) void busy_loop(void)
{
	for (unsigned long i = 0; i < 200000000; i++)
		total += i;
}
int main(void)
{
	busy_loop();
	return 0;
}
"""
NOBODY = machine.NOBODY
RECORD = "tally record -g -e cpu-clock{} -o {}/p.data loop"
# Commands that run in the chroot and on each kernel, below a directory that may be written.
COMMANDS = {
    "version": "tally version",
    "doctor": "tally doctor",
    "stat": "tally stat -x, -e task-clock{0},cs{0} true",
    "record": RECORD,
    "report": "tally report -i {1}/p.data --no-children -g none",
    "script": "tally script -i {1}/p.data -F comm,ip,sym",
    "annotate": "tally annotate -i {1}/p.data busy_loop",
}


def commands(modifier, folder):
    return {name: command.format(modifier, folder) for name, command in COMMANDS.items()}


def loop(name="loop", flags=()):
    return steps.build(os.path.join(WORK, name), LOOP, "-O1", "-g", "-fno-omit-frame-pointer", "-static", *flags, once=True)


@functools.lru_cache(None)
def static_file():
    machine.need_compiler("cc", "-static")
    folder = os.path.join(WORK, "build")
    tap.run("sh", os.path.join(ROOT, "scripts", "build.sh"), "--static", folder, status=0, timeout=7200)
    return os.path.join(folder, "tally")


def busybox():
    """Return a static busybox."""
    path = shutil.which("busybox")
    if not path or "not a dynamic executable" not in tap.run("ldd", path).stderr:
        raise tap.Skip("busybox-static is not installed")
    return path


def has(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise AssertionError(f"no {pattern!r} in {text[-1500:]!r}")


def check_outputs(output, lead):
    """Check the commands' outputs. `output` is a function that runs a command or waits for it, and returns its
    standard output and standard error."""
    has(output("version")[0], r"^tally version \d")
    has(output("doctor")[0], r"^  ok +perf_event_open", r"^  ok +own tasks, user space +permitted")
    out, err = output("stat")
    rows = [line.split(",") for line in (out + err).splitlines()]
    tap.same(len(rows), 2, f"events of {out}{err}")
    assert float(rows[0][0]) > 0 and rows[1][0].isdigit(), rows
    assert "estimates" not in out + err, out + err
    has(output("record")[1], r"Captured and wrote .* \(\d+ samples\)")
    share = re.search(r"([0-9.]+)% +loop +loop +\[\.\] busy_loop", output("report")[0])
    assert share, output("report")[0]
    tap.within(float(share[1]), lead, 100, "share of the loop")
    has(output("script")[0], r"^loop +\n\t +[0-9a-f]+ busy_loop$")
    has(output("annotate")[0], r"add|inc")


# ---- the file ----------------------------------------------------------------------------


def test_needs_no_libraries():
    path = static_file()
    print(f"# {os.path.getsize(path)} bytes")
    has(tap.run("ldd", path).stderr, "not a dynamic executable")
    assert not re.search(r"INTERP|NEEDED", tap.run("readelf", "-ld", path, status=0).stdout)
    symbols = tap.run("nm", os.path.join(WORK, "build", "src", "cli", "tally"), status=0).stdout
    for name in ("getpwnam", "dlopen"):
        assert not re.search(rf" T {name}$", symbols, re.M), f"{name}() in a static program loads libraries"


def test_every_linked_part_is_in_the_table_of_licences():
    build, path = os.path.join(WORK, "build"), static_file()
    done = tap.run(sys.executable, os.path.join(ROOT, "tests", "library", "licences.py"), ROOT, build,
                   os.path.join(os.path.dirname(path), "src", "cli", "tally"), timeout=1800,
                   env={**os.environ, "TALLY_ONLY": "every_linked_part_is_in_the_table"})
    assert "\nok 1 - every_linked_part_is_in_the_table\n" in done.stdout, done.stdout


def test_debuginfod_is_refused():
    data = os.path.join(ROOT, "tests", "fixtures", "perfdata", "perf61", "frames.data")
    done = tap.run(static_file(), "report", "-i", data, "--debuginfod=http://127.0.0.1:1", status=1)
    has(done.stderr, "a static tally cannot load libdebuginfod", "hint: use a tally")
    has(tap.run(static_file(), "version", "--build-options", status=0).stdout, r"debuginfod: \[ OFF \]", r"libcapstone: \[ on  \]")


def test_the_emulation_preloads_its_library():
    """The library that is preloaded into programs is shared, and part of the static file."""
    machine.need_perf()
    done = tap.run(static_file(), "emulate", "--", "perf", "stat", "-x,", "-e", "task-clock:u", "true", status=0)
    has(done.stderr, r"^[0-9.]+,msec,task-clock:u,")
    done = tap.run(static_file(), "emulate", "--", "perf", "stat", "-x,", "-e", "cycles:u", "true")
    assert "Segmentation" not in done.stderr, done.stderr


def test_finds_users_without_nss():
    tap.run(static_file(), "top", "--stdio", "-u", "nosuchuser", status=1, says="no such user")
    done = tap.run("timeout", "-s", "INT", "5", static_file(), "top", "--stdio", "-u", "root")
    assert "no such user" not in done.stderr, done.stderr


# ---- in an empty directory -----------------------------------------------------------------

MOUNTS = """cd "$0"
mount -t proc none proc && mount --rbind /sys sys && mount --rbind /dev dev && exec chroot {user} . /bin/sh -c "$1"
"""


@functools.lru_cache(None)
def chroot():
    machine.need_root()
    machine.need_unshare("-m")
    root = os.path.join(WORK, "root")
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys", "tmp"):
        os.makedirs(os.path.join(root, folder))
    os.chmod(os.path.join(root, "tmp"), 0o1777)
    for path in (busybox(), static_file(), loop()):
        shutil.copy(path, os.path.join(root, "bin"))
    for name in ("sh", "true"):
        os.symlink("busybox", os.path.join(root, "bin", name))
    reason = machine.why_not(["unshare", "-m", "sh", "-c", MOUNTS.format(user=""), root, "true"])
    if reason:
        raise tap.Skip(f"a chroot with its own mounts does not work here: {reason}")
    return root


def in_chroot(user, modifier):
    root = chroot()
    folder = os.path.join("/tmp", "user" if user else "root")
    os.makedirs(root + folder, exist_ok=True)
    if user:
        os.chown(root + folder, NOBODY, NOBODY)

    @functools.lru_cache(None)
    def output(name):
        command = f"export PATH=/bin HOME={folder}; cd {folder}; " + commands(modifier, folder)[name]
        done = tap.run("unshare", "-m", "sh", "-c", MOUNTS.format(user=user), root, command)
        allowed = (0, 1) if name == "doctor" else (0,)  # 1: something does not work here
        assert done.returncode in allowed, f"{name} ended with {done.returncode}: {done.stderr[-1000:]}"
        return done.stdout, done.stderr
    check_outputs(output, 80)


def test_works_in_an_empty_chroot_as_root():
    machine.need_kernel_events()
    in_chroot("", "")


def test_works_in_an_empty_chroot_as_another_user():
    machine.need_events_of_users()
    in_chroot(f"--userspec={NOBODY}:{NOBODY}", ":u")


# ---- on other kernels ----------------------------------------------------------------------


def version(path):
    """Return a key that sorts kernels by version."""
    return [int(word) for word in re.findall(r"\d+", os.path.basename(path))]


@functools.lru_cache(None)
def kernels():
    """Return the images of the oldest and newest kernels."""
    if platform.machine() != "x86_64":
        raise tap.Skip(f"tally here is a program for {platform.machine()}, and the kernels are for x86-64")
    machine.need_qemu(*QEMU_X86)
    machine.need_tool("cpio", "--version")
    images = []
    for script in ("fetch_kernels.sh", "fetch_x86.sh"):
        try:
            images += glob.glob(os.path.join(machine.fetched(os.path.join(ROOT, "scripts", script)), "boot", "vmlinuz-*"))
        except tap.Skip as skip:
            reason = skip
            print(f"# {script}: {reason}")
    if not images:
        raise reason
    images.sort(key=version)
    print("# " + " ".join(map(os.path.basename, images)))
    return [images[0], images[-1]]


@functools.lru_cache(None)
def guests():
    files = {"/bin/busybox": busybox(), "/usr/bin/tally": static_file(), "/usr/bin/loop": loop("short-loop")}
    run = {"uname": "uname -r", **{name: "export PATH=/bin:/usr/bin; " + command for name, command in commands("", "/tmp").items()},
           "tracepoint": "export PATH=/bin:/usr/bin; tally record -e sched:sched_switch -a -o /tmp/t.data sleep 0.1; "
                         "tally script -i /tmp/t.data"}
    return [GuestX86(os.path.basename(image), WORK, image, files, run, ("-m", "1024")) for image in kernels()]


def on_kernel(which):
    kernels()
    guest = guests()[which]
    print(f"# Linux {guest.said('uname').strip()}")

    def output(name):
        status = int(guest.text(name + ".status")) if name == "doctor" else 0
        assert status in (0, 1), f"doctor ended with {status}"
        return guest.said(name, status), guest.text(name + ".err")
    check_outputs(output, 60)
    has(output("tracepoint")[0], r"sched:sched_switch: +\S*prev_comm=|sched:sched_switch: .* ==> ")


def test_works_on_the_oldest_kernel():
    on_kernel(0)


def test_works_on_the_newest_kernel():
    on_kernel(-1)


os.makedirs(WORK, exist_ok=True)
tap.main(__name__)
