# SPDX-License-Identifier: BSD-2-Clause
"""Run commands with directories of sysfs replaced by generated ones, in a mount namespace."""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402

MOUNT = 'while [ "$1" != -- ]; do mount --rbind "$1" "$2"; shift 2; done; shift; exec "$@"'


def write(root, files):
    for path, text in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text + "\n")


def wrap(mounts):
    """Return the words before a command that runs with each directory mounted at its target."""
    machine.need_unshare("-m")
    pairs = [word for source, target in mounts.items() for word in (source, target)]
    return ["unshare", "-m", "sh", "-ec", MOUNT, "sh", *pairs, "--"]


def cpus(root, caches=lambda cpu: {}, cluster=lambda cpu: 65535):
    """Generate /sys/devices/system/cpu for the CPUs of this machine. `caches` returns the files of
    a CPU's caches, relative to its directory cache."""
    number = os.sysconf("SC_NPROCESSORS_CONF")
    for name in ("online", "present", "possible"):
        write(root, {name: f"0-{number - 1}"})
    for cpu in range(number):
        write(root, {f"cpu{cpu}/topology/{name}": str(value) for name, value in (
            ("physical_package_id", 0), ("die_id", 0), ("core_id", cpu), ("cluster_id", cluster(cpu)),
            ("package_cpus_list", f"0-{number - 1}"), ("core_siblings_list", f"0-{number - 1}"),
            ("core_cpus_list", cpu), ("thread_siblings_list", cpu), ("die_cpus_list", f"0-{number - 1}"))})
        write(root, {f"cpu{cpu}/cache/{path}": text for path, text in caches(cpu).items()})
    return wrap({root: "/sys/devices/system/cpu"})


def pmus(root, units):
    """Generate event_source/devices with PMUs of the software type. Their event `fetches` counts
    context switches. `units` has the files of each PMU in addition to these."""
    devices = "/sys/bus/event_source/devices"
    for name in ("software", "breakpoint", "tracepoint"):
        with open(f"{devices}/{name}/type", encoding="utf-8") as text:
            write(root, {f"{name}/type": text.read().strip()})
    for name, files in units.items():
        write(root, {f"{name}/{path}": text for path, text in {
            "type": "1", "format/event": "config:0-63", "events/fetches": "event=0x3", **files}.items()})
    return wrap({root: devices})
