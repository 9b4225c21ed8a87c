# SPDX-License-Identifier: BSD-2-Clause
"""What gathering changed: tables before and after, by names."""
import json


class Snapshot:
    """The tables of a directory: {table: {(kind, name, PMU): row}}."""

    def __init__(self, path):
        self.tables = {}
        for file in sorted(path.glob("*/**/*.json")):
            if file.name == "metricgroups.json":
                continue
            rows = self.tables.setdefault(str(file.parent.relative_to(path)), {})
            for row in json.loads(file.read_text(encoding="ascii")):
                kind = "metric" if "MetricName" in row else "event"
                rows[kind, row.get("MetricName") or row.get("EventName") or row["ArchStdEvent"], row.get("Unit", "")] = row


def some(keys, least=5):
    names = [name for _, name, _ in sorted(keys)]
    return ", ".join(names[:least]) + (f" and {len(names) - least} more" if len(names) > least else "")


def table_changes(before, after):
    """Lines about one table."""
    lines = []
    for kind in ("event", "metric"):
        old, new = ({key for key in rows if key[0] == kind} for rows in (before, after))
        other = {key for key in old & new if before[key] != after[key]}
        for word, keys in (("new", new - old), ("gone", old - new), ("changed", other)):
            if keys:
                lines.append(f"  {len(keys)} {kind}{'s' if len(keys) > 1 else ''} {word}: {some(keys)}")
    return lines


def changes(before, after):
    """A report in lines: tables that are new or gone, and what changed in the others."""
    lines = []
    for name in sorted(before.tables.keys() | after.tables.keys()):
        old, new = before.tables.get(name), after.tables.get(name)
        if old is None:
            lines.append(f"{name}: new table of {len(new)} rows")
        elif new is None:
            lines.append(f"{name}: gone, it had {len(old)} rows")
        else:
            found = table_changes(old, new)
            lines += [f"{name}:", *found] if found else []
    return lines or ["nothing changed"]
