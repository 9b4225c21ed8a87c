#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally-jevents as a command.

usage: command.py BINARY DUMP_LOADED SOURCE_ROOT FIXTURES SHARED [CC...]"""
import collections
import gzip
import os
import re
import shutil
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402

JEVENTS, LOADED, ROOT = map(os.path.abspath, sys.argv[1:4])
SETS = fixtures.sets(*sys.argv[4:6])
OWN, SHARED = SETS[0], SETS[1] if len(SETS) > 1 else None
CC = sys.argv[6:] or ["cc"]
SOURCE = os.path.join(ROOT, "src")
HERE = os.path.join(ROOT, "tests", "jevents")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
LOOKUP = [os.path.join(SOURCE, "jevents", name) for name in ("jevents_model.c", "models.c", "cpuid.c")]
SCRATCH = tempfile.TemporaryDirectory(prefix="tally-jevents-")


def path(*names):
    return os.path.join(SCRATCH.name, *names)


def fixture(name):
    """Unpack a tree from the shared fixtures. Return its path."""
    if not os.path.isdir(path(name)):
        with tarfile.open(SHARED.path("pmu", name + ".tar.gz")) as tar:
            tar.extractall(SCRATCH.name)
    return path(name)


def golden(name, one=None):
    """Return the rows of a golden file without its header, with each byte decoded as one character."""
    file = (one or SHARED).path("pmu", "golden", name)
    with (gzip.open if name.endswith(".gz") else open)(file, "rt", encoding="latin1", newline="\n") as text:
        return text.read().split("\n")[1:-1]


def run(*args, **options):
    return tap.run(*args, encoding="latin1", **options)


def tree(files):
    """Create a directory with these files, given as {path: text}."""
    root = tempfile.mkdtemp(dir=SCRATCH.name)
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="latin1", newline="") as file:
            file.write(text)
    return root


def generate(root, *options, arch="x86", status=0):
    """Run tally-jevents. Return the path of its output, and its standard error."""
    output = tempfile.mktemp(suffix=".c", dir=SCRATCH.name)
    result = run(JEVENTS, *options, arch, root, output)
    tap.same(result.returncode, status, f"status of {' '.join(options)} {arch} ({result.stderr[:300]})")
    if status:
        tap.same(os.path.exists(output), False, "output in spite of errors")
    return output, result.stderr


def compiled(name, *args):
    program = path(name)
    result = run(*CC, *WARNINGS, "-I", SOURCE, "-I", HERE, "-o", program, *args)
    tap.same(result.returncode, 0, f"compiling {name}: {result.stderr[:800]}")
    return program


def models_program(name, *sources):
    return compiled(name, *sources, os.path.join(HERE, "dump_models.c"), os.path.join(HERE, "dump_builtin.c"), *LOOKUP)


def classic_program(name, source):
    with open(source, encoding="latin1") as file:
        tables = re.findall(r"^struct pmu_event (pme_\w+)\[\]", file.read(), re.M)
    return compiled(name, "-I", os.path.join(SOURCE, "jevents"), f'-DGENERATED="{source}"',
                    "-DTABLES=" + " ".join(f"T({table})" for table in tables), os.path.join(HERE, "dump_classic.c"))


def dumped(program, *args, **options):
    result = run(program, *args, **options)
    tap.same(result.returncode, 0, f"status of {program} ({result.stderr[:300]})")
    return result.stdout.split("\n")[:-1]


def same_rows(got, want, what):
    missing = collections.Counter(want) - collections.Counter(got)
    more = collections.Counter(got) - collections.Counter(want)
    if missing or more:
        raise AssertionError(f"{what}: {sum(missing.values())} rows missing, such as {sorted(missing)[:2]}; "
                             f"{sum(more.values())} too many, such as {sorted(more)[:2]}")


# --- whole trees

ARCHS = ("arm64", "powerpc", "s390", "x86")
ROWS = {True: 12, False: 6590}  # number of rows in the classic trees


def classic_tree(one):
    return one.path("pmu", "classic") if one.own else fixture("linux418-arch")


def classic_golden(one, arch):
    name = f"classic.{arch}.events.tsv" if one.own else f"classic418.{arch}.events.tsv.gz"
    return golden(name, one), golden(f"classic{'' if one.own else '418'}.{arch}.map.tsv", one)


def check_classic_rows_are_those_of_the_classic_generator(one):
    rows = 0
    for arch in ARCHS:
        output, told = generate(classic_tree(one), "--classic", arch=arch)
        tap.same("error" in told, False, "errors")
        program = classic_program(f"classic-{one.name}-{arch}", output)
        got = dumped(program)
        if arch == "s390" and not one.own:
            got = [row.replace("\\\\", "\\") for row in got]
        want, rows_of_map = classic_golden(one, arch)
        same_rows(got, want, arch)
        rows += len(got)
        tap.same(dumped(program, "map"), rows_of_map, f"map of {arch}")
    tap.same(rows, ROWS[one.own], "rows in all")


fixtures.add_tests(sys.modules[__name__], SETS, check_classic_rows_are_those_of_the_classic_generator)


def test_what_is_no_json_is_told():
    """Check that each irregularity is accepted, and reported with its position. Our tree has all those of the classic
    trees."""
    told = {arch: generate(classic_tree(OWN), "--classic", arch=arch)[1].replace(classic_tree(OWN) + "/", "") for arch in ARCHS}
    for arch, want in {
            "arm64": r"arm64/invent-recommended\.json:8:5: warning: missing comma between two values",
            "powerpc": r"powerpc/ridge/other\.json:2:4: warning: superfluous comma",
            "s390": r"s390/cf_y1/extended\.json:6:31: warning: control character in a string .*\n"
                    r"s390/cf_y1/extended\.json:7:2: warning: superfluous comma", "x86": r"^$"}.items():
        if not re.search(want, told[arch]):
            raise AssertionError(f"{arch}: told {told[arch]!r}")


def test_our_rows_in_todays_form():
    root = classic_tree(OWN)
    output, _ = generate(root, arch="all")
    program = models_program("models-own", output)
    environment = {**os.environ, "TALLY_EVENTS_DIR": root}
    for kind, least in (("events", 11), ("metrics", 1)):
        want = golden(f"today.{kind}.tsv", OWN)
        tap.same(len(want), least, f"{kind} in the golden file")
        same_rows(dumped(program, kind), want, kind)
        same_rows(dumped(LOADED, kind, env=environment), want, f"{kind}, read at run time")
    for cpuid, want in {"InventedCpu-6-01": "core\tLakeside_core", "InventedCpu-6-03": "core\tLakeside_core",
                        "InventedCpu-6-04": "", "InventedCpu-7-0F": "core\thill/top", "InventedCpu-7-0f": ""}.items():
        tap.same("\n".join(dumped(program, "find", "x86", cpuid)), want, cpuid)
    tap.same(dumped(program, "find", "arm64", "0x00000000990f0010"), ["core\tinvent/pebble"], "of Arm")
    environment["TALLY_CPUID"] = "InventedCpu-6-02"
    same_rows(dumped(LOADED, "events", env=environment),
              [row for row in golden("today.events.tsv", OWN) if "__Lakeside_core_" in row], "of one CPU")


def test_a_file_of_intels_form():
    root = OWN.path("pmu", "intel")
    environment = {**os.environ, "TALLY_EVENTS_DIR": root, "TALLY_CPUID": "InventedCpu-9-2"}
    rows = [row.split("\t") for row in dumped(LOADED, "events", env=environment)]
    tap.same(sorted((row[1], row[4], row[6]) for row in rows), [
        ("invented_clocks.thread", "event=0x3c,period=2000003,umask=0x00", "0"),
        ("ocr.reads:response=any", "event=0xb7,period=100003,umask=0x01,offcore_rsp=0x10001", "0"),
        ("old.name", "event=0x50,period=100003,umask=0x04", "1")], "names, terms, deprecated")
    tap.same([row.split("\t")[1:] for row in dumped(LOADED, "map", env=environment)],
             [["InventedCpu-9-[12]", "V1.02", "core", "/XX/events/invented_core.json"]], "map")


# The older generator wrote Python's None into the terms of an event without MSRValue.
NO_MSR = "event=0xb,period=2000000,umask=0x10"


def golden68(kind):
    rows = [row.replace('\\"', '"') for row in golden(f"jevents68.{kind}.tsv.gz")]
    if kind == "metrics":
        rows = ["\t".join([row.split("\t")[0]] + row.split("\t")[1].replace("\\\\", "\\").split("\\000")) for row in rows]
    return [row.replace(NO_MSR + ",ldlat=None", NO_MSR) for row in rows]


def check_rows_are_those_of_todays_generator(_):
    output, _ = generate(fixture("linux68-arch"), arch="all")
    program = models_program("models-68", output)
    rows = 0
    for kind in ("events", "metrics"):
        got = dumped(program, kind)
        same_rows(got, golden68(kind), kind)
        rows += len(got)
    tap.same(rows, 11485, "rows in all")
    for cpuid, want in {"GenuineIntel-6-55-7": "core\tcascadelakex", "GenuineIntel-6-55-4": "",
                        "GenuineIntel-6-37-9": "core\tsilvermont", "AuthenticAMD-25-21-0": "core\tamdzen3",
                        "0x489-0x8000000000000007-0x4210427": "core\tsifive/u74",
                        "0x00000000410fd0c0": "core\tarm/neoverse-n1", "IBM,3931,704,A01,3.7,002f": "core\tcf_z16"
                        }.items():
        arch = {"0x48": "riscv", "0x00": "arm64", "IBM,": "s390"}.get(cpuid[:4], "x86")
        tap.same("\n".join(dumped(program, "find", arch, cpuid)), want, cpuid)


def check_read_at_run_time_the_rows_are_the_same(_):
    root = fixture("linux68-arch")
    environment = {**os.environ, "TALLY_EVENTS_DIR": root}
    for kind in ("events", "metrics"):
        # arch/test has no map, so its tables belong to no CPU, and programs that read the tree do not need them.
        same_rows(dumped(LOADED, kind, env=environment),
                  [row for row in golden68(kind) if "__test_soc_" not in row], kind)
    environment["TALLY_CPUID"] = "GenuineIntel-6-55-7"
    same_rows(dumped(LOADED, "events", env=environment),
              [row for row in golden68("events") if "__cascadelakex_" in row], "of one CPU")
    environment["TALLY_EVENTS_DIR"] = os.path.join(root, "x86", "silvermont")
    tap.same(len(dumped(LOADED, "events", env=environment)), 130, "rows of one directory")


def check_intel_files_are_read_as_they_are(_):
    root = fixture("intel-perfmon")
    core = {row.split("\t")[1]: row.split("\t")[4] for row in golden68("events")
            if row.startswith("pmu_events__cascadelakex_default_core")}
    environment = {**os.environ, "TALLY_EVENTS_DIR": os.path.join(root, "CLX", "events", "cascadelakex_core.json")}
    file = [row.split("\t") for row in dumped(LOADED, "events", env=environment)]
    tap.same(len(file), 2344, "rows of the file")
    common = [row for row in file if row[1] in core]
    if len(common) < 1300:
        raise AssertionError(f"only {len(common)} names are Linux' as well")
    differ = sorted(row[1] for row in common if terms(row[4]) != terms(core[row[1]]))
    tap.same(len(differ) < 20, True, f"{len(differ)} encodings differ from Linux', such as {differ[:5]}")
    environment = {**os.environ, "TALLY_EVENTS_DIR": root, "TALLY_CPUID": "GenuineIntel-6-55-7"}
    tap.same(len(dumped(LOADED, "events", env=environment)), 2344, "rows of the CPU")
    tap.same([row.split("\t")[1:] for row in dumped(LOADED, "map", env=environment)],
             [["GenuineIntel-6-55-[56789ABCDEF]", "V1.25", "core", "/CLX/events/cascadelakex_core.json"]][:1], "map")


def terms(text):
    """Return {term: number}. Periods are ignored because they differ between releases."""
    pairs = (term.split("=") for term in text.split(",") if not term.startswith("period="))
    return {name: int(value, 0) for name, value in pairs if int(value, 0)}


# The output of current generators and Intel's own files exist only in the shared set.
for _check in (check_rows_are_those_of_todays_generator, check_read_at_run_time_the_rows_are_the_same,
               check_intel_files_are_read_as_they_are):
    fixtures.add_tests(sys.modules[__name__], SETS[1:], _check)


# --- trees for single cases

SLM = {"x86/mapfile.csv": "Family-model,Version,Filename,EventType\nGenuineIntel-6-37,V13,Silvermont_core,core\n",
       "x86/Silvermont_core/Cache.json": '[{"EventCode":"0x2e","UMask":"0x41","EventName":"LONGEST_LAT_CACHE.MISS",'
                                         '"BriefDescription":"Misses.","SampleAfterValue":"200003"}]'}


def test_the_readme_example():
    root = tree({"powerpc/mapfile.csv": "CPUID,Version,Dir,Type\n004b0000,1,power8,core\n",
                 "powerpc/power8/other.json":
                 '[\n  {,\n    "EventCode": "0x100f2",\n    "EventName": "PM_1PLUS_PPC_CMPL",\n'
                 '    "BriefDescription": "1 or more ppc insts finished,"\n  },\n]\n'})
    output, told = generate(root, "--classic", arch="powerpc")
    with open(output, encoding="latin1") as file:
        text = file.read()
    for part in ("struct pmu_event pme_power8[] = {", '.name = "pm_1plus_ppc_cmpl",', '.event = "event=0x100f2",',
                 '.desc = "1 or more ppc insts finished,",', "struct pmu_events_map pmu_events_map[] = {",
                 '.cpuid = "004b0000",', '.version = "1",', '.type = "core",', ".table = pme_power8"):
        tap.same(part in text, True, f"{part} in the output")
    tap.same(told.count("warning: superfluous comma"), 1, "warnings")
    dumped(classic_program("readme", output))


def test_missing_parts_give_an_empty_map():
    for files in ({}, {"x86/readme.txt": "no tables"}, {"x86": ""}, {"x86/slm/c.json": '[{"EventName":"E"}]'}):
        root = tree(files)
        for options in ([], ["--classic"], ["--map"]):
            output, told = generate(root, *options)
            tap.same("warning: " in told, True, f"a warning for {files}")
            if options == ["--classic"]:
                tap.same(dumped(classic_program("empty", output), "map"), [], "classic map")
            elif not options:
                tap.same(dumped(models_program("empty", output), "map"), [], "map")
    output, told = generate("/nonexistent/tree", arch="all")
    tap.same(dumped(models_program("empty", output), "map"), [], "map")


def test_read_at_run_time_a_map_names_files_and_what_is_in_its_directory():
    root = tree({"x86/mapfile.csv": "h\nA-1,1,file,core\nA-2,1,file.json,core\n", "x86/file.json": '[{"EventName":"F","EventCode":"1"}]',
                 "x86/amd/mapfile.csv": "h\nB-1,1,zen,core\n", "x86/amd/zen/all.json": '[{"EventName":"Z","EventCode":"2"}]'})
    for cpuid, want in {"A-1": "f", "A-2": "f", "B-1": "z"}.items():
        rows = dumped(LOADED, "events", env={**os.environ, "TALLY_EVENTS_DIR": root, "TALLY_CPUID": cpuid})
        tap.same([row.split("\t")[1] for row in rows], [want], cpuid)


def test_map_lines_without_tables_are_left_out():
    root = tree({**SLM, "x86/mapfile.csv": SLM["x86/mapfile.csv"] + "GenuineIntel-6-99,V1,gone,core\n"})
    output, told = generate(root)
    tap.same(re.sub(".*/", "", told), "mapfile.csv:3:1: warning: no table for \"gone\" (no such directory, or no "
             "*.json in it: line ignored)\n", "told")
    tap.same(dumped(models_program("left", output), "map"),
             ["x86\tGenuineIntel-6-37\tV13\tcore\tSilvermont_core"], "map")


def test_other_files_and_deep_directories_are_ignored():
    root = tree({**SLM, "x86/Silvermont_core/readme.md": "{", "x86/.hidden/a.json": "{", "x86/Silvermont_core/a.json~": "{",
                 "x86/v/m/sys/s.json": '[{"EventName":"S","Compat":"v8","Unit":"sys_ddr_pmu"}]',
                 "x86/v/m/sys/deeper/d.json": "{"})
    os.symlink("nowhere", os.path.join(root, "x86", "Silvermont_core", "dangling.json"))
    output, told = generate(root)
    tap.same(told, "", "told")
    tap.same([row.split("\t")[0] for row in dumped(models_program("ignored", output), "events")],
             ["pmu_events__Silvermont_core_default_core", "pmu_events__v_m_sys_uncore_sys_ddr_pmu"], "tables")
    output, _ = generate(root, "--classic")
    with open(output, encoding="latin1") as file:
        tap.same(re.findall(r"pme_\w+(?=\[)", file.read()), ["pme_Silvermont_core"], "classic tables")


BROKEN = {  # for each file (path:content) or directory: expected position and message, and exit status
    "x86/Silvermont_core/Bad.json:[": (r"Bad\.json:1:2: error: the file ends inside a list or object \(.+\)", 1),
    "x86/Silvermont_core/Bad.json:[{}]]": (r"Bad\.json:1:5: error: text after the end \(.+\)", 1),
    "x86/Silvermont_core/Bad.json:" + "[" * 100000: (r"Bad\.json:1:33: error: nested too deeply \(.+\)", 1),
    'x86/Silvermont_core/Bad.json:[\n{"EventName":"A",\n"EventCode":"0x1ffffffffffffffff"}]':
        (r"Bad\.json:3:13: error: EventCode .* is not a number \(it does not fit in 64 bits\)", 1),
    'x86/Silvermont_core/Bad.json:[{"EventName":5}]': (r'Bad\.json:1:15: error: "EventName" is not a string \(.+\)', 1),
    'x86/Silvermont_core/Bad.json:[{"ArchStdEvent":"X"}]': (r'Bad\.json:1:18: error: standard event "X" .+ \(.+\)', 1),
    'x86/Silvermont_core/Bad.json:"text"': (r"Bad\.json:1:1: error: no list of events \(.+\)", 1),
    'x86/std.json:[{"EventName":"E","ArchStdEvent":"E"}]': (r"", 0),
    "x86/bad name/a.json:[]": (r"bad name: error: not a valid table name \(.+\)", 1),
    "x86/Silvermont-core/a.json:[]": (r"error: another table has this name \(.+\)", 1),
    "x86/mapfile.csv:h\nonly,two\n": (r"mapfile\.csv:2:1: error: invalid map line \(.+\)", 1),
    "x86/mapfile.csv:h\n(,v,Silvermont_core,core\n": (r'mapfile\.csv:2:1: error: "\(" is not a valid regular expression \(.+\)', 1),
}


def test_what_is_wrong_is_told_with_its_place():
    for entry, (want, status) in BROKEN.items():
        name, _, text = entry.partition(":")
        for options in ([], ["--classic"]):
            _, told = generate(tree({**SLM, name: text}), *options, status=status)
            if not re.search(want, told):
                raise AssertionError(f"{entry[:80]!r} {options}: told {told[:300]!r}")


def test_errors_leave_the_old_output():
    root = tree({**SLM, "x86/Silvermont_core/Bad.json": "["})
    output = path("kept.c")
    with open(output, "w", encoding="latin1") as file:
        file.write("old")
    tap.same(run(JEVENTS, "x86", root, output).returncode, 1, "status")
    with open(output, encoding="latin1") as file:
        tap.same(file.read(), "old", "output")
    tap.same([name for name in os.listdir(SCRATCH.name) if ".tmp" in name], [], "temporary files")
    tap.same(run(JEVENTS, "x86", root, "/nonexistent/out.c").returncode, 1, "status without a directory")


def test_usage():
    for args in ([], ["x86"], ["x86", ".", "a.c", "b"], ["--nosuch", "x86", ".", "a.c"], ["--model"]):
        result = run(JEVENTS, *args)
        tap.same(result.returncode, 129, f"status of {args}")
        tap.same("Usage: tally-jevents" in result.stderr, True, "usage on stderr")
    result = run(JEVENTS, "--help")
    tap.same((result.returncode, result.stderr), (0, ""), "--help")
    tap.same(result.stdout.startswith("Usage: tally-jevents"), True, "usage on stdout")
    with open(os.path.join(ROOT, "docs", "commands", "tally-jevents.md"), encoding="utf-8") as file:
        tap.same(result.stdout in file.read(), True, "the page has the help as it is")
    generate(tree(SLM), "--model", "nosuch", status=1)


NASTY = ["what??!", "??/", "????", '"', "\\", "\\\\n", "%s%n", "*/ /*", "//", "\\0", "\\x41", "a\tb", "\n", "\r\n",
         "\x01\x7f", "\303\251", "\360\237\230\200", "\0011", "??=define", "#include", "${x}", "'", "L\"", "\\u0041", "1" * 5000,
         "trailing\\"]


def json_text(text):
    """Return a JSON string in which only control characters, quotes and backslashes are escaped."""
    return '"' + "".join(f"\\u{ord(c):04x}" if c < " " or c in '"\\' else c for c in text) + '"'


def test_nasty_texts_survive_the_compiler():
    events = ",".join(f'{{"EventName":"E{i:02}","EventCode":"1","BriefDescription":{json_text(text)}}}'
                      for i, text in enumerate(NASTY))
    root = tree({**SLM, "x86/Silvermont_core/Cache.json": f"[{events}]"})
    want = [text[:-1] if text.endswith(".") else text for text in NASTY]
    want = [text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") for text in want]
    for flags in (["-std=gnu11"], ["-std=c11", "-trigraphs"]):
        output, _ = generate(root)
        got = [row.split("\t")[3] for row in dumped(models_program("nasty", *flags, output), "events")]
        tap.same(got, want, f"texts with {flags}")
        output, _ = generate(root, "--classic")
        with open(output, encoding="latin1") as file:
            tap.same(file.read().isascii(), True, "output is ASCII")
        program = compiled("nasty", *flags, "-I", os.path.join(SOURCE, "jevents"), f'-DGENERATED="{output}"',
                           "-DTABLES=T(pme_Silvermont_core)", os.path.join(HERE, "dump_classic.c"))
        got = [row.split("\t")[3].replace("\\\\", "\\") for row in dumped(program)]
        tap.same(got, want, f"classic texts with {flags}")


def test_output_depends_on_the_tree_alone():
    # The same files, created in another order in another directory.
    files = {**SLM, **{f"x86/m{i}/t{j}.json": f'[{{"EventName":"E{i}{j}","EventCode":"{j}"}}]'
                       for i in range(5) for j in range(5)}}
    outputs = [generate(tree(dict(order)), option)[0] for option in ("--classic", "--strict")
               for order in (sorted(files.items()), sorted(files.items(), reverse=True))]
    texts = [open(output, "rb").read() for output in outputs]
    tap.same(texts[0] == texts[1] and texts[2] == texts[3], True, "outputs are equal")


def test_tables_need_no_relocations():
    if not shutil.which("readelf"):
        raise tap.Skip("no readelf")
    output, _ = generate(tree(SLM))
    result = run(*CC, "-O2", "-fPIC", "-I", SOURCE, "-c", output, "-o", path("pic.o"))
    tap.same(result.returncode, 0, result.stderr[:300])
    sections = re.findall(r"Relocation section '(\S+)'", run("readelf", "-rW", path("pic.o")).stdout)
    tap.same([name for name in sections if name not in (".rela.text", ".rela.eh_frame")], [], "relocated sections")


NINJA = """
rule model
  command = {jevents} --model $model --depfile $out.d x86 {root} $out
  depfile = $out.d
rule map
  command = {jevents} --map --depfile $out.d all {root} $out
  depfile = $out.d
rule cc
  command = {cc} -Wall -Wextra -Werror -I{source} -c $in -o $out
build silvermont.c: model
  model = Silvermont_core
build other.c: model
  model = v/other
build map.c: map
build silvermont.o: cc silvermont.c
build other.o: cc other.c
build map.o: cc map.c
"""


def test_one_object_a_model_is_rebuilt_alone():
    if not shutil.which("ninja"):
        raise tap.Skip("no ninja")
    root = tree({**SLM, "x86/v/other/a.json": '[{"EventName":"E","EventCode":"1"}]',
                 "x86/std.json": '[{"EventName":"STD","EventCode":"2"}]'})
    build = tempfile.mkdtemp(dir=SCRATCH.name)
    with open(os.path.join(build, "build.ninja"), "w", encoding="latin1") as file:
        file.write(NINJA.format(jevents=JEVENTS, root=root, cc=" ".join(CC), source=SOURCE))

    def built():
        result = run("ninja", "-v", "-C", build)
        tap.same(result.returncode, 0, result.stdout[-500:])
        return sorted(set(re.findall(r"(\w+)\.o$", result.stdout, re.M)))

    def changed(name, text):
        with open(os.path.join(root, name), "w", encoding="latin1") as file:
            file.write(text)

    tap.same(built(), ["map", "other", "silvermont"], "built at first")
    tap.same(built(), [], "built again")
    changed("x86/v/other/a.json", '[{"EventName":"E","EventCode":"3"}]')
    tap.same(built(), ["other"], "built after a change")
    changed("x86/Silvermont_core/New.json", '[{"ArchStdEvent":"STD"}]')
    tap.same(built(), ["map", "silvermont"], "built after a new file")
    changed("x86/std.json", '[{"EventName":"STD","EventCode":"7"}]')
    tap.same(built(), ["other", "silvermont"], "built after a change of the standard events")
    changed("x86/mapfile.csv", SLM["x86/mapfile.csv"] + "GenuineIntel-6-4C,V2,v/other,core\n")
    tap.same(built(), ["map"], "built after a change of the map")
    objects = [os.path.join(build, name + ".o") for name in ("silvermont", "other", "map")]
    program = models_program("parts", *objects)
    tap.same([row.split("\t")[1:5:3] for row in dumped(program, "events")],
             [["longest_lat_cache.miss", "event=0x2e,period=200003,umask=0x41"], ["std", "event=0x7"], ["e", "event=0x3"]],
             "events")
    tap.same(dumped(program, "find", "x86", "GenuineIntel-6-4C-1"), ["core\tv/other"], "CPU")


def test_metrics_that_cannot_be_computed():
    root = tree({**SLM, "x86/Silvermont_core/m.json": '[{"MetricName":"a","MetricExpr":"b"},'
                 '{"MetricName":"b","MetricExpr":"a"},{"MetricName":"c","MetricExpr":"nosuch.event"}]'})
    _, told = generate(root)
    tap.same(told.count("warning: metric"), 3, "warnings")
    _, told = generate(root, "--strict", status=1)
    tap.same(told.count("error: metric"), 3, "errors")


if __name__ == "__main__":
    tap.main(__name__)
