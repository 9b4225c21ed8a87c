# SPDX-License-Identifier: BSD-2-Clause
"""Tables of Intel's CPUs, all that its files have: events of cores and of units outside them, our own metrics where a
core has their events, and Intel's metrics."""
import json

import intel
import intel_metrics
import metrics
import texts

# Families of our own metrics: what a core's top-down parts are made of decides.
FAMILIES = (metrics.ICELAKE, metrics.SKYLAKE, metrics.atom("ALL"), metrics.atom("ALL_P"), metrics.SILVERMONT)
PARTS = ("frontend_bound", "bad_speculation", "backend_bound", "retiring")
# Registers that the kernel has a term for. Events of others cannot be asked for: they are left out, and told.
REGISTERS = ("0x1a6,0x1a7", "0x3f6", "0x3f7")
# Cores that are the same one: how long events take to retire was measured on the latter.
SAME_CORE = {"meteorlake": "graniterapids"}


def spelled(event):
    """A core's event by the name it has in expressions of ours."""
    return event["EventName"].lower()


def ours(directory, events, pmu):
    """Our metrics of a core that has their events. Without a family's four parts, none of top-down analysis."""
    names = {spelled(event) for event in events if event.get("Unit") == pmu}

    def has(expression):
        words = {word.lower() for word in intel_metrics.NAME.findall(expression)} - intel_metrics.OURS
        return words <= names

    family = next((family for family in FAMILIES if all(has(family[part]) for part in PARTS)), None)
    found = {}
    for table in (family,) if family else FAMILIES:
        for name, expression in table.items():
            if name not in found and has(expression) and (family or name not in PARTS):
                found[name] = expression
    if "ipc" not in found:
        cycles = next(name for name in ("CPU_CLK_UNHALTED.CORE", "CPU_CLK_UNHALTED.THREAD") if has(name))
        found.update(ipc=f"INST_RETIRED.ANY / {cycles}", cpi=f"{cycles} / INST_RETIRED.ANY")
    return [{**item, **({"Unit": pmu} if pmu else {})} for item in metrics.metrics(directory, found)]


def latencies(perfmon, name):
    """How long events take to retire: {name: {"MEAN": cycles}}, where Intel says it of the CPU or one of its core."""
    path = perfmon.latency_files().get(SAME_CORE.get(name, name))
    return json.loads(perfmon.files[path])["Data"] if path else {}


def metrics_of(perfmon, name, parts, events):
    """(metrics, {name: why it was left out}) of a CPU: ours, then Intel's whose names ours do not have."""
    pmus = list(dict.fromkeys(pmu for _, kind, pmu in parts if kind in ("core", "hybridcore")))
    items, left = [], {}
    for pmu in pmus:
        items += ours(name, events, pmu)
    for item in items:  # where Intel's own are the levels, ours are there by name
        if any(kind == "metrics" and pmu == item.get("Unit") and
               any(raw["Category"] == "TMA" for raw in perfmon.load(path)) for path, kind, pmu in parts):
            item["MetricGroup"] = item["MetricGroup"].replace("TopdownL1", "Pipeline")
    taken = {item["MetricName"] for item in items}
    for path, kind, pmu in parts:
        if kind != "metrics":
            continue
        made, out = intel_metrics.metrics(perfmon.load(path), events, pmu, latencies(perfmon, name))
        items += [item for item in made if item["MetricName"] not in taken]
        left.update(out)
    return items, left


def tables(perfmon):
    """[(directory, pattern, (topic, event) pairs, metrics, {metric: why it was left out})] in the map's order."""
    found = []
    for name, cpu in perfmon.cpus().items():
        pairs = once(intel.events(perfmon, cpu["parts"]))
        for path, kind, pmu in cpu["parts"]:
            if kind == "metrics":
                raws = [json.dumps(raw) for raw in perfmon.load(path)]
                pairs += [("pipeline", event) for event in intel_metrics.part_events(raws, pmu)]
        foreign = {event["EventName"]: event["MSRIndex"] for _, event in pairs
                   if event.get("MSRIndex", REGISTERS[0]) not in REGISTERS}
        pairs = [pair for pair in pairs if pair[1]["EventName"] not in foreign]
        items, left = metrics_of(perfmon, name, cpu["parts"], [event for _, event in pairs])
        left.update({event: f"no term sets register {register}" for event, register in foreign.items()})
        found.append((name, intel.pattern_of(cpu["patterns"]), pairs, items, left))
    return found


def once(pairs):
    """The events without repetitions: two files may have the same one."""
    found = {}
    for topic, event in pairs:
        found.setdefault((spelled(event), event.get("Unit")), (topic, event))
    return list(found.values())


def text_of(name):
    return texts.intel(name) or texts.UNCORE.get(name)
