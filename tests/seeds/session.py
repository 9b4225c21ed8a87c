# SPDX-License-Identifier: BSD-2-Clause
"""A session for root and a new user that does not change the machine: a mount namespace with a copy of /etc, and with
empty directories mounted over the other directories that change when a user is created."""
import atexit
import os
import re
import shutil
import subprocess
import tempfile

import machine
import rights
import tap

USER, GROUP = "perf", "perf_users"
OVER = ("etc", "home", "var/mail", "var/log")
# Script that keeps the mount namespace alive and exits when its standard input is closed.
MOUNT = """for folder in %s; do
    [ ! -d "/$folder" ] || mount --bind "$1/$folder" "/$folder" || exit
done
echo ready
read -r line""" % " ".join(OVER)


class Session:
    def __init__(self, here):
        self.here, self.folder, self.keeper, self.reason = here, None, None, None

    def need(self):
        """Create the session on the first call. Skip the test on failure."""
        machine.need_file_capabilities()
        machine.need_unshare("-m", "--propagation", "private")
        rights.need("nsenter", "useradd", "groupadd", "getcap", "getent")
        if not self.folder:
            self.make()
        if self.reason:
            raise tap.Skip(self.reason)

    def make(self):
        # In /var/tmp, programs with file capabilities work, and all users have access.
        self.folder = tempfile.mkdtemp(prefix="tally-session-", dir="/var/tmp")
        atexit.register(self.remove)
        os.chmod(self.folder, 0o755)
        for name in OVER[1:]:
            os.makedirs(os.path.join(self.folder, name))
        tap.run("cp", "-a", "/etc", self.folder)
        self.forget_users()
        self.keeper = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c", MOUNT, "sh", self.folder],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "ready\n":
            self.reason = "cannot mount over /etc here: " + self.keeper.stderr.read().strip()

    def forget_users(self):
        """Remove the user and the group from the copy of /etc, in case the machine has them."""
        for name in ("passwd", "shadow", "group", "gshadow"):
            path = os.path.join(self.folder, "etc", name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    kept = [line for line in file if line.partition(":")[0] not in (USER, GROUP)]
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(kept)

    def ids(self):
        with open(os.path.join(self.folder, "etc", "passwd"), encoding="utf-8") as file:
            found = re.search(rf"^{USER}:[^:]*:(\d+):(\d+):", file.read(), re.M)
        assert found, f"the session has no user {USER}"
        return found.groups()

    def words(self, command, by_user, environment):
        """Return (words, environment) for running a shell command in the session, as the user or as root."""
        enter = ["nsenter", "-m", "-t", str(self.keeper.pid)]
        if not by_user:
            return [*enter, "sh", "-c", f"cd {self.here} && {{ {command}\n}}"], environment
        uid, gid = self.ids()
        home = f"/home/{USER}"
        return ([*enter, "-S", uid, "-G", gid, "sh", "-c", f"cd {home} && {{ {command}\n}}"],
                {**environment, "HOME": home, "USER": USER, "PATH": f"{home}/bin:{environment['PATH']}"})

    def remove(self):
        if self.keeper:
            self.keeper.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)
