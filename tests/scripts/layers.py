# SPDX-License-Identifier: BSD-2-Clause
"""Test check_layers.py on small source trees: one that follows every rule, and one for each way to break a rule.

usage: layers.py SCRIPTS
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, sys.argv[1])

import check_layers  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

GOOD = {
    "include/tally/client.h": "struct tally_transport;\nint tally_threads_all(int any);\n",
    "src/client/cpus.c": "int tally_threads_all(int any)\n{\n\treturn transport->open(transport);\n}\n",
    "src/core/read.c": "int core_read(void)\n{\n\treturn event->pmu->read(event->pmu);\n}\n",
    "src/sampler/target.c": "int target_resolve(void)\n{\n\treturn tally_threads_all(0);\n}\n",
    "src/cli/main/say.h": "struct say {\n\tint a;\n};\nstruct other;\n",
    "src/session/session.c": '#include "cli/main/say.h"\n',
    "src/cli/record/loop.c": '#include "cli/main/say.h"\n#include "cli/record/loop.h"\n#include <poll.h>\n\n'
                             'int record_loop(void)\n{\n\treturn 0;\n}\n',
    "src/cli/record/loop.h": "int record_loop(void);\n",
    "src/cli/record/record.h": 60 * "/* The most it may have. */\n",
}


@machine.probe
def need_ctags():
    """Skip the test unless ctags is Universal Ctags, which can print JSON. Other programs named ctags cannot."""
    if not shutil.which("ctags"):
        return "ctags is not installed"
    reason = machine.why_not(["ctags", "--output-format=json", "-o", "-", os.path.join(sys.argv[1], "check_layers.py")])
    return reason and f"ctags prints no JSON here: {reason}"


def check(more, allowed=None):
    """Return the violations in the tree GOOD with the files in `more` added or replaced."""
    need_ctags()
    with tempfile.TemporaryDirectory(prefix="tally-layers-") as root:
        for path, text in {**GOOD, **more}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        none = {rule: set() for rule in check_layers.RULES}
        return list(check_layers.violations(check_layers.Tree(root), {**none, **(allowed or {})}))


def broken(more, rule, entry, message):
    """Check that `more` breaks `rule` once, and that `entry` in ALLOWED permits the violation."""
    wrong = check(more)
    tap.same(len(wrong), 1, f"violations in {wrong}")
    assert message in wrong[0], f"{wrong[0]!r} does not contain {message!r}"
    tap.same(check(more, {rule: {entry}}), [], "with its entry in ALLOWED")


def test_accepts_a_tree_that_follows_the_rules():
    tap.same(check({}), [], "violations")


def test_a_command_must_not_include_another_command():
    broken({"src/cli/top/top.c": '#include "cli/record/loop.h"\n'}, "directories", "src/cli/top/top.c -> record",
           "cli/top must not include cli/record")


def test_angle_brackets_are_checked_too():
    broken({"src/cli/top/top.c": "#include <cli/record/loop.h>\n"}, "directories", "src/cli/top/top.c -> record",
           "cli/top must not include cli/record")


def test_file_names_are_unique():
    broken({"src/base/session.c": "static int a;\n"}, "names", "session.c",
           "src/base/session.c and src/session/session.c have the same name")
    broken({"tests/core/session.c": "static int a;\n"}, "names", "session.c", "put the name of the module in front")
    tap.same(check({"tests/a/run.sh": "exit\n", "tests/b/run.sh": "exit\n"}), [], "violations with two run.sh")


def test_every_file_of_cli_is_in_a_directory():
    for path in ("src/cli/flat.h", "src/cli/flat.c"):
        broken({path: '#include "cli/record/loop.h"\n'}, "flat", path, "move this file into the directory of a command")


def test_shared_directories_must_not_include_a_command():
    broken({"src/cli/browser/filter.c": '#include "cli/record/loop.h"\n'}, "directories",
           "src/cli/browser/filter.c -> record", "cli/browser must not include cli/record")
    broken({"src/cli/main/main.c": '#include "cli/browser/browser.h"\n'}, "directories",
           "src/cli/main/main.c -> browser", "cli/main must not include cli/browser")


def test_a_tag_is_defined_once():
    broken({"src/client/a.c": "struct say {\n\tint b;\n};\n"}, "tags", "say", "struct say is defined 2 times")


def test_ignores_a_tag_in_a_comment():
    tap.same(check({"src/client/a.c": "/* struct say { int b; }; */\nstruct say;\n"}), [], "violations")


def sources(nr, static=False):
    files = {f"src/view/f{i}.c": f"{'static ' if static else ''}int f{i}(void)\n{{\n\treturn 0;\n}}\n" for i in range(nr)}
    files["src/view/view.h"] = "".join(f"int f{i}(void);\n" for i in range(nr))
    return files


def test_at_most_five_sources_implement_a_header():
    tap.same(check(sources(5)), [], "violations")
    broken(sources(6), "headers", "src/view/view.h", "implemented by 6 sources")


def test_does_not_count_static_and_inline_functions():
    statics = sources(6, static=True)
    statics["src/view/view.h"] = "".join(f"/* f{i}() */\n" for i in range(6))
    tap.same(check(statics), [], "violations in statics")
    inline = "".join(f"static inline int g{i}(void)\n{{\n\treturn 0;\n}}\n" for i in range(9))
    tap.same(check({"src/view/view.h": inline}), [], "violations in inline functions")


def test_more_sources_may_implement_a_public_header():
    files = sources(6)
    files["include/tally/view.h"] = files.pop("src/view/view.h")
    tap.same(check(files), [], "violations")


def test_a_prototype_needs_a_function():
    broken({"src/view/view.h": "int gone(void);\n"}, "prototypes", "src/view/view.h: gone", "gone() is declared but not defined")
    broken({"include/tally/view.h": "int gone(void);\n"}, "prototypes", "include/tally/view.h: gone",
           "gone() is declared but not defined")
    broken({"src/view/view.h": "int f(void);\n", "src/view/f.c": "static int f(void)\n{\n\treturn 0;\n}\n"},
           "prototypes", "src/view/view.h: f", "f() is declared but not defined")


def test_accepts_a_function_in_assembly():
    tap.same(check({"ports/riscv/kernel.h": "int trap(void);\n", "ports/riscv/start.S": "\t.globl trap\ntrap:\n"}),
         [], "violations")


def test_the_shared_header_of_a_command_is_small():
    broken({"src/cli/record/record.h": 61 * "/* One more. */\n"}, "shared", "src/cli/record/record.h",
           "61 lines (at most 60)")
    tap.same(check({"src/cli/record/other.h": 61 * "/* Not the one. */\n"}), [], "violations")


def test_only_client_may_call_a_transport():
    for call in ("probe->transport->close(0)", "t->ioctl(t, fd, 0, 0)", "tally_transport_linux()->poll (t, 0, 0, 0)",
                 "t->mmap\n\t\t(t, fd)", "(*t).open(t)", "(t->read)(t, 0)"):
        text = f"int f(void)\n{{\n\treturn {call};\n}}\n"
        broken({"src/cli/doctor/rights.c": text}, "transport", "src/cli/doctor/rights.c", "only src/client may call")


def test_any_module_may_implement_a_transport():
    text = "/* transport->open() */\nint f(void)\n{\n\treturn *(int *)transport->private_data;\n}\n"
    tap.same(check({"src/cli/stat/dry.c": text}), [], "violations")


def test_only_the_sampler_may_resolve_targets():
    for code in ("return tally_threads_of_pids(0, 0);", "return tally_threads_all(0);",
                 "int (*all)(int) = tally_threads_all;", "static const f rows[] = {tally_threads_of_user};"):
        broken({"src/cli/stat/open.c": f"int f(void)\n{{\n\t{code}\n}}\n"}, "targets", "src/cli/stat/open.c",
               "only src/sampler/target.c")
    tap.same(check({"src/cli/stat/open.c": "/* Not tally_threads_all(). */\n"}), [], "violations in a comment")


def test_an_unneeded_entry_in_allowed_is_an_error():
    for rule in check_layers.RULES:
        wrong = check({}, {rule: {"gone"}})
        tap.same(len(wrong), 1, f"violations in {wrong}")
        assert "no longer a violation" in wrong[0], wrong[0]


def test_finds_dependency_cycles():
    need_ctags()

    def calls(name, other):
        return f"int {name}(void)\n{{\n\treturn {other}(); /* calls unknown() */\n}}\n"
    files = {"src/view/a.c": calls("a", "b"), "src/view/b.c": calls("b", "c"), "src/view/c.c": calls("c", "a"),
             "src/view/d.c": calls("d", "a"), "src/view/v.h": "int a(void);\nint b(void);\nint c(void);\nint d(void);\n"}
    with tempfile.TemporaryDirectory(prefix="tally-layers-") as root:
        os.makedirs(os.path.join(root, "src/view"))
        for path, text in files.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        tap.same([sorted(cycle) for cycle in check_layers.cycles(check_layers.Tree(root))],
             [["src/view/a.c", "src/view/b.c", "src/view/c.c"]], "cycles")


def included(path, line):
    """Return the output of check_includes.py for a tree with one file that has one line."""
    with tempfile.TemporaryDirectory(prefix="tally-includes-") as root:
        os.makedirs(os.path.join(root, "include/tally"))
        os.makedirs(os.path.dirname(os.path.join(root, path)))
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(line + "\n")
        return tap.run(sys.executable, os.path.join(sys.argv[1], "check_includes.py"), root).stdout


def test_own_headers_are_included_with_quotes():
    for target in ("cli/main/say.h", "profile/chain.h", "tally/client.h"):
        said = included("src/cli/top/top.c", f"#include <{target}>")
        assert "include our own headers with" in said, f"{target}: {said!r}"
    for target in ("stdio.h", "sys/stat.h", "linux/perf_event.h"):
        said = included("src/cli/top/top.c", f"#include <{target}>")
        assert "1 files follow the dependency rules" in said, f"{target}: {said!r}"


def test_an_empty_tree_is_an_error():
    with tempfile.TemporaryDirectory(prefix="tally-layers-") as root:
        tap.same(tap.run(sys.executable, os.path.join(sys.argv[1], "check_layers.py"), root).returncode, 1, "exit status")


tap.main(__name__)
