# SPDX-License-Identifier: BSD-2-Clause
"""Common first steps of tests: build a program, record it, and report on the recording. The script's first argument is
the path of tally."""
import json
import os
import subprocess
import sys

import machine
import tap


def tally():
    return os.path.abspath(sys.argv[1])


def build(path, source, *flags, libraries=(), compiler="cc", needs=(), file=None, once=False):
    """Build a program from one source, which the compiler reads from `file` or from its standard input. Return the
    program's path. `needs` lists flags that not every compiler supports; the test is skipped if the compiler does not
    support them. With `once`, do nothing if the program exists."""
    machine.need_compiler(compiler, *needs, *(flag for flag in flags if flag == "-static"))
    if once and os.path.exists(path):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if file:
        with open(file, "w", encoding="utf-8") as out:
            out.write(source)
    words = [file] if file else ["-x", "c++" if compiler.endswith("++") else "c", "-"]
    tap.run(compiler, *flags, "-o", path, *words, *(["-x", "none", *libraries] if libraries else []), input=None if file else source, status=0)
    return path


def record(path, *words, tool=None, **options):
    """Run `tally record` (or `tool`) with this output file. Return the path of the file."""
    machine.need_events()
    tap.run(tool or tally(), "record", "-o", path, *words, status=0, **options)
    return path


def report(path, *options):
    return tap.run(tally(), "report", "-i", path, *options, status=0).stdout


def report_json(path, *options):
    return json.loads(report(path, "--json", *options))


class Running:
    """A program that prints "ready" and runs until the end of the block. Entering the block returns its PID."""

    def __init__(self, words, **options):
        self.words, self.options = words, options

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **self.options)
        if self.process.stdout.readline() != "ready\n":
            self.process.kill()
            raise tap.Skip("does not run here: " + self.process.communicate()[1].strip()[-200:])
        return self.process.pid

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def stat(*args, status=0, **options):
    """Return the output of `tally stat`."""
    return tap.run(tally(), "stat", *args, status=status, **options).stderr
