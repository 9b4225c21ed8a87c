# SPDX-License-Identifier: BSD-2-Clause
"""check_house.py against trees that are made for it: one that keeps every law, and one for each way to break one.

usage: house.py SCRIPTS
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, sys.argv[1])

import check_house  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

KEEPS = {
    "include/tally/client.h": "struct tally_transport;\nint tally_threads_all(int any);\n",
    "src/client/cpus.c": "int tally_threads_all(int any)\n{\n\treturn transport->open(transport);\n}\n",
    "src/core/read.c": "int core_read(void)\n{\n\treturn event->pmu->read(event->pmu);\n}\n",
    "src/sampler/target.c": "int target_resolve(void)\n{\n\treturn tally_threads_all(0);\n}\n",
    "src/cli/main/say.h": "struct say {\n\tint a;\n};\nstruct other;\n",
    "src/cli/recording/session.c": '#include "cli/main/say.h"\n',
    "src/cli/record/loop.c": '#include "cli/main/say.h"\n#include "cli/record/loop.h"\n#include <poll.h>\n\n'
                             'int record_loop(void)\n{\n\treturn 0;\n}\n',
    "src/cli/record/loop.h": "int record_loop(void);\n",
    "src/cli/record/record.h": 60 * "/* The most it may have. */\n",
}


@machine.probe
def need_ctags():
    """Universal Ctags, which prints JSON: other programs of that name do not."""
    if not shutil.which("ctags"):
        return "ctags is not installed"
    reason = machine.why_not(["ctags", "--output-format=json", "-o", "-", os.path.join(sys.argv[1], "check_house.py")])
    return reason and f"ctags prints no JSON here: {reason}"


def judged(more, allowed=None):
    """What is said of the tree KEEPS with the files of `more` added or replaced."""
    need_ctags()
    with tempfile.TemporaryDirectory(prefix="tally-house-") as root:
        for path, text in {**KEEPS, **more}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        none = {law: set() for law in check_house.LAWS}
        return list(check_house.complaints(check_house.Tree(root), {**none, **(allowed or {})}))


def broken(more, law, entry, says):
    """`more` breaks `law` once, and `entry` in the allow-list lets it pass."""
    wrong = judged(more)
    tap.same(len(wrong), 1, f"complaints of {wrong}")
    assert says in wrong[0], f"{wrong[0]!r} does not say {says!r}"
    tap.same(judged(more, {law: {entry}}), [], "with its entry in the allow-list")


def test_a_tree_that_keeps_them():
    tap.same(judged({}), [], "complaints")


def test_a_command_sees_no_other_command():
    broken({"src/cli/top/top.c": '#include "cli/record/loop.h"\n'}, "folders", "src/cli/top/top.c -> record",
           "cli/top/ may not include cli/record/")


def test_angle_brackets_hide_nothing():
    broken({"src/cli/top/top.c": "#include <cli/record/loop.h>\n"}, "folders", "src/cli/top/top.c -> record",
           "cli/top/ may not include cli/record/")


def test_no_flat_file():
    for path in ("src/cli/flat.h", "src/cli/flat.c"):
        broken({path: '#include "cli/record/loop.h"\n'}, "flat", path, "every file of src/cli lies in")


def test_what_is_shared_sees_no_command():
    broken({"src/cli/recording/filter.c": '#include "cli/record/loop.h"\n'}, "folders",
           "src/cli/recording/filter.c -> record", "cli/recording/ may not include cli/record/")
    broken({"src/cli/main/main.c": '#include "cli/recording/session.h"\n'}, "folders",
           "src/cli/main/main.c -> recording", "cli/main/ may not include cli/recording/")


def test_a_tag_is_defined_once():
    broken({"src/client/a.c": "struct say {\n\tint b;\n};\n"}, "tags", "say", "struct say is defined 2 times")


def test_a_tag_in_a_comment_is_none():
    tap.same(judged({"src/client/a.c": "/* struct say { int b; }; */\nstruct say;\n"}), [], "complaints")


def sources(nr, static=False):
    files = {f"src/view/f{i}.c": f"{'static ' if static else ''}int f{i}(void)\n{{\n\treturn 0;\n}}\n" for i in range(nr)}
    files["src/view/view.h"] = "".join(f"int f{i}(void);\n" for i in range(nr))
    return files


def test_five_sources_behind_a_header():
    tap.same(judged(sources(5)), [], "complaints")
    broken(sources(6), "headers", "src/view/view.h", "6 sources implement it")


def test_statics_and_inline_functions_are_not_counted():
    statics = sources(6, static=True)
    statics["src/view/view.h"] = "".join(f"/* f{i}() */\n" for i in range(6))
    tap.same(judged(statics), [], "complaints of statics")
    inline = "".join(f"static inline int g{i}(void)\n{{\n\treturn 0;\n}}\n" for i in range(9))
    tap.same(judged({"src/view/view.h": inline}), [], "complaints of inline functions")


def test_a_public_header_may_have_more():
    files = sources(6)
    files["include/tally/view.h"] = files.pop("src/view/view.h")
    tap.same(judged(files), [], "complaints")


def test_a_prototype_has_its_function():
    broken({"src/view/view.h": "int gone(void);\n"}, "prototypes", "src/view/view.h: gone", "no .c file defines gone()")
    broken({"include/tally/view.h": "int gone(void);\n"}, "prototypes", "include/tally/view.h: gone",
           "no .c file defines gone()")
    broken({"src/view/view.h": "int f(void);\n", "src/view/f.c": "static int f(void)\n{\n\treturn 0;\n}\n"},
           "prototypes", "src/view/view.h: f", "no .c file defines f()")


def test_a_function_may_be_assembled():
    tap.same(judged({"src/hosts/riscv/kernel.h": "int trap(void);\n", "src/hosts/riscv/start.S": "\t.globl trap\ntrap:\n"}),
         [], "complaints")


def test_what_a_command_shares_is_small():
    broken({"src/cli/record/record.h": 61 * "/* One more. */\n"}, "private", "src/cli/record/record.h",
           "61 lines (at most 60)")
    tap.same(judged({"src/cli/record/other.h": 61 * "/* Not the one. */\n"}), [], "complaints")


def test_only_client_calls_a_transport():
    for call in ("probe->transport->close(0)", "t->ioctl(t, fd, 0, 0)", "tally_transport_linux()->poll (t, 0, 0, 0)",
                 "t->mmap\n\t\t(t, fd)", "(*t).open(t)", "(t->read)(t, 0)"):
        text = f"int f(void)\n{{\n\treturn {call};\n}}\n"
        broken({"src/cli/doctor/rights.c": text}, "transport", "src/cli/doctor/rights.c", "only src/client/ calls")


def test_a_transport_may_be_made_anywhere():
    text = "/* transport->open() */\nint f(void)\n{\n\treturn *(int *)transport->private_data;\n}\n"
    tap.same(judged({"src/cli/stat/dry.c": text}), [], "complaints")


def test_only_the_sampler_resolves_a_target():
    for code in ("return tally_threads_of_pids(0, 0);", "return tally_threads_all(0);",
                 "int (*all)(int) = tally_threads_all;", "static const f rows[] = {tally_threads_of_user};"):
        broken({"src/cli/stat/open.c": f"int f(void)\n{{\n\t{code}\n}}\n"}, "targets", "src/cli/stat/open.c",
               "only src/sampler/target.c")
    tap.same(judged({"src/cli/stat/open.c": "/* Not tally_threads_all(). */\n"}), [], "complaints of a comment")


def test_an_entry_that_is_not_needed_fails():
    for law in check_house.LAWS:
        wrong = judged({}, {law: {"gone"}})
        tap.same(len(wrong), 1, f"complaints of {wrong}")
        assert "take it out" in wrong[0], wrong[0]


def test_circles():
    need_ctags()

    def calls(name, other):
        return f"int {name}(void)\n{{\n\treturn {other}(); /* calls nobody() */\n}}\n"
    files = {"src/view/a.c": calls("a", "b"), "src/view/b.c": calls("b", "c"), "src/view/c.c": calls("c", "a"),
             "src/view/d.c": calls("d", "a"), "src/view/v.h": "int a(void);\nint b(void);\nint c(void);\nint d(void);\n"}
    with tempfile.TemporaryDirectory(prefix="tally-house-") as root:
        os.makedirs(os.path.join(root, "src/view"))
        for path, text in files.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        tap.same([sorted(circle) for circle in check_house.circles(check_house.Tree(root))],
             [["src/view/a.c", "src/view/b.c", "src/view/c.c"]], "circles")


def included(path, line):
    """What check_includes.py says of a tree with one file that has one line."""
    with tempfile.TemporaryDirectory(prefix="tally-includes-") as root:
        os.makedirs(os.path.join(root, "include/tally"))
        os.makedirs(os.path.dirname(os.path.join(root, path)))
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(line + "\n")
        return tap.run(sys.executable, os.path.join(sys.argv[1], "check_includes.py"), root).stdout


def test_own_headers_come_in_quotes():
    for target in ("cli/main/say.h", "profile/chain.h", "tally/client.h"):
        said = included("src/cli/top/top.c", f"#include <{target}>")
        assert "our own headers are included with" in said, f"{target}: {said!r}"
    for target in ("stdio.h", "sys/stat.h", "linux/perf_event.h"):
        said = included("src/cli/top/top.c", f"#include <{target}>")
        assert "1 files keep the law" in said, f"{target}: {said!r}"


def test_an_empty_tree_fails():
    with tempfile.TemporaryDirectory(prefix="tally-house-") as root:
        tap.same(tap.run(sys.executable, os.path.join(sys.argv[1], "check_house.py"), root).returncode, 1, "exit status")


tap.main(__name__)
