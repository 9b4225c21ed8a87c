# SPDX-License-Identifier: BSD-2-Clause
"""One event or metric in its canonical form, and how a file of them is written."""
import json
import re

# The keys an event may have, one group per line of the file.
LAYOUT = (
    ("ArchStdEvent", "EventName", "MetricName", "MetricGroup", "ScaleUnit", "Unit", "PerPkg", "Deprecated"),
    ("EventCode", "ConfigCode", "UMask", "CounterMask", "Invert", "EdgeDetect", "AnyThread", "PortMask", "FCMask",
     "Filter", "MSRIndex", "MSRValue", "Counter", "PEBS", "Data_LA", "TakenAlone", "SampleAfterValue"),
    ("MetricExpr",),
    ("MetricThreshold",),
    ("BriefDescription",),
)
FLAGS = ("Invert", "EdgeDetect", "AnyThread", "Data_LA", "TakenAlone", "Deprecated")
HEX = ("EventCode", "ConfigCode", "UMask", "MSRValue", "PortMask", "FCMask")
FACTS = HEX + FLAGS + ("CounterMask", "MSRIndex", "Counter", "PEBS", "SampleAfterValue")

OFFCORE = "0x1a6,0x1a7"
LOAD_LATENCY = "0x3f6"
FRONTEND = "0x3f7"

# Events of Intel's fixed counters: the encoding that programs them, and the counter.
FIXED = {
    "inst_retired.any": (0xc0, 0, 0),
    "cpu_clk_unhalted.thread": (0x3c, 0, 1),
    "cpu_clk_unhalted.thread_any": (0x3c, 0, 1),
    "cpu_clk_unhalted.core": (0x3c, 0, 1),
    "cpu_clk_unhalted.ref_tsc": (0x00, 3, 2),
}


def number(text):
    """The first number of a list, hexadecimal or decimal; None for what stands for no value."""
    text = text.split(",")[0].strip()
    if text in ("", "na", "None", "null"):
        return None
    return int(text, 0)


def counters(mask):
    """A bit mask of programmable counters as a list."""
    return ",".join(str(bit) for bit in range(32) if mask >> bit & 1)


def canonical(raw):
    """The facts of an event of any source, with one spelling for each value."""
    event = {"EventName": raw["EventName"].strip()}
    for key in FACTS:
        text = raw.get(key, "").strip()
        if key == "MSRIndex":
            index = number(text)
            if index:
                event[key] = OFFCORE if index in (0x1a6, 0x1a7) else hex(index)
        elif key == "Counter":
            fixed = re.fullmatch(r"Fixed counter (\d)", text)
            event[key] = f"Fixed counter {fixed[1]}" if fixed else re.sub(r"\s", "", text)
        else:
            value = number(text)
            if value or (key == "EventCode" and value is not None):
                event[key] = hex(value) if key in HEX else str(value)
    if "MSRIndex" not in event or "MSRValue" not in event:
        event.pop("MSRIndex", None)
        event.pop("MSRValue", None)
    return {key: value for key, value in event.items() if value}


def fix_intel(event):
    """Give events of fixed counters the encoding the kernel takes, and number the counters from 0."""
    name = event["EventName"].lower()
    if name == "cpu_clk_unhalted.ref" and event.get("Counter", "").startswith("Fixed"):
        name = "cpu_clk_unhalted.ref_tsc"  # what it is called on older cores; on some it is another event
    if name in FIXED:
        code, umask, counter = FIXED[name]
        event["EventCode"] = hex(code)
        event.pop("UMask", None)
        if umask:
            event["UMask"] = hex(umask)
        event["Counter"] = f"Fixed counter {counter}"
    elif int(event["EventCode"], 16) == 0 and "UMask" in event:
        event["Counter"] = f"Fixed counter {int(event['UMask'], 16) - 1}"
    return event


def coded(name, code, umask=0, **more):
    """An event made of numbers."""
    event = {"EventName": name, "EventCode": hex(code)}
    if umask:
        event["UMask"] = hex(umask)
    return {**event, **more}


def topic_of(name, table, default="other"):
    """The topic of the first row with a prefix of the name."""
    for prefixes, topic in table:
        if not prefixes or name.startswith(tuple(prefixes.split())):
            return topic
    return default


def text_of(item):
    """An object as text: one line per group of keys."""
    lines = []
    for keys in LAYOUT:
        pairs = [f"{json.dumps(key)}: {json.dumps(item[key])}" for key in keys if key in item]
        if pairs:
            lines.append(", ".join(pairs))
    return "\t{" + ",\n\t ".join(lines) + "}"


def write(path, items):
    """A topic file; the order is the caller's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(text_of(item) for item in items) + "\n]\n", encoding="ascii")
