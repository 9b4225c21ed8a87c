# SPDX-License-Identifier: BSD-2-Clause
"""Metrics of Intel's files in the language of "MetricExpr": formulas, thresholds, groups and levels. Descriptions are
ours and live in metric_texts."""
import re

from metric_texts import TOPDOWN

TOKEN = re.compile(r"\s*((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|[A-Za-z_][\w.]*(?::[\w=.]+)*|[<>=!]=|\S)")
WORDS = ("if", "else", "min", "max")
# Names in expressions of our own metrics, and those among them that are no events of a table.
NAME = re.compile(r"(?<![\w.#])[A-Za-z_][\w.]*")
OURS = {"if", "else", "min", "max", "duration_time"}
# Constants and quantities of Intel's formulas that are no events.
KNOWN = {
    "smt_on": "#SMT_on", "hyperthreading_on": "#SMT_on", "threads_per_core": "(2 if #SMT_on else 1)",
    "num_cpus": "#num_cpus_online", "duration_time": "duration_time", "durationtimeinseconds": "duration_time",
    "durationtimeinmilliseconds": "(1000 * duration_time)", "system_tsc_freq": "#SYSTEM_TSC_FREQ",
    "socket_count": "#num_packages", "system.sockets[0].cpus.count * system.socket_count": "#num_cpus_online",
    "cores_per_socket": "(#num_cores / #num_packages)", "tsc": "msr@tsc@",
    "chas_per_socket": "(source_count(UNC_CHA_CLOCKTICKS) / #num_packages)",
}
# Parts of the PERF_METRICS register, as the kernel numbers them.
PARTS = {name: 0x80 + at for at, name in enumerate(
    ("RETIRING", "BAD_SPECULATION", "FRONTEND_BOUND", "BACKEND_BOUND", "HEAVY_OPERATIONS", "BRANCH_MISPREDICTS",
     "FETCH_LATENCY", "MEMORY_BOUND"))}
REGISTER = "perf_metrics."
UNITS = {"MB/sec": "1MB/s", "ns": "1ns", "GHz": "1GHz", "per instruction": "1per instruction",
         "per second": "1per second"}
MODIFIERS = {"opc": "filter_opc", "tid": "filter_tid", "filter1": "config1", "ocr_msr_val": "offcore_rsp"}


class Unknown(Exception):
    """Something in a formula that no table of names has."""


def part_events(texts, pmu):
    """The parts of PERF_METRICS that formulas name, as events."""
    used = sorted({name.upper() for text in texts for name in re.findall(r"perf_metrics\.(\w+)", text, re.I)})
    unit = {"Unit": pmu} if pmu else {}
    return [{"EventName": f"PERF_METRICS.{name}", "EventCode": "0x0", "UMask": hex(PARTS[name]), **unit} for name in used]


class Translator:
    """Names of one core's formulas."""

    def __init__(self, events, metrics, pmu, latencies):
        self.events = {event["EventName"].lower(): event for event in events
                       if event.get("Unit", pmu) == pmu or not event["Unit"].startswith("cpu_")}
        self.metrics = {name.lower() for name in metrics}
        self.pmu, self.latencies = pmu, latencies

    def event(self, name, *modifiers):
        """An event as expressions write it: by its name alone where that says all."""
        event = self.events.get(name)
        if not event:
            raise Unknown(name)
        if "retire_latency" in modifiers:
            return str(self.latency(event["EventName"]))
        terms, privilege, one = [], "", False
        for modifier in modifiers:
            code = re.fullmatch(r"([cui]|eq)(0x[0-9a-f]+|\d+)|e(\d+)", modifier)
            if modifier in ("user", "sup"):
                privilege = modifier.replace("user", "u").replace("sup", "k")
            elif "=" in modifier:
                term, value = modifier.split("=")
                terms.append(f"{MODIFIERS[term]}={value}")
            elif code:
                term = {"c": "cmask", "u": "umask", "i": "inv", "eq": "eq", None: "edge"}[code[1]]
                terms.append(f"{term}={int(code[2] or code[3], 0):#x}")
            elif modifier == "one_unit":
                one = True
            elif modifier != "perf_metrics":
                raise Unknown(f"{name}:{modifier}")
        return self.spelled(event, terms, privilege, one)

    def spelled(self, event, terms, privilege, one):
        unit = event.get("Unit")
        outside = unit and unit != self.pmu
        if not terms and not one and not (outside and self.pmu):
            return event["EventName"] + (f":{privilege}" if privilege else "") if not (privilege and self.pmu) else \
                f"{self.pmu}@{event['EventName']}@{privilege}"
        pmu = {"CBO": "uncore_cbox", "UPI LL": "uncore_upi"}.get(unit, f"uncore_{unit.lower()}") if outside \
            else self.pmu or "cpu"
        return f"{pmu}{'_0' if one else ''}@{','.join([event['EventName'], *terms])}@{privilege}"

    def latency(self, name):
        if name not in self.latencies:
            raise Unknown(f"{name}: how long it takes to retire")
        return self.latencies[name]["MEAN"]

    def name(self, text):
        """What a name of a formula is called here."""
        low = text.lower()
        if low in KNOWN:
            return KNOWN[low]
        if low in self.metrics:
            return low
        return self.event(*low.split(":"))

    def expression(self, text, aliases):
        out = []
        text = re.sub(r"\b([A-Za-z_]\w*)\[0\]", lambda first: f"{aliases.get(first[1], first[1])}:one_unit", text)
        for token in TOKEN.findall(text):
            if re.match(r"[A-Za-z_]", token) and token not in WORDS:
                token = self.name(aliases.get(token, token))
            out.append(token)
        made = " ".join(out).replace("( ", "(").replace(" )", ")").replace("min (", "min(").replace("max (", "max(")
        made = re.sub(r"\([\d.]+ >= 0\)", "(1)", made)  # a latency that is known
        if REGISTER in made.lower() and "TOPDOWN.SLOTS" not in made:
            made = f"{made} + 0 * TOPDOWN.SLOTS" if " if " not in made else f"({made}) + 0 * TOPDOWN.SLOTS"
        return made


def name_of(raw):
    return ("tma_" if raw["Category"] == "TMA" else "") + raw["MetricName"].lower()


def is_share(raw):
    """Whether the formula gives a share of 1 and the metric is per cent of it."""
    base = raw.get("BaseFormula", "").strip(" (")
    return raw["UnitOfMeasure"] == "percent" and bool(base) and not base.startswith("100 *")


def threshold(raw, by_legacy):
    """The expression that tells where a value deserves attention: numbers in the unit of the expressions."""
    text = raw.get("Threshold", {}).get("BaseFormula", "")
    for legacy in sorted(by_legacy, key=len, reverse=True):
        other = by_legacy[legacy]
        if legacy not in text:
            continue
        if is_share(other):
            text = re.sub(re.escape(legacy) + r" *([<>]) *([\d.]+)",
                          lambda m, name=name_of(other): f"{name} {m[1]} {float(m[2]) / 100:g}", text)
        text = text.replace(legacy, name_of(other))
    return text


def groups_of(raw):
    words = [word for word in raw.get("MetricGroup", "").split(";") if word and not word.startswith("TmaL")]
    if raw["Category"] != "TMA":
        words += [word.strip().replace("-", "") for word in raw["Category"].split(",") if word.strip()]
    elif not raw["MetricName"].startswith(("Info_", "Bottleneck_")):
        words.insert(0, f"TopdownL{raw['Level']}")
        if raw.get("ParentCategory"):
            words.append(f"tma_{raw['ParentCategory'].lower()}_group")
    return ";".join(dict.fromkeys(words))


def metric(raw, translator, by_legacy):
    aliases = {item["Alias"]: item["Name"] for item in raw["Events"] + raw["Constants"]}
    base = raw.get("BaseFormula")
    item = {"MetricName": name_of(raw), "MetricGroup": groups_of(raw),
            "ScaleUnit": "100%" if is_share(raw) else "1%" if raw["UnitOfMeasure"] == "percent" else
                         UNITS.get(raw["UnitOfMeasure"], ""),
            "MetricExpr": translator.expression(base, {}) if base else translator.expression(raw["Formula"], aliases),
            "MetricThreshold": threshold(raw, by_legacy), "BriefDescription": TOPDOWN.get(name_of(raw), "")}
    if translator.pmu:
        item["Unit"] = translator.pmu
    return {key: value for key, value in item.items() if value}


def without_leftovers(items, wanted):
    """Metrics whose formulas or thresholds name only metrics that are there."""
    while True:
        names = {item["MetricName"] for item in items}
        missing = wanted - names
        kept = []
        for item in items:
            if set(re.findall(r"\w+", item["MetricExpr"])) & missing:
                continue
            if set(re.findall(r"\w+", item.get("MetricThreshold", ""))) & missing:
                item.pop("MetricThreshold")
            kept.append(item)
        if len(kept) == len(items):
            return kept
        items = kept


def metrics(raws, events, pmu, latencies):
    """(metrics, what was left out: {name: reason}) of one file."""
    by_legacy = {raw["LegacyName"]: raw for raw in raws}
    wanted = {name_of(raw) for raw in raws}
    translator = Translator(events, wanted, pmu, latencies)
    items, left = [], {}
    for raw in raws:
        try:
            items.append(metric(raw, translator, by_legacy))
        except Unknown as why:
            left[name_of(raw)] = str(why)
    kept = without_leftovers(items, wanted)
    names = {item["MetricName"] for item in kept}
    left.update({item["MetricName"]: "made of one that is left out" for item in items if item["MetricName"] not in names})
    return kept, left
