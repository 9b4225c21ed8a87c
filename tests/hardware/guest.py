# SPDX-License-Identifier: BSD-2-Clause
"""Linux under QEMU: for arm64 with counters, or for x86-64 without. A guest is built from files and named commands, runs
the commands one after the other, and returns their output and files. On arm64, with -icount shift=0, each instruction
takes 1 ns of the guest's time, so that any two runs are identical."""
import os
import shutil
import subprocess
import tarfile

QEMU = ("qemu-system-aarch64 -M virt,dtb-randomness=off -cpu neoverse-n1 -nographic -nodefaults -no-user-config "
        "-serial stdio -monitor none -no-reboot -icount shift=0,sleep=off -rtc base=2025-01-01,clock=vm "
        "-device virtio-serial-pci").split()
# nokaslr and the options above make runs reproducible or speed up booting.
KERNEL = "console=ttyAMA0 panic=-1 quiet nokaslr"
# The emulator's cmpxchg16b does not work with Linux 6.12, so it is disabled.
QEMU_X86 = ("qemu-system-x86_64 -M q35 -cpu Haswell,-cx16 -nographic -nodefaults -no-user-config -serial stdio "
            "-monitor none -no-reboot").split()
KERNEL_X86 = "console=ttyS0 panic=-1 quiet"
TIMEOUT = 5400  # seconds; generous, for busy machines

PROLOGUE = """#!/bin/busybox sh
/bin/busybox mkdir -p /dev /proc /run /sys /tmp /out /usr/bin /etc
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp LC_ALL=C
mount -t devtmpfs none /dev
mount -t proc none /proc
mount -t sysfs none /sys
mount -t tracefs none /sys/kernel/tracing
mkdir /dev/shm
mount -t tmpfs none /dev/shm
echo 'root:x:0:0::/tmp:/bin/sh
user:x:1000:1000::/tmp:/bin/sh' >/etc/passwd
chmod 1777 /tmp
cd /out
# Otherwise the kernel would lower max_sample_rate during sampling.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
echo -1 >/proc/sys/kernel/perf_event_paranoid
"""
STEP = """echo '# {name}'
({command}) >{name}.out 2>{name}.err </dev/null
echo $? >{name}.status
"""
EPILOGUE = """tar c . >/dev/vport0p1
poweroff -f
"""
EPILOGUE_X86 = """stty -F /dev/ttyS1 raw
tar c . | gzip >/dev/ttyS1
poweroff -f
"""


class Guest:
    qemu_command, kernel_options, epilogue = QEMU, KERNEL, EPILOGUE
    channel = ("-device", "virtserialport,chardev=out,name=out")

    def __init__(self, name, work, kernel, files, commands, options=("-m", "512")):
        """Start a guest. `files` is {path in the guest: path on this machine}, and `commands` is {name: shell
        command}."""
        self.dir = os.path.join(work, name)
        self.root = os.path.join(self.dir, "root")
        self.out = os.path.join(self.dir, "out")
        self.tar = os.path.join(self.dir, "out.tar")
        self.console = b""
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.root)
        self._copy(files)
        self._write_init(commands)
        self._archive()
        self.qemu = subprocess.Popen(
            [*self.qemu_command, *options, "-kernel", kernel, "-append", self.kernel_options,
             "-initrd", os.path.join(self.dir, "initrd"), "-chardev", f"file,id=out,path={self.tar}", *self.channel],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def _copy(self, files):
        for to, path in files.items():
            to = os.path.join(self.root, to.lstrip("/"))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, to)

    def _write_init(self, commands):
        init = os.path.join(self.root, "init")
        with open(init, "w", encoding="utf-8") as file:
            file.write(PROLOGUE)
            for name, command in commands.items():
                file.write(STEP.format(name=name, command=command))
            file.write(self.epilogue)
        os.chmod(init, 0o755)

    def _archive(self):
        """Build the initrd with fixed timestamps and inode numbers. Otherwise they would make runs differ."""
        names = sorted(os.path.relpath(os.path.join(folder, name), self.root)
                       for folder, folders, files in os.walk(self.root) for name in [*folders, *files])
        for name in names:
            os.utime(os.path.join(self.root, name), (0, 0), follow_symlinks=False)
        with open(os.path.join(self.dir, "initrd"), "wb") as file:
            subprocess.run("cpio --quiet -o -H newc -R 0:0 --reproducible".split(), cwd=self.root, check=True,
                           input="\n".join(names).encode(), stdout=file)

    def finish(self):
        """Wait until the guest powers off. On failure, raise an AssertionError that contains the last console
        output."""
        if os.path.isdir(self.out):
            return
        try:
            self.console, _ = self.qemu.communicate(timeout=TIMEOUT)
            with tarfile.open(self.tar) as tar:
                tar.extractall(self.out)
        except (subprocess.TimeoutExpired, tarfile.TarError) as error:
            self.stop()
            raise AssertionError(f"{error}: {self.console[-2000:].decode(errors='replace')}") from error

    def stop(self):
        if self.qemu.poll() is None:
            self.qemu.kill()
            self.console, _ = self.qemu.communicate()

    def path(self, name):
        self.finish()
        return os.path.join(self.out, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def said(self, name, status=0):
        """Return a command's standard output, after checking that the command exited with `status`."""
        got = int(self.text(name + ".status"))
        if got != status:
            raise AssertionError(f"{name} ended with {got}: {self.text(name + '.err')[-1000:]}")
        return self.text(name + ".out")


class GuestX86(Guest):
    """A guest for x86-64, which has no counters. Its kernel needs no modules."""
    qemu_command, kernel_options, epilogue = QEMU_X86, KERNEL_X86, EPILOGUE_X86
    channel = ("-serial", "chardev:out")
