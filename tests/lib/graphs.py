# SPDX-License-Identifier: BSD-2-Clause
"""The heavy parts of a report's call graphs."""
import json

import tap


def graphs_of(tally, path, graph, *options):
    """Return the events of a report with `-g graph`."""
    return json.loads(tap.run(tally, "report", "--json", "-g", graph, *options, "-i", path).stdout)["events"]


def heavy_of(events, percent):
    """For each event, return the rows above this percentage, with their branches above this percentage."""
    def heavy(node):
        branches = [heavy(child) for child in node.get("children", []) if child["period"] >= least]
        return [node["symbol"], node["period"], node["samples"], sorted(branches)]

    found = []
    for event in events:
        least = int(event["total_period"] * percent / 100)
        for row in event["rows"]:
            if row["total_period"] >= least:
                graph = sorted(heavy(node) for node in row.get("graph", []) if node["period"] >= least)
                cells = sorted((name, value) for name, value in row.items() if name != "graph")
                found.append([event["event"], cells, graph])
    return sorted(found)


def heavy_graphs(tally, path, percent, graph, *options):
    return heavy_of(graphs_of(tally, path, graph, *options), percent)
