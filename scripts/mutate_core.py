#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Change the core in one place at a time, and report the changes that no test detects.

usage: mutate_core.py BUILD RESULTS [FILE.c...]
       mutate_core.py --again BUILD RESULTS

BUILD is a build directory in which all tests pass. Make one without sanitizers, because each mutant runs many tests:

    meson setup BUILD --buildtype=plain -Dtests=quick -Db_lundef=false \
        "-Dc_args=['-O1','-fvisibility=default']"

A mutant is a copy of one source file in src/core with a statement removed, a comparison negated, or && and || swapped.
The core is linked as a shared object that the test programs load, so that a mutant costs only one compilation, one
link, and the tests up to the first failure. Tests that killed other mutants of the same function run first. A test that
uses ten times its usual CPU time also counts as failed.

RESULTS receives one line of JSON for each mutant. "killed_by" is the name of a test, "compiler" if the mutant does not
compile, "same code" if it compiles to the same code as the original, or null if it survives. Survivors are printed.
--again reruns the survivors in RESULTS after tests have been added, and updates RESULTS. A run over all files takes
half an hour.
"""
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILES = ("sched.c", "context.c", "inheritance.c", "overflow.c", "read.c")
# design_port tests weak symbols in a static library; the other excluded tests build their own cores.
TESTS = re.compile(r"core/(?!threads|words|switches|design_port)|differential/(sim|sim-pmu|breakpoints-sim)$")
NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
OPERATOR = re.compile(r"->|<<=?|>>=?|<=|>=|==|!=|&&|\|\||<|>")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S | re.M)
FUNCTION = re.compile(r"^\w[^;{}#=]*?\b(\w+)\([^;{}#]*\)\n\{.*?^\}", re.S | re.M)
HEAD = re.compile(r"\s*(?:else\b|do\b|case\b[^:]*:|default:|\w+:(?!:)|(?:if|for|while|switch|\w+_for_each) (?=\())")
DECLARATION = re.compile(r"(?:return|goto|break|continue)\b|"
                         r"(?:(?:const|struct|enum|unsigned)\s+)*\w+[\s*]+\w+\s*(?:[=,\[]|$)")
EFFECT = re.compile(r"[^=(]*(?:[-+|&^*/]|<<|>>)?=(?!=)|(?:\+\+|--)|.*(?:\+\+|--)$|[\w.>-]+\(.*\)$", re.S)
MEMORY = 4 << 30


def blank(text):
    """Return the text with comments, literals and preprocessor lines replaced by spaces, so that offsets do not
    change."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def closing(code, at):
    """Return the offset after the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if not depth:
            return i + 1
    raise ValueError("unbalanced parentheses")


def statements(code, begin, end):
    """Yield (begin, end) for each statement that ends with a semicolon, without a leading `if (...)` or similar."""
    start = at = begin
    while at < end:
        head = HEAD.match(code, at) if at == start else None
        if head:
            at = start = closing(code, head.end()) if code[head.end()] == "(" else head.end()
            continue
        if code[at] == "(":
            at = closing(code, at)
            continue
        if code[at] == ";":
            yield start + len(code[start:at]) - len(code[start:at].lstrip()), at
        at += 1
        if code[at - 1] in ";{}":
            start = at


def mutants_of(name):
    with open(os.path.join(ROOT, "src/core", name), encoding="utf-8") as file:
        text = file.read()
    code = blank(text)
    for function in FUNCTION.finditer(code):
        body = code.index("\n{", function.start()) + 2
        spots = [(begin, end, "") for begin, end in statements(code, body, function.end())
                 if EFFECT.match(code[begin:end]) and not DECLARATION.match(code[begin:end])]
        spots += [(found.start(), found.end(), NEGATED[found.group()])
                  for found in OPERATOR.finditer(code, body, function.end()) if found.group() in NEGATED]
        for begin, end, new in sorted(spots):
            line = text.count("\n", 0, begin) + 1
            yield {"file": name, "line": line, "function": function.group(1),
                   "source": " ".join(text.splitlines()[line - 1].split()),
                   "change": f"{text[begin:end]} -> {new}" if new else f"remove {' '.join(text[begin:end].split())}",
                   "column": begin - text.rfind("\n", 0, begin), "text": text[:begin] + new + text[end:]}


def run(command, cwd, **more):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **more)


class Core:
    """A build of the core as a shared object: either the plain one or the one with hooks for tests."""

    def __init__(self, build, archive, commands):
        self.build, self.archive = build, archive
        self.so = os.path.join(build, "mutants", os.path.basename(archive) + ".so")
        prefix = archive + ".p/"
        # Without debug information, identical code produces identical objects.
        self.commands = {os.path.basename(entry["file"]): shlex.split(entry["command"]) + ["-g0"]
                         for entry in commands if entry["output"].startswith(prefix)}
        self.objects = {name: command[command.index("-o") + 1] for name, command in self.commands.items()}
        self.sanitizers = [word for word in next(iter(self.commands.values())) if word.startswith("-fsanitize")]

    def compile(self, name, source):
        """Compile `source` as the file `name`. Return the path of the object file, or None."""
        target = os.path.join(self.build, "mutants", f"{os.path.basename(self.archive)}-{name}.o")
        command = list(self.commands[name])
        command[command.index("-o") + 1] = target
        command[command.index("-c") + 1] = source
        return target if run(command, self.build).returncode == 0 else None

    def link(self, name=None, changed=None):
        objects = [changed if object_name == name else path for object_name, path in self.objects.items()]
        subprocess.run(["cc", "-shared", "-Wl,-Bsymbolic", *self.sanitizers, "-o", self.so, *objects,
                        "-Wl,--start-group", "src/abi/libtally-abi.a", "src/base/libtally-base.a", "-Wl,--end-group"],
                       cwd=self.build, check=True)


class Test:
    def __init__(self, build, row, cores):
        self.build, self.name, self.kills = build, row["name"], {}
        self.env = dict(os.environ, **row["env"])
        program = os.path.relpath(row["cmd"][0], build)
        listed = subprocess.run(["ninja", "-t", "commands", program], cwd=build,
                                stdout=subprocess.PIPE, text=True, check=True)
        link = shlex.split(listed.stdout.splitlines()[-1])
        self.core = next(core for core in cores if core.archive in link)
        self.program = os.path.join(build, "mutants", os.path.basename(program))
        self.command = [self.program, *row["cmd"][1:]]
        link[link.index("-o") + 1] = self.program
        link[link.index(self.core.archive)] = self.core.so
        subprocess.run(link, cwd=build, check=True)
        self.seconds = 30
        start = time.monotonic()
        if not self.passes():
            sys.exit(f"{self.name} fails without a mutant")
        self.seconds = time.monotonic() - start

    def passes(self):
        def limit():
            cpu = int(10 * self.seconds) + 2
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if not self.core.sanitizers:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            return run(self.command, self.build, env=self.env, preexec_fn=limit,
                       timeout=60 * self.seconds + 60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def rank(self, mutant):
        """Return the expected number of mutants that this test kills per second."""
        kills = 10 * self.kills.get((mutant["file"], mutant["function"]), 0) + self.kills.get(mutant["file"], 0)
        return (kills + 0.1) / self.seconds


def judge(mutant, cores, tests):
    """Return the name of the test that killed the mutant, "compiler" or "same code", or None if the mutant survived."""
    name = mutant["file"]
    source = os.path.join(cores[0].build, "mutants", name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(mutant["text"])
    linked, differs = {}, False
    for core in cores:
        linked[core] = core.compile(name, source)
        if not linked[core]:
            return "compiler"
        with open(linked[core], "rb") as new, open(os.path.join(core.build, core.objects[name]), "rb") as old:
            differs |= new.read() != old.read()
    if not differs:
        return "same code"
    for core in cores:
        core.link(name, linked[core])
    for test in sorted(tests, key=lambda test: test.rank(mutant), reverse=True):
        if not test.passes():
            for key in (name, (name, mutant["function"])):
                test.kills[key] = test.kills.get(key, 0) + 1
            return test.name
    return None


def prepare(build):
    os.environ["CCACHE_DISABLE"] = "1"
    os.makedirs(os.path.join(build, "mutants"), exist_ok=True)
    listed = subprocess.run(["meson", "introspect", "--tests", build], stdout=subprocess.PIPE, check=True)
    rows = [row for row in json.loads(listed.stdout) if TESTS.match(row["name"])]
    programs = sorted({os.path.relpath(row["cmd"][0], build) for row in rows})
    subprocess.run(["ninja", "-C", build, "-j1", "--quiet", *programs], check=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    cores = [Core(build, archive, commands)
             for archive in ("src/core/libtally-core.a", "tests/core/libtally-core-hooked.a")]
    for core in cores:
        for name in FILES:
            core.objects[name] = core.compile(name, os.path.join(ROOT, "src/core", name))
            kept = core.objects[name][:-2] + "-whole.o"
            os.rename(core.objects[name], kept)
            core.objects[name] = os.path.relpath(kept, build)
        core.link()
    return cores, [Test(build, row, cores) for row in rows]


def key(mutant):
    return tuple(mutant[field] for field in ("file", "function", "source", "change", "column"))


def main():
    arguments = sys.argv[1:]
    again = "--again" in arguments
    if again:
        arguments.remove("--again")
    if len(arguments) < 2:
        sys.exit(__doc__)
    build, results, files = os.path.abspath(arguments[0]), arguments[1], arguments[2:] or FILES
    verdicts = {}
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            verdicts = {key(mutant): mutant["killed_by"] for mutant in map(json.loads, file)}
    cores, tests = prepare(build)
    mutants = [mutant for name in files for mutant in mutants_of(name)]
    done = []
    for mutant in mutants:
        known = verdicts.get(key(mutant)) if again else None
        mutant["killed_by"] = known or judge(mutant, cores, tests)
        done.append({field: value for field, value in mutant.items() if field != "text"})
        if not mutant["killed_by"]:
            print("{file}:{line}: {function}(): {change}".format(**mutant), flush=True)
        if not again or mutant is mutants[-1]:
            with open(results, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(entry) + "\n" for entry in done)
    killers = [mutant["killed_by"] for mutant in mutants]
    for killer in sorted(set(filter(None, killers)), key=killers.count, reverse=True):
        print(f"{killers.count(killer):5} {killer}")
    print(f"{len(mutants)} mutants, {killers.count(None)} survivors")


if __name__ == "__main__":
    main()
