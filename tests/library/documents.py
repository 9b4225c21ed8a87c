# SPDX-License-Identifier: BSD-2-Clause
"""Compare the manual pages and completion scripts with the program: check that they contain every command and every
option, that man formats the pages without warnings, and that the shells can complete with the scripts.

usage: documents.py ROOT TALLY DIRECTORY
"""
import glob
import os
import re
import shutil
import sys
import tempfile

ROOT, TALLY, DOCS = sys.argv[1:4]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.dont_write_bytecode = True
import help_tables  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

COMMANDS = help_tables.commands(TALLY)
COMPLETE = os.path.join(ROOT, "tests", "lib", "complete.bash")


def manuals():
    found = sorted(glob.glob(DOCS + "/*.[137]"))
    if not found:
        raise tap.Skip("scdoc is not installed: there are no manual pages")
    return found


def page_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plain(text):
    """Return a page without the escapes of roff."""
    return re.sub(r"\\f.|\\[&:]|\\", "", text)


def test_every_option_is_in_the_manual():
    manuals()
    for command in COMMANDS:
        page = plain(page_text(f"{DOCS}/tally-{command.name}.1"))
        missing = [option.label for option in command.options() if option.label not in page]
        tap.same(missing, [], f"tally-{command.name}.1 lacks options")


def man(page):
    return tap.run("man", "--warnings", "-E", "UTF-8", "-l", page, env=dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8"))


@machine.probe
def need_man():
    """Skip the test unless man can format a page. On minimal systems, man only explains how to install the real
    program."""
    if not shutil.which("man"):
        return "man is not installed"
    with tempfile.NamedTemporaryFile("w", suffix=".1") as page:
        page.write(".TH trial 1\n.SH NAME\ntrial \\- a page\n")
        page.flush()
        done = man(page.name)
    works = not done.returncode and not done.stderr and re.search(r"^NAME\n +trial - a page$", done.stdout, re.M)
    return None if works else f"man does not format pages here: {(done.stderr or done.stdout).strip()[-200:]}"


def test_manuals_are_clean():
    pages = manuals()
    need_man()
    for page in tap.some(pages, 4):
        done = man(page)
        name, section = os.path.basename(page).rsplit(".", 1)
        tap.same((done.returncode, done.stderr), (0, ""), page)
        if not re.search(rf"^{re.escape(name)}\({section}\).*^NAME\n +{re.escape(name)}(,\s+\S+)*\s+-\s+\S", done.stdout, re.S | re.M):
            raise AssertionError(f"{page}: {done.stdout[:300]!r}")


def section(page, title):
    """Return a section of a page, without markup, or ""."""
    found = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH |\Z)", page, re.S | re.M)
    return plain(found[1]) if found else ""


def test_manuals_contain_no_markdown():
    """Check that no markup of the sources remains: backticks, links, empty table cells."""
    for path in manuals():
        text = re.sub(r"^\.nf$.*?^\.fi$", "", page_text(path), flags=re.S | re.M)
        for wrong in ("`", "](", "**", "- -"):
            where = text.find(wrong)
            tap.same(text[max(where - 60, 0):where + 20] if where >= 0 else "", "", f"{path}: {wrong!r}")


def test_links_of_manuals_lead_to_pages():
    """Check that each reference to a page of tally is to one that exists, directly or as an alias in docs/meson.build."""
    with open(os.path.join(ROOT, "docs", "meson.build"), encoding="utf-8") as file:
        table = re.search(r"man_functions = \{(.*?)\}", file.read(), re.S)[1]
    names = {os.path.basename(path) for path in manuals()} | {f"tally_{name}.3" for name in re.findall(r"'(\w+)'", table)}
    for path in manuals():
        text = plain(page_text(path))
        sources = re.findall(r"\bdocs/(commands/)?([\w-]+)\.md", text)
        tap.same([name for name in sources if f"tally-{name[1]}.{'1' if name[0] else '7'}" in names], [], f"{path}: paths of pages")
        found = {f"{name}.{number}" for name, number in re.findall(r"\b(tally(?:[-_][\w-]+)?)\(([1-8])\)", text)}
        tap.same(sorted(found - names), [], path)
        tap.same(len(found) > 0, True, f"{path} refers to other pages")


def test_functions_document_their_results():
    """Check that each page of a function that returns a value has RETURN VALUE, and ERRORS if its comment lists errors."""
    for path in manuals():
        page = page_text(path)
        if not path.endswith(".3") or section(page, "FUNCTIONS"):
            continue
        synopsis, description = section(page, "SYNOPSIS"), section(page, "DESCRIPTION")
        prototypes = re.findall(r"^(?!struct|    )(\w[\w ]*?[ *]+)tally_\w+\(", synopsis, re.M)
        assert prototypes, f"{path}: {synopsis}"
        if any(kind.strip() != "void" for kind in prototypes):
            assert section(page, "RETURN VALUE"), f"{path} has no RETURN VALUE"
        assert not re.search(r"Returns? [^.]*-E[A-Z]", description), f"{path}: an error in DESCRIPTION"
        tap.same("see ERRORS" in section(page, "RETURN VALUE"), bool(re.search("^(-E|Other)", section(page, "ERRORS"), re.M)), path)


def variables_read():
    """Return the environment variables that src/ reads. If the name is not a literal, it is one of the names in capitals
    in the same file, or a macro."""
    sources = [page_text(path) for path in glob.glob(ROOT + "/src/**/*.[ch]", recursive=True)]
    macros = dict(re.findall(r'^#define (TALLY_\w+) "(\w+)"', "\n".join(sources), re.M))
    found = set()
    for text in sources:
        for argument in re.findall(r"\b(?:secure_)?getenv\(([^)]*)\)", text):
            if argument.startswith('"'):
                found.add(argument.strip('"'))
            elif argument in macros:
                found.add(macros[argument])
            else:
                found |= set(re.findall(r'"([A-Z][A-Z0-9_]{3,})"', text))
    return found


def test_manual_lists_the_environment():
    environment = section(page_text(manuals()[0].rpartition("/")[0] + "/tally.1"), "ENVIRONMENT")
    read = variables_read()
    assert {"TALLY_PAGER", "TALLY_CONFIG", "XDG_CACHE_HOME", "TALLY_EMULATE", "TALLY_REGIONS"} <= read, read
    tap.same(sorted(name for name in read if not re.search(rf"\b{name}\b", environment)), [], "variables that tally(1) lacks")


def complete(*words):
    done = tap.run("bash", "--norc", COMPLETE, DOCS + "/tally", *words,
                   env=dict(os.environ, PATH=os.path.dirname(TALLY) + ":" + os.environ["PATH"]))
    tap.same((done.returncode, done.stderr), (0, ""), f"completing {words}")
    return done.stdout.split()


def test_bash_completes_commands():
    tap.same(complete("tally", ""), [command.name for command in COMMANDS] + ["--version", "--help", "--no-pager"], "commands")
    tap.same(complete("tally", "--no-pager", "rec"), ["record"], "a command behind an option")
    tap.same(complete("tally", "help", "arc"), ["archive"], "help")


def test_bash_completes_options():
    for command in COMMANDS:
        names = [name for option in command.options() for name in option.names]
        tap.same(complete("tally", command.name, "-"), names, command.name)


def test_bash_completes_values():
    tap.same(complete("tally", "record", "--call-graph", "=", "d"), ["dwarf"], "--call-graph=d")
    tap.same(complete("tally", "record", "--call-graph", "="), ["fp", "dwarf", "auto", "lbr"], "--call-graph=")
    tap.same(complete("tally", "record", "--via", "k"), ["kernel"], "--via k")
    tap.same(complete("tally", "record", "--switch-output", "s"), [], "a value that has to follow =")
    tap.same(complete("tally", "record", "--switch-output", "=", "s"), ["signal", "size"], "--switch-output=s")
    tap.same(str(os.getpid()) in complete("tally", "stat", "-p", ""), True, "this process")
    tap.same(complete("tally", "record", "-p", f"1,{os.getpid()}")[:1], [f"1,{os.getpid()}"], "the last process of a list")


def test_bash_completes_files():
    """Check that bash completes files itself, as only it quotes blanks and appends "/" to directories: as the value of an
    option, and among the arguments of the command that tally runs."""
    for words in (["report", "-i", ROOT + "/LICEN"], ["report", "--input", "=", ROOT], ["report", "--symfs", ROOT],
                  ["stat", "-e", "cs", "sh", "-"], ["record", "sh", "-e", "task-c"], ["stat", "record", "--", "sh", "-p", ""],
                  ["mem", "record", "sh", "--"], ["profile", "tally", "report", "-s", "com"]):
        tap.same(complete("tally", *words), [], words)
    tap.same("-e" in complete("tally", "stat", "record", "-"), True, "stat record -")
    tap.same(complete("tally", "report", "--no-chi"), ["--no-children"], "--no-children")


def test_bash_completes_events():
    tap.same(complete("tally", "stat", "-e", "{task-clock,context-sw"), ["{task-clock,context-switches"], "an event of a list")
    names = [name for name in tap.run(TALLY, "list", "--raw-dump", "tracepoint").stdout.split() if name.startswith("sched:")]
    if names:  # ":" is a separate word in bash, and only what follows it is replaced
        tap.same(sorted(complete("tally", "stat", "-e", "task-clock,sched", ":", "")), sorted(name[6:] for name in names), "sched:")
        tap.same(complete("tally", "stat", "-e", "'cs,sched:sched_swi"), ["'cs,sched:sched_switch"], "in quotes, the word is replaced")
    metrics = tap.run(TALLY, "list", "--raw-dump", "metric", "metricgroup").stdout.split()
    tap.same(sorted(complete("tally", "stat", "-M", "")), sorted(set(metrics)), "metrics")


def listed(*words):
    """Return the words that the program lists."""
    return tap.run(TALLY, words[0], "--list-words", *words[1:], status=0).stdout.split()


def test_bash_completes_lists_of_the_program():
    for command in COMMANDS:
        for option in help_tables.listed_options(TALLY, command.name):
            if option == "-":
                continue
            words = listed(command.name, option)
            assert words or option.endswith("cgroup"), (command.name, option)
            tap.same(sorted(set(complete("tally", command.name, f"--{option}", "=", ""))), sorted(set(words)), (command.name, option))
    tap.same(complete("tally", "report", "-s", "comm,paren"), ["comm,parent"], "the last key of a list")
    tap.same(complete("tally", "top", "-s", "+srcfil"), [], "tally top has no source lines")
    tap.same(complete("tally", "script", "-F", "comm,tim"), ["comm,time"], "the last field of a list")
    tap.same(complete("tally", "diff", "-s", "symbol,ds"), ["symbol,dso"], "the last key of a list")
    assert "root" in complete("tally", "record", "-u", "roo"), "users"


def test_listed_words_are_accepted():
    """Check that the sort keys and fields that the shells offer are known to the commands. Without a recording, the
    error must not be about the word."""
    for command, option in (("report", "sort"), ("report", "fields"), ("script", "fields")):
        for word in tap.some(listed(command, option), 7):
            done = tap.run(TALLY, command, f"--{option}", word, "-i", "/nowhere/x")
            assert "unknown" not in done.stderr and done.returncode == 1, (command, word, done.stderr)


def test_bash_completes_arguments():
    for words, want in ((["script", "rec"], ["record"]), (["script", "record", "failed-syscalls-b"], ["failed-syscalls-by-pid"]),
                        (["script", "report", "gec"], ["gecko"]), (["script", "gec"], ["gecko"]), (["check", "fea"], ["feature"]),
                        (["check", "-q", "feature", "zstd,HAVE_LIBEL"], ["zstd,HAVE_LIBELF_SUPPORT"]), (["bench", "-r", "3", "fut"], ["futex"]),
                        (["bench", "mem", "memc"], ["memcpy"]), (["config", "buildid"], ["buildid.dir"]), (["test", "l"], ["list"]),
                        (["mem", "rep"], ["report"]), (["ftrace", "lat"], ["latency"]), (["list", "tracep"], ["tracepoint"]),
                        (["record", "--", "script", "rec"], [])):
        tap.same(complete("tally", *words), want, words)


def shell(name):
    if not shutil.which(name):
        raise tap.Skip(f"{name} is not installed")
    reason = machine.why_not([name, "-c", "true"])
    if reason:
        raise tap.Skip(f"{name} does not start here: {reason}")
    return name


def test_zsh_reads_its_file():
    done = tap.run(shell("zsh"), "-n", DOCS + "/_tally")
    tap.same((done.returncode, done.stderr), (0, ""), "zsh -n")


LINES = {"report -s comm,paren": "report -s comm,parent", "stat -e task-clock,context-sw": "stat -e task-clock,context-switches",
         "script record failed-syscalls-b": "script record failed-syscalls-by-pid", "bench mem memc": "bench mem memcpy",
         "check feature zst": "check feature zstd", "test --workload=nop": "test --workload=noploop", "mem rep": "mem report",
         "--no-pager doct": "--no-pager doctor", "--vers": "--version", "stat record -e task-c": "stat record -e task-clock",
         "record -e task-clock base6": "record -e task-clock base64"}
WORKLOADS = ["record -F 99 -- tail --vi", "stat -e task-clock tail --lis", "stat record -- sh repo"]  # have no words of tally
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f
zpty -w shell "PS1= PROMPT_EOL_MARK= PATH=$1:\\$PATH fpath=($2 \\$fpath); unsetopt zle_bracketed_paste 2>/dev/null
autoload -Uz compinit; compinit -u -D -d $3/dump
show() { print -r -- \\"<\\$BUFFER>\\"; BUFFER=; }; zle -N show; bindkey '^O' show; print READ''Y"
while zpty -r shell line && [[ $line != READY* ]]; do :; done
for words in "${@[4,-1]}"; do
    zpty -w -n shell "tally $words"$'\\t\\x0f'
    while zpty -r shell line && [[ $line != *\\<tally*\\>* ]]; do :; done
    print -r -- "$line"
done
zpty -d shell
"""


def test_zsh_completes():
    with tempfile.TemporaryDirectory() as place:
        done = tap.run(shell("zsh"), "-f", "-c", ZSH.replace("\\\\", "\\"), "zsh", os.path.dirname(TALLY), DOCS, place, *LINES,
                       *WORKLOADS, env={**os.environ, "TERM": "dumb"})
    got = [line.strip() for line in re.findall(r"<tally (.*?)>", done.stdout)]
    tap.same(got, [*LINES.values(), *WORKLOADS], done.stderr or done.stdout)


def test_fish_completes():
    done = tap.run(shell("fish"), "-c", f"source {DOCS}/tally.fish; complete -C 'tally record --call-gr'; complete -C 'tally repo'")
    tap.same(re.findall(r"^\S+", done.stdout, re.M), ["--call-graph", "--call-graph-default", "report"], "fish")
    done = tap.run(shell("fish"), "-c", f"source {DOCS}/tally.fish; complete -C 'tally report --'")
    want = {name for command in COMMANDS if command.name == "report" for option in command.options() for name in option.names}
    got = set(re.findall(r"^(--[^\s=]+)", done.stdout, re.M))
    tap.same(sorted({name for name in want if name.startswith("--")} - got), [], "options of report")
    done = tap.run("fish", "-N", "-c", f"source {DOCS}/tally.fish; complete -C 'tally stat -p 1,{str(os.getpid())[:-1]}'")
    tap.same(f"1,{os.getpid()}" in done.stdout.split(), True, "this process")
    for words, want in [*LINES.items(), *((words, "") for words in WORKLOADS)]:
        path = os.path.dirname(TALLY) + ":" + os.environ["PATH"]
        done = tap.run("fish", "-N", "-c", f"source {DOCS}/tally.fish; complete -C 'tally {words}'", env={**os.environ, "PATH": path})
        tap.same(re.findall(r"^\S+", done.stdout, re.M), want.split()[-1:], words)


tap.main(__name__)
