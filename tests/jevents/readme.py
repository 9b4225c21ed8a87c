#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the README for the event tables, with a test for each sentence about jevents.

usage: readme.py JEVENTS SOURCE_ROOT [CC...]

JEVENTS is called by that name; tally-jevents is the program next to it."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

JEVENTS, ROOT = map(os.path.abspath, sys.argv[1:3])
CC = sys.argv[3:] or ["cc"]
TALLY_JEVENTS = os.path.join(os.path.dirname(JEVENTS), "tally-jevents")
LOOKUP = os.path.join(ROOT, "examples", "jevents", "lookup.c")
PAGE = os.path.join(ROOT, "docs", "commands", "tally-jevents.md")
FLAGS = ["-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "src", "jevents")]
SCRATCH = tap.workplace("jevents-readme")


def event(name, code, desc="What it counts."):
    return f'{{"EventName":"{name}","EventCode":"{code}","BriefDescription":"{desc}"}}'


POWER8 = {
    "powerpc/mapfile.csv": "CPUID,Version,File,Type\n004b0000,1,power8.json,core\n",
    "powerpc/power8.json": '[\n  {,\n    "EventCode": "0x100f2",\n    "EventName": "PM_1PLUS_PPC_CMPL",\n'
                           '    "BriefDescription": "1 or more ppc insts finished,"\n  },\n]\n'}
PLUS = "pm_1plus_ppc_cmpl\tevent=0x100f2\t1 or more ppc insts finished,\tpower8"
TOPICS = ("Cache", "Frontend", "Memory", "Pipeline", "Virtual-Memory")
SILVERMONT = {
    "x86/mapfile.csv": "Family-model,Version,Filename,EventType\nGenuineIntel-6-37,V13,Silvermont_core,core\n"
                       "GenuineIntel-6-4D,V13,Silvermont_core,core\nGenuineIntel-6-4C,V13,Silvermont_core,core\n"
                       "GenuineIntel-6-2E,V1,NehalemEX_core,core\n",
    **{f"x86/Silvermont_core/{topic}.json": f"[{event(topic.upper(), hex(0x20 + number))}]"
       for number, topic in enumerate(TOPICS)},
    "x86/NehalemEX_core/Cache.json": f"[{event('L2_LINES_IN.ANY', '0xF1')}]"}


def tree(files):
    """Create a directory with these files, given as {path: text}. A number instead of the text is a number of zero
    bytes."""
    root = tempfile.mkdtemp(dir=SCRATCH)
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="latin1", newline="") as file:
            file.truncate(text) if isinstance(text, int) else file.write(text)
    return root


def compile_tree(root, *more, arch="x86", status=0, program=(JEVENTS,)):
    """Call jevents as the README does. Return the path of pmu-events.c, and standard error without the tree's path."""
    output = os.path.join(tempfile.mkdtemp(dir=SCRATCH), "pmu-events.c")
    done = tap.run(*program, arch, root, output, *more, status=status)
    tap.same(os.path.exists(output), status == 0, f"there is an output ({done.stderr[:300]})")
    return output, done.stderr.replace(root + "/", "")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def linked(output, source=LOOKUP):
    """Compile the generated file unchanged, and link it with the example's source. Return the path of the program."""
    where = os.path.dirname(output)
    program, units = os.path.join(where, "program"), [os.path.join(where, "pmu-events.o"), os.path.join(SCRATCH, os.path.basename(source) + ".o")]
    for name, unit in zip((output, source), units):
        if not os.path.exists(unit):
            tap.run(*CC, *FLAGS, "-c", name, "-o", unit, status=0)
    tap.run(*CC, "-o", program, *units, status=0)
    return program


def found(program, *args):
    return tap.run(program, *args, status=0).stdout.splitlines()


def names(program, cpuid):
    return [line.split("\t")[0] for line in found(program, cpuid)]


def no_table(program, cpuid):
    tap.run(program, cpuid, status=1, says=f"no event table for CPU '{cpuid}'")


def of(files, **options):
    return linked(compile_tree(tree(files), **options)[0])


# --- the tree

def test_session_with_power8():
    output, told = compile_tree(tree(POWER8), arch="powerpc")
    tap.same(told.count("warning: superfluous comma"), 1, "warnings")
    tap.same(found(linked(output), "004b0000", "pm_1plus_ppc_cmpl"), [PLUS], "the event")


def test_a_fourth_argument_is_accepted():
    output, _ = compile_tree(tree(POWER8), "1", arch="powerpc")
    tap.same(found(linked(output), "004b0000", "PM_1PLUS_PPC_CMPL"), [PLUS], "the event, by its name in capitals")


def test_files_whose_names_end_in_json_have_events():
    files = {**SILVERMONT, "x86/NehalemEX_core/More.json": f"[{event('MORE', 1)}]",
             "x86/NehalemEX_core/json": "{", "x86/NehalemEX_core/More.json5": "{", "x86/NehalemEX_core/More.JSON": "{"}
    tap.same(names(of(files), "GenuineIntel-6-2E"), ["l2_lines_in.any", "more"], "events")


def test_files_whose_names_start_with_mapfile_csv_are_maps():
    files = {**SILVERMONT, "x86/mapfile.csv-later": "h\nLater-1,V1,NehalemEX_core,core\n", "x86/map.csv": "h\nOther-1,V1,NehalemEX_core,core\n",
             "x86/old.mapfile.csv": "h\nOld-1,V1,NehalemEX_core,core\n"}
    program = of(files)
    for cpuid in ("GenuineIntel-6-2E", "Later-1"):
        tap.same(names(program, cpuid), ["l2_lines_in.any"], cpuid)
    for cpuid in ("Other-1", "Old-1"):
        no_table(program, cpuid)


def test_directories_are_traversed():
    files = {"arm64/mapfile.csv": "h\n0x41,v1,arm/cortex-a53,core\n", "arm64/arm/cortex-a53/branch.json": f"[{event('BR', 1)}]"}
    output, _ = compile_tree(tree(files), arch="arm64")
    tap.same("struct pmu_event pme_arm_cortex_a53[] = {" in text_of(output), True, "the table's name")
    tap.same(names(linked(output), "0x41"), ["br"], "events")


def test_all_other_files_are_ignored():
    root = tree({**SILVERMONT, "x86/README": "{", "x86/Silvermont_core/Cache.json~": "{", "x86/Silvermont_core/Cache.txt": "{"})
    os.symlink("nowhere", os.path.join(root, "x86", "Silvermont_core", "Link.json"))
    os.mkfifo(os.path.join(root, "x86", "Silvermont_core", "Fifo.json"))
    output, told = compile_tree(root, "3")
    tap.same([line for line in told.splitlines() if ": note: " not in line], [], "errors and warnings")
    tap.same(len(names(linked(output), "GenuineIntel-6-37")), 5, "events")


def test_the_file_name_is_the_topic():
    lines = found(of({**SILVERMONT, "x86/NehalemEX_core/Floating-point.json": f"[{event('FP', 1)}]"}), "GenuineIntel-6-2E", "fp")
    tap.same(lines, ["fp\tevent=0x1\tWhat it counts\tFloating point"], "the event")


def test_all_topics_of_a_directory_are_one_table():
    output, _ = compile_tree(tree(SILVERMONT))
    tap.same(re.findall(r"struct pmu_event (pme_\w+)\[\]", text_of(output)), ["pme_NehalemEX_core", "pme_Silvermont_core"], "tables")
    tap.same(names(linked(output), "GenuineIntel-6-37"), [topic.lower() for topic in TOPICS], "events")


# --- the tables

def test_the_table_of_a_file_is_named_after_the_file():
    for name in ("power8.json", "power8"):
        files = {**POWER8, "powerpc/mapfile.csv": f"h\n004b0000,1,{name},core\n004b0100,1,power8.json,core\n"}
        output, _ = compile_tree(tree(files), arch="powerpc")
        tap.same(re.findall(r"pme_\w+", text_of(output)), ["pme_power8"] * 3, f"names for {name}")
        tap.same(found(linked(output), "004b0100"), [PLUS], f"events for {name}")


def test_a_file_that_no_map_names_has_standard_events():
    files = {**POWER8, "powerpc/mapfile.csv": "h\n004b0000,1,power9,core\n", "powerpc/power9/all.json": '[{"ArchStdEvent":"PM_1PLUS_PPC_CMPL"}]'}
    output, _ = compile_tree(tree(files), arch="powerpc")
    tap.same(re.findall(r"pme_\w+", text_of(output)), ["pme_power9"] * 2, "names")
    tap.same(found(linked(output), "004b0000"), [PLUS.replace("power8", "all")], "events")


def test_a_directory_has_its_name_before_a_file():
    files = {**POWER8, "powerpc/mapfile.csv": "h\n004b0000,1,power8,core\n", "powerpc/power8/all.json": f"[{event('OF_DIR', 1)}]"}
    tap.same(names(of(files, arch="powerpc"), "004b0000"), ["of_dir"], "events")


def test_members_are_those_of_the_readme():
    text = re.sub(r"\s+", " ", text_of(compile_tree(tree(POWER8), arch="powerpc")[0]))
    for part in ('struct pmu_event pme_power8[] = { { .name = "pm_1plus_ppc_cmpl", .event = "event=0x100f2", '
                 '.desc = "1 or more ppc insts finished,",',
                 'struct pmu_events_map pmu_events_map[] = { { .cpuid = "004b0000", .version = "1", .type = "core", .table = pme_power8, }'):
        tap.same(part in text, True, f"{part} in the output")


MAP_PRINTED = """#include <stdio.h>
#include "pmu-events.h"
int main(void)
{
	for (struct pmu_events_map *row = pmu_events_map; row->cpuid; row++)
		printf("%s %s %s %s %d\\n", row->cpuid, row->version, row->type, row->table->name, row->table == pmu_events_map->table);
}
"""


def map_rows(files):
    """Return the rows of the map, as declared in the header: CPUID, version, type, first event, and whether the row
    shares the first row's table."""
    output, _ = compile_tree(tree(files))
    source = os.path.join(os.path.dirname(output), "print.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(MAP_PRINTED)
    return found(linked(output, source))


def test_several_rows_of_the_map_have_one_table():
    tap.same(map_rows(SILVERMONT), [f"GenuineIntel-6-{model} V13 core cache 1" for model in ("37", "4D", "4C")] +
             ["GenuineIntel-6-2E V1 core l2_lines_in.any 0"], "rows")


def test_the_header_declares_the_map_and_the_generated_file_defines_it():
    output, _ = compile_tree(tree(SILVERMONT))
    tap.same("extern struct pmu_events_map pmu_events_map[];" in text_of(os.path.join(ROOT, "src", "jevents", "pmu-events.h")), True, "declared")
    tap.same(text_of(output).count("struct pmu_events_map pmu_events_map[] = {"), 1, "definitions")


def test_tables_of_all_cpus_are_included():
    files = {**SILVERMONT, "x86/mapfile.csv": "h\nGenuineIntel-6-2E,V1,NehalemEX_core,core\n"}
    output, _ = compile_tree(tree(files))
    tap.same("struct pmu_event pme_Silvermont_core[]" in text_of(output), True, "a table that no line of the map names")
    no_table(linked(output), "GenuineIntel-6-37")  # the map is required even if it is 1:1


def test_an_event_is_found_by_cpu_and_name():
    program = of(SILVERMONT)
    for model in ("37", "4D", "4C", "37-8"):
        tap.same(found(program, "GenuineIntel-6-" + model, "Frontend"), ["frontend\tevent=0x21\tWhat it counts\tFrontend"], model)
    tap.same(found(program, "GenuineIntel-6-2E", "l2_lines_in.any"), ["l2_lines_in.any\tevent=0xf1\tWhat it counts\tCache"], "Nehalem-EX")
    tap.run(program, "GenuineIntel-6-2E", "frontend", status=1, says="has no event 'frontend'")
    no_table(program, "GenuineIntel-6-2F")


# --- the map

def test_the_first_line_of_a_map_is_ignored():
    for header in ("", "# CPUID", "Model,Version", "GenuineIntel-6-01,V1,NehalemEX_core,core"):
        program = of({**SILVERMONT, "x86/mapfile.csv": header + "\nGenuineIntel-6-2E,V1,NehalemEX_core,core\n"})
        no_table(program, "GenuineIntel-6-01")
        tap.same(names(program, "GenuineIntel-6-2E"), ["l2_lines_in.any"], f"events below {header!r}")


def test_a_name_in_a_map_is_relative_to_the_directory_of_the_map():
    files = {**SILVERMONT, "x86/amd/mapfile.csv": "h\nAuthenticAMD-25-1,V1,zen3,core\n", "x86/amd/zen3/all.json": f"[{event('ZEN', 1)}]"}
    program = of(files)
    tap.same(names(program, "AuthenticAMD-25-1"), ["zen"], "events by the map of a directory")
    tap.same(names(program, "GenuineIntel-6-2E"), ["l2_lines_in.any"], "events by the architecture's own map")


def test_comments_and_empty_lines_of_a_map_are_ignored():
    output, told = compile_tree(tree({**SILVERMONT, "x86/mapfile.csv": "h\n\n# c,o,m,m\n#\n\nGenuineIntel-6-2E,V1,NehalemEX_core,core\n\n"}))
    tap.same(told, "", "told")
    tap.same(text_of(output).count(".cpuid = \""), 1, "rows")


def test_the_comma_is_the_delimiter_of_a_map():
    files = {"x86/mapfile.csv": "h\na;b c\td,V 1;2,dir,core\n", "x86/dir/a.json": f"[{event('E', 1)}]"}
    tap.same(map_rows(files), ["a;b c\td V 1;2 core e 1"], "rows")


def test_version_and_type_are_in_the_map():
    files = {**SILVERMONT, "x86/Uncore/u.json": '[{"EventName":"U","EventCode":"1","Unit":"CBO"}]',
             "x86/mapfile.csv": "h\nGenuineIntel-6-2E,V1,NehalemEX_core,core\nGenuineIntel-6-2E,V2,Uncore,uncore\n"}
    tap.same(map_rows(files), ["GenuineIntel-6-2E V1 core l2_lines_in.any 1", "GenuineIntel-6-2E V2 uncore u 0"], "rows")
    tap.same(names(of(files), "GenuineIntel-6-2E"), ["l2_lines_in.any", "u"], "events")


# --- errors

GOOD = {"x86/mapfile.csv": "h\nA-1,V1,good,core\nB-1,V1,bad,core\n", "x86/good/a.json": f"[{event('GOOD', 1)}]",
        "x86/bad/ok.json": f"[{event('OK', 2)}]"}
BAD_FILE = f"[{event('BESIDE', 3)},{event('WRONG', 'zero')}]"
# For each test: files with an error, the message about omitted parts, and the event names for A-1 and for B-1.
LEFT_OUT = {
    "a_file_that_is_not_json": ({"x86/bad/x.json": "["}, "1 file", ["good"], ["ok"]),
    "a_file_that_is_nested_too_deeply": ({"x86/bad/x.json": "[" * 99}, "1 file", ["good"], ["ok"]),
    "a_file_that_is_no_list": ({"x86/bad/x.json": "3"}, "1 file", ["good"], ["ok"]),
    "a_file_that_is_too_large": ({"x86/bad/x.json": (64 << 20) + 1}, "1 file", ["good"], ["ok"]),
    "a_file_with_one_bad_entry": ({"x86/bad/x.json": BAD_FILE}, "1 file", ["good"], ["ok"]),
    "two_files_in_two_directories": ({"x86/bad/x.json": BAD_FILE, "x86/good/x.json": "["}, "2 files", ["good"], ["ok"]),
    "a_bad_file_of_standard_events": ({"x86/std.json": '[{"EventName":7}]', "x86/bad/x.json": '[{"ArchStdEvent":"S"}]'}, "2 files", ["good"], ["ok"]),
    "all_files_of_a_directory": ({"x86/bad/ok.json": BAD_FILE, "x86/bad/x.json": "["}, "2 files", ["good"], None),
    "a_file_that_the_map_names": ({"x86/mapfile.csv": "h\nA-1,V1,good,core\nB-1,V1,b.json,core\n", "x86/b.json": "["}, "1 file", ["good"], None),
    "a_directory_without_a_name": ({"x86/no name/a.json": "[]"}, "1 directory", ["good"], ["ok"]),
    "the_second_of_two_directories_with_one_name": ({"x86/go-od/a.json": "[]", "x86/go_od/a.json": "[]"}, "1 directory", ["good"], ["ok"]),
    "a_line_of_the_map_with_too_few_columns": ({"x86/mapfile.csv": GOOD["x86/mapfile.csv"] + "only,two\n"}, "1 map line", ["good"], ["ok"]),
    "a_line_of_the_map_without_a_regular_expression": ({"x86/mapfile.csv": "h\nA-1,V1,good,core\n(,V1,bad,core\n"}, "1 map line", ["good"], None),
    "everything": ({"x86/mapfile.csv": "h\nA-1\n", "x86/good/a.json": "[", "x86/bad/ok.json": "["}, "2 files, 1 map line", None, None),
}


def check_left_out(files, left, *events):
    files = {**GOOD, **files}
    root = tree(files)
    _, told = compile_tree(root, program=(TALLY_JEVENTS, "--classic"), status=1)
    errors = re.findall(r"^.*: error: .*$", told, re.M)
    tap.same(bool(errors), True, f"errors in {told[:300]!r}")
    if f"errors in {left}: " not in told.splitlines()[-1]:
        raise AssertionError(f"the last line is {told.splitlines()[-1]!r}")
    compile_tree(root, program=(TALLY_JEVENTS,), status=1)
    compile_tree(root, program=(TALLY_JEVENTS, "--keep-going"))
    for program in ((JEVENTS,), (TALLY_JEVENTS, "--classic", "--keep-going")):
        output, told = compile_tree(root, program=program)
        tap.same(re.findall(r"^.*: error: .*$", told, re.M), errors, "the same errors")
        tap.same(told.splitlines()[-1], f"{os.path.basename(program[0])}: omitted because of errors: {left}", "the last line")
        linked_program = linked(output)
        for cpuid, want in zip(("A-1", "B-1"), events):
            tap.same(names(linked_program, cpuid), want, cpuid) if want else no_table(linked_program, cpuid)


for _name, _case in LEFT_OUT.items():
    globals()[f"test_errors_leave_out_{_name}"] = lambda _case=_case: check_left_out(*_case)


def test_errors_leave_out_a_directory_that_cannot_be_read():
    root = tree({**GOOD, "x86/bad/deeper/a.json": "[]"})
    program = os.path.join(root, "jevents")
    shutil.copy(JEVENTS, program)
    tap.run("chmod", "-R", "a+rwX", root, status=0)
    os.chmod(os.path.join(root, "x86", "bad", "deeper"), 0)
    mode = os.stat(SCRATCH).st_mode
    os.chmod(SCRATCH, 0o755)
    nobody = {} if os.geteuid() else {"user": 65534, "group": 65534, "extra_groups": []}  # root can read all files
    try:
        told = tap.run(program, "x86", root, os.path.join(root, "pmu-events.c"), status=0, **nobody).stderr
    except PermissionError as error:
        raise tap.Skip(f"no other user can be taken: {error}") from error
    finally:
        os.chmod(SCRATCH, mode)
        os.chmod(os.path.join(root, "x86", "bad", "deeper"), 0o755)
    tap.same(told.replace(root + "/", "").splitlines(), ["x86/bad/deeper: error: cannot read (Permission denied)",
                                                         "jevents: omitted because of errors: 1 directory"], "told")
    tap.same(names(linked(os.path.join(root, "pmu-events.c")), "B-1"), ["ok"], "events")


def test_nothing_to_compile_gives_an_empty_map():
    for files in ({}, {"x86": "a file"}, {"x86/readme.txt": ""}, {"x86/good/a.json": "[", "x86/mapfile.csv": "h\nA-1,V1,good,core\n"}):
        no_table(of(files), "A-1")


def test_errors_of_all_files_are_told():
    several = f"[{event('A', 'one')},{{\"EventName\":5}},{event('B', 'two')}]"
    files = {**GOOD, "x86/bad/x.json": BAD_FILE, "x86/bad/y.json": several,
             "x86/good/x.json": "[", "x86/std.json": "[", "x86/mapfile.csv": "h\nonly,two\n(,V1,good,core\n"}
    want = ["bad/x.json:1:%d" % (BAD_FILE.index('"zero') + 1), *(f"bad/y.json:1:{several.index(part) + 1}" for part in ('"one', "5}", '"two')),
            "good/x.json:1:2", "mapfile.csv:2:1", "mapfile.csv:3:1", "std.json:1:2"]
    for program in ((TALLY_JEVENTS,), (TALLY_JEVENTS, "--classic"), (JEVENTS,)):
        _, told = compile_tree(tree(files), program=program, status=0 if program == (JEVENTS,) else 1)
        tap.same(sorted(re.findall(r"^x86/(\S+?): error: ", told, re.M)), sorted(want), f"places of {program}")


def test_metrics_are_errors_with_strict_alone():
    root = tree({**GOOD, "x86/bad/m.json": '[{"MetricName":"m","MetricExpr":"nosuch.event"}]',
                 "x86/bad/n.json": '[{"MetricName":"n","MetricExpr":"m + 1"}]'})
    strict = (TALLY_JEVENTS, "--strict")
    tap.same("warning: metric \"m\"" in compile_tree(root, program=(TALLY_JEVENTS,))[1], True, "a warning")
    tap.same("errors in 1 file" in compile_tree(root, program=strict, status=1)[1], True, "an error")
    # Metric n refers to m, so n is omitted as well.
    told = compile_tree(root, program=(*strict, "--keep-going"))[1]
    tap.same(told.splitlines()[-1], "tally-jevents: omitted because of errors: 2 files", "the last line")


def test_some_errors_fail_the_build_in_any_case():
    root, output = tree(GOOD), os.path.join(tempfile.mkdtemp(dir=SCRATCH), "never.c")
    for args, status in ((["x86", root, "/nonexistent/out.c"], 1), (["x86", root, root], 1),
                         (["--model", "nosuch", "x86", root, output], 1), (["x86", root], 129),
                         (["x86", root, output, "1", "2"], 129), (["--nosuch", "x86", root, output], 129)):
        tap.run(JEVENTS, *args, status=status)
    tap.same(os.listdir(os.path.dirname(output)), [], "files in the output's directory")
    tap.run(JEVENTS, "--depfile", "/nonexistent/d", "x86", root, output, status=1)


# --- the command line

def test_verbosity_chooses_the_messages():
    root = tree({**GOOD, "x86/bad/x.json": "[", "x86/bad/y.json": f"[{event('Y', 1)},]"})
    lines = {level: compile_tree(root, *level)[1].splitlines() for level in ((), ("0",), ("1",), ("2",), ("3",), ("99",), ("003",))}
    kinds = {level: [sum(f": {kind}: " in line for line in told) for kind in ("error", "warning", "note")] for level, told in lines.items()}
    tap.same(kinds, {(): [1, 1, 0], ("0",): [1, 0, 0], ("1",): [1, 1, 0], ("2",): [1, 1, 3], ("3",): [1, 1, 6], ("99",): [1, 1, 6],
                     ("003",): [1, 1, 6]}, "errors, warnings and notes")
    tap.same("x86/good: note: rows of the table: 1 (good)" in lines["2",], True, "a line for each table")
    for text in ("x", "", "1x", "-1", "+1", "1.5", " 1"):
        compile_tree(root, text, status=129)


def test_many_messages_are_cut_without_losing_errors():
    root = tree({**GOOD, "x86/bad/a.json": "[" + "," * 150 + "]", **{f"x86/bad/b{number}.json": "[1,]" for number in range(120)},
                 **{f"x86/good/w{number}.json": "[,]" for number in range(120)}})
    counts = [[told.count(f": {kind}: ") for kind in ("error", "warning")] + [told.count("are suppressed")]
              for told in (compile_tree(root)[1], compile_tree(root, "2")[1])]
    tap.same(counts, [[100, 100, 2], [120, 241, 0]], "errors, warnings, lines about suppressed messages")


def test_the_name_jevents_means_the_readmes_form():
    outputs = [text_of(compile_tree(tree(SILVERMONT), program=program)[0]) for program in (
        (JEVENTS,), (TALLY_JEVENTS, "--classic", "--keep-going"), (TALLY_JEVENTS,))]
    tap.same(outputs[0] == outputs[1], True, "jevents is tally-jevents --classic --keep-going")
    tap.same("pmu_events_map" in outputs[2], False, "tally-jevents has the README's form")


def test_the_page_shows_the_session_that_is_run_here():
    page = text_of(PAGE)
    for files in (POWER8, {name: text for name, text in SILVERMONT.items() if "Nehalem" not in name}):
        for name in files:
            tap.same(os.path.basename(name) in page, True, f"{name} on the page")
    for part in ("$ jevents powerpc arch pmu-events.c", "$ ./lookup 004b0000 pm_1plus_ppc_cmpl", PLUS):
        tap.same(part in page, True, f"{part} on the page")


def test_the_commands_of_the_example_work():
    if not shutil.which("cc"):
        raise tap.Skip("no cc")
    commands = re.findall(r"^ \*\t(.+)$", text_of(LOOKUP), re.M)
    tap.same(len(commands), 3, "commands in the example's comment")
    where = tempfile.mkdtemp(dir=SCRATCH)
    for name in ("src", "examples", "pmu-events"):
        os.symlink(os.path.join(ROOT, name), os.path.join(where, name))
    environment = {**os.environ, "PATH": os.path.dirname(JEVENTS) + ":" + os.environ["PATH"]}
    for command in commands:
        said = tap.run("sh", "-c", command, cwd=where, env=environment, status=0).stdout
    tap.same(said.startswith("pm_1plus_ppc_cmpl\tevent=0x100f2\t"), True, f"the event, in {said!r}")


@tap.always
def test_an_output_that_is_no_regular_file_is_written_to():
    """Check that an output that is a link, such as /dev/stdout, is kept, and that its target is written."""
    root = tree(POWER8)
    folder = tempfile.mkdtemp(dir=SCRATCH)
    target, link, pipe, output = (os.path.join(folder, name) for name in ("target.c", "link.c", "pipe", "stdout"))
    os.symlink("/proc/self/fd/1", output)
    done = tap.run(JEVENTS, "powerpc", root, output, status=0)
    tap.same(("struct pmu_events_map pmu_events_map[] = {" in done.stdout, os.path.islink(output)), (True, True), "standard output")
    open(target, "w", encoding="ascii").close()
    os.symlink("target.c", link)
    tap.run(JEVENTS, "powerpc", root, link, status=0)
    tap.same((os.path.islink(link), text_of(target)), (True, done.stdout), "the link and its file")
    os.mkfifo(pipe)
    done = tap.run("sh", "-c", 'cat "$1" & "$2" powerpc "$3" "$1"; wait', "sh", pipe, JEVENTS, root, status=0)
    tap.same((done.stdout, os.path.exists(pipe) and not os.path.isfile(pipe)), (text_of(target), True), "the pipe")


@tap.always
def test_messages_have_no_control_characters():
    root = tree({"x86/mapfile.csv": "head\nGenuineIntel-6-1\x1b[31m,V1,a\x1b]0;x\x07,core\n",
                 "x86/a/b.json": '[{"EventName":"E","EventCode":"\\u001b[31mzero"}]'})
    _, told = compile_tree(root)
    tap.same([c for c in told if ord(c) < 32 and c != "\n"], [], told)


if __name__ == "__main__":
    tap.main(__name__)
