#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the lines and inlined functions at every address of small programs with llvm-symbolizer or, if it is missing,
with binutils' addr2line. For nightly runs, TALLY_DWARF_OBJECTS lists larger files as "FILE" or "FILE=SYMFS"."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

LINES, HAS_DWARF = sys.argv[1], sys.argv[2]
WORK = tap.workplace("dwarf")
C = """
#include <stdlib.h>
static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
static inline __attribute__((always_inline)) int middle(int x)
{
	for (int i = 0; i < x; i++)
		x ^= inner(i);
	return x;
}
__attribute__((noinline)) int outer(int x)
{
	if (x > 3) {
		int y = middle(x);
		return y + inner(y);
	}
	return middle(x + 1);
}
__attribute__((cold)) int other(int x) { return outer(x) ? inner(x) : abs(x); }
int main(int argc, char **argv) { return outer(argc) + other(argc + 1); }
"""
# Functions without a linkage name in GCC's debug information: lambdas, members of local classes and what is instantiated
# with either. Each returns something that cannot be computed in advance.
SCOPES = """
#define INLINE inline __attribute__((always_inline))
volatile int value;
namespace {
template <class T> INLINE int apply(T call) { return call(value) + value; }
}
namespace outer { inline namespace v2 {
struct holder {
	struct inner;
	template <class T> struct slot {
		T call;
		INLINE slot(T c) : call(c) { value += 1; }
		INLINE int run() { return call(value) * value; }
	};
};
struct holder::inner {
	template <class T> INLINE int late(T call) { return call(value) - value; }
};
__attribute__((noinline)) int work(int x)
{
	struct local {
		int n;
		INLINE int twice() { return value * n + value; }
	};
	auto first = [x](int y) __attribute__((always_inline)) { return value ^ (x + y); };
	auto second = [x](int y) __attribute__((always_inline)) { return value * x - y; };
	return apply(first) + holder::slot<decltype(second)>(second).run() + local{x}.twice() +
	       holder::inner().late(first);
}
} }
int main(int argc, char **argv) { return outer::work(argc); }
"""
SCOPED = (r"(\(anonymous namespace\)|outer::v2::holder::slot<.*>|outer::v2::holder::inner|outer::v2::work::local|"
          r"outer::v2::work::\{lambda:\d+\})::(apply<.*>|slot|run|late<.*>|twice|operator\(\))")
CXX = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace space {
template <class T> struct box {
	T value;
	T twice() const { return value + value; }
};
}
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<int>> all;
	for (int i = 0; i < argc + 5; i++)
		all[std::to_string(i)].push_back(space::box<int>{i}.twice());
	auto order = [&](const auto &a, const auto &b) { return a.size() < b.size(); };
	std::vector<std::vector<int>> lists;
	for (auto &one : all)
		lists.push_back(one.second);
	std::sort(lists.begin(), lists.end(), order);
	return lists.size();
}
"""


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more).stdout.decode(
        errors="replace")


def oracle(path, addresses):
    for name in ("llvm-symbolizer-19", "llvm-symbolizer", "llvm-symbolizer-14"):
        if shutil.which(name):
            return run(name, "--output-style=GNU", "--addresses", "--functions=linkage", "--no-demangle", "--inlines",
                       "--obj=" + path, input=addresses)
    return run("addr2line", "-a", "-i", "-f", "-e", path, input=addresses)


def frames(text):
    """Parse a tool's output into {address: [(function, "file:line"), ...]}."""
    found, current = {}, None
    for line in text.splitlines():
        if line.startswith("0x"):
            current = found[int(line, 16)] = []
        elif current is not None:
            current.append(re.sub(r"/(\./)+", "/", re.sub(r" \(discriminator \d+\)|:\?$", "", line)))
    return {address: list(zip(lines[::2], lines[1::2])) for address, lines in found.items()}


def functions(path):
    """Yield (start, size) for each function in the symbol table."""
    for line in run("nm", "-S", "--defined-only", path).splitlines():
        field = line.split()
        if len(field) == 4 and field[2] in "tTwW":
            yield int(field[0], 16), int(field[1], 16)


def differing(path, step=1, symfs=None):
    addresses = sorted({at for start, size in functions(path) for at in range(start, start + size, step)})
    text = "".join(f"0x{at:x}\n" for at in addresses).encode()
    ours = frames(run(LINES, path, *([symfs] if symfs else []), input=text))
    theirs = frames(oracle((symfs or "") + path, text))
    return [(at, ours.get(at), theirs[at]) for at in theirs if not same(ours.get(at), theirs[at])], len(addresses)


def same_name(ours, theirs):
    """The symbolizers name functions without a linkage name without their scopes."""
    return ours == theirs or (not theirs.startswith("_Z") and ours.endswith("::" + theirs))


def same(ours, theirs):
    """Return True if both lists have the same inlined functions and lines. The outermost function may have several
    names."""
    if not ours or len(ours) != len(theirs):
        return False
    return all(a[1].split("/")[-1] == b[1].split("/")[-1] and (same_name(a[0], b[0]) or i + 1 == len(ours))
               for i, (a, b) in enumerate(zip(ours, theirs)))


def build(name, source, compiler, *flags):
    for tool in ("nm", "addr2line"):
        if not shutil.which(tool):
            raise tap.Skip(f"no {tool}")
    machine.need_compiler(compiler, *flags)
    path = os.path.join(WORK, name)
    with open(path + (".c" if source is C else ".cc"), "w", encoding="utf-8") as file:
        file.write(source)
    run(compiler, "-o", name, os.path.basename(file.name), *flags, cwd=WORK)
    return path


def check(path, least=99.9):
    if not HAS_DWARF:
        raise tap.Skip("built without libdw")
    wrong, nr = differing(path)
    share = 100 - 100 * len(wrong) / nr
    print(f"# {os.path.basename(path)}: {share:.3f} % of {nr} addresses agree")
    assert nr > 100 and share >= least, [(hex(at), a, b) for at, a, b in wrong[:3]]


def test_gcc_5():
    """Test DWARF 5 from gcc."""
    check(build("gcc5", C, "gcc", "-O2", "-gdwarf-5"))


def test_gcc_4():
    """Test DWARF 4 from gcc."""
    check(build("gcc4", C, "gcc", "-O2", "-gdwarf-4"))


def test_packed():
    """Test compressed sections."""
    check(build("packed", C, "gcc", "-O2", "-g", "-gz"))


def test_split():
    """Test units in separate files."""
    check(build("split", C, "gcc", "-O2", "-g", "-gsplit-dwarf"))


def test_split_4():
    """Test units in separate files before DWARF 5."""
    check(build("split4", C, "gcc", "-O2", "-gdwarf-4", "-gsplit-dwarf"))


def test_clang():
    """Test entries without siblings, and addresses by index, from clang."""
    check(build("clang", C, "clang", "-O2", "-g"))


def test_cxx():
    """Test C++: templates, lambdas, and functions shared by units."""
    check(build("cxx", CXX, "g++", "-O2", "-g"))


def test_cxx_not_optimized():
    """Test C++ functions that are not inlined."""
    check(build("cxx0", CXX, "g++", "-O0", "-g"))


def test_cxx_split():
    """Test C++ in split units."""
    check(build("cxxsplit", CXX, "g++", "-O2", "-g", "-gsplit-dwarf"))


def test_dwz():
    """Test DWARF that dwz moved to a file shared by several programs."""
    if not shutil.which("dwz"):
        raise tap.Skip("no dwz")
    # llvm-symbolizer does not read the file that dwz creates for both programs, so compare with the results from before
    # dwz ran.
    paths = build("dwz1", CXX, "g++", "-O2", "-g"), build("dwz2", CXX, "g++", "-O2", "-g", "-DSECOND")
    texts = ["".join(f"0x{at:x}\n" for start, size in functions(path) for at in range(start, start + size)).encode()
             for path in paths]
    before = [frames(run(LINES, path, input=text)) for path, text in zip(paths, texts)]
    run("dwz", "-m", "common", "-M", "common", *paths, cwd=WORK)
    for path, text, truth in zip(paths, texts, before):
        assert b"common" in open(path, "rb").read(), "dwz moved nothing"
        now = frames(run(LINES, path, input=text))
        assert now == truth and len(now) > 1000, [(hex(at), now[at], truth[at]) for at in now if now[at] != truth[at]][:3]


def scoped_names(*flags, compiler="g++"):
    """Return the names without a linkage name in the program with local functions."""
    if not HAS_DWARF:
        raise tap.Skip("built without libdw")
    path = build("scopes" + str(len(flags)) + compiler, SCOPES, compiler, "-O2", "-g", *flags)
    text = "".join(f"0x{at:x}\n" for start, size in functions(path) for at in range(start, start + size)).encode()
    found = frames(run(LINES, path, input=text))
    check(path)
    return {name for lines in found.values() for name, _ in lines[:-1] if not name.startswith("_Z")}


def check_scopes(*flags):
    names = scoped_names(*flags)
    assert names and all(re.fullmatch(SCOPED, name) for name in names), names
    lambdas = [i for i, line in enumerate(SCOPES.splitlines(), 1) if "[x]" in line]
    for wanted in (*(rf"outer::v2::work::\{{lambda:{line}\}}::operator\(\)" for line in lambdas),
                   "outer::v2::work::local::twice", r"\(anonymous namespace\)::apply<.*>", r"outer::v2::holder::slot<.*>::run",
                   r"outer::v2::holder::inner::late<.*>"):
        assert any(re.fullmatch(wanted, name) for name in names), (wanted, names)


def test_scopes():
    """Functions without a linkage name have the names of their scopes."""
    check_scopes()


def test_scopes_in_split_units():
    """The same in a file of its own (-gsplit-dwarf)."""
    check_scopes("-gsplit-dwarf")


def test_scopes_of_type_units():
    """The same if types are in units of their own."""
    check_scopes("-fdebug-types-section", "-gdwarf-4")


def test_scopes_in_other_units():
    """The same if the functions are in another unit than their calls, as after link-time optimization."""
    check_scopes("-flto", "-ffat-lto-objects", "-fno-fat-lto-objects")


def test_no_scopes_in_c():
    """C functions have no scopes, and C++ functions outside of scopes have none."""
    names = {name for at in frames(run(LINES, build("plain", C, "gcc", "-O2", "-g"), input=b"".join(
        b"0x%x\n" % at for start, size in functions(os.path.join(WORK, "plain")) for at in range(start, start + size))
    )).values() for name, _ in at[:-1]}
    assert names == {"inner", "middle"}, names


def test_larger():
    """Test the files listed in TALLY_DWARF_OBJECTS."""
    objects = os.environ.get("TALLY_DWARF_OBJECTS")
    if not objects:
        raise tap.Skip("TALLY_DWARF_OBJECTS is not set")
    for item in objects.split(","):
        path, _, symfs = item.partition("=")
        wrong, nr = differing(path, 37, symfs)
        print(f"# {path}: {100 - 100 * len(wrong) / nr:.3f} % of {nr} addresses agree")
        assert len(wrong) <= nr / 1000, [(hex(at), a, b) for at, a, b in wrong[:3]]


if __name__ == "__main__":
    tap.main(__name__)
