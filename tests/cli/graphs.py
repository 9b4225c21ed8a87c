# SPDX-License-Identifier: BSD-2-Clause
"""Call graphs of a report, as far as they are heavy."""
import json

import tap


def heavy_graphs(tally, path, percent, graph, *options):
    """Of each event the rows that weigh so many percent, with the branches of their graphs that do, of a report with
    `-g graph`."""
    def heavy(node):
        branches = [heavy(child) for child in node.get("children", []) if child["period"] >= least]
        return [node["symbol"], node["period"], node["samples"], sorted(branches)]

    found = []
    out = tap.run(tally, "report", "--json", "-g", graph, *options, "-i", path).stdout
    for event in json.loads(out)["events"]:
        least = int(event["total_period"] * percent / 100)
        for row in event["rows"]:
            if row["total_period"] >= least:
                graph = sorted(heavy(node) for node in row.pop("graph", []) if node["period"] >= least)
                found.append([event["event"], sorted(row.items()), graph])
    return sorted(found)
