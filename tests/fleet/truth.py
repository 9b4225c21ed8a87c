# SPDX-License-Identifier: BSD-2-Clause
"""Answers to the queries of examples/fleet, computed from the truth about a fleet (make_fleet.Fleet)."""
import collections
import functools
import math
import statistics
import time

import make_fleet


def rounded(value, digits=2):
    return math.floor(value * 10**digits + 0.5) / 10**digits


def percent(part, whole):
    return rounded(100 * part / whole)


class Answers:
    """The rows that each query should return. `settings` are the parameters; query N is the method named after it."""
    def __init__(self, fleet, settings):
        self.fleet, self.settings = fleet, settings
        self.event = settings["event"]
        self.counts = [collections.Counter(draws) for draws in fleet.draws]

    def kinds(self, host):
        """Yield (kind, samples, weight) of a host."""
        for number, count in self.counts[host].items():
            kind = self.fleet.kinds[number]
            if kind.event == self.event:
                yield kind, count, count * kind.period

    def all_kinds(self, hosts=None):
        for host in range(len(self.fleet.hosts)) if hosts is None else hosts:
            for kind, count, weight in self.kinds(host):
                yield host, kind, count, weight

    def hosts_of(self, version):
        return [host for host in range(len(self.fleet.hosts)) if self.fleet.version(host) == version]

    def sums(self, hosts=None):
        """Return the self costs, total costs and whole cost of functions on these hosts."""
        own, total = collections.Counter(), collections.Counter()
        for _, kind, _, weight in self.all_kinds(hosts):
            own[kind.functions[0]] += weight
            total.update(dict.fromkeys(set(kind.functions), weight))
        return own, total, own.total()

    def top_functions(self):
        own, total, whole = self.sums()
        names = sorted(total, key=lambda name: (-own[name], -total[name], name))
        return [[*name, percent(own[name], whole), percent(total[name], whole)] for name in names]

    def shares(self, hosts):
        """Return each function's self shares on these hosts."""
        found = collections.defaultdict(lambda: [0.0] * len(hosts))
        for index, host in enumerate(hosts):
            own, _, whole = self.sums([host])
            for name, weight in own.items():
                found[name][index] = weight / whole
        return found

    def changes(self):
        """Compute the p values with the exact distribution."""
        sides = [self.hosts_of(self.settings[name]) for name in ("old_version", "new_version")]
        shares = [self.shares(hosts) for hosts in sides]
        samples = [sum(count for _, _, count, _ in self.all_kinds(hosts)) for hosts in sides]
        means = {name: [sum(side[name]) / len(hosts) for side, hosts in zip(shares, sides)] for name in set().union(*shares)}
        means = {name: pair for name, pair in means.items() if pair[0] > 0 and 100 * max(pair) >= self.settings["least_share"]}
        ratio = statistics.median(new / old for old, new in means.values())
        rows = []
        for name, (old, new) in means.items():
            errors = [max(statistics.variance(side[name]), mean * (1 - mean) * len(hosts) / count) / len(hosts) / scale**2
                      for side, mean, hosts, count, scale in zip(shares, (old, new), sides, samples, (1, ratio))]
            change = new / ratio - old
            t = change / math.sqrt(sum(errors))
            df = sum(errors)**2 / sum(error**2 / (len(hosts) - 1) for error, hosts in zip(errors, sides))
            if student_p_value(t, df) * len(means) < self.settings["significance"] and 100 * abs(change) >= self.settings["least_change"] * old:
                rows.append([*name, rounded(100 * old, 3), rounded(100 * new, 3), rounded(100 * change / old, 1), rounded(t, 1), str(len(means))])
        return sorted(rows, key=lambda row: (-abs(row[3] - row[2]), row[:2]))

    def odd_hosts(self):
        rows = []
        for version in sorted({self.fleet.version(host) or "" for host in range(len(self.fleet.hosts))}):
            hosts = self.hosts_of(version or None)
            for name, shares in self.shares(hosts).items():
                if 100 * max(shares) < self.settings["least_share"]:
                    continue
                middle = statistics.median(shares)
                deviation = 1.4826 * statistics.median(abs(share - middle) for share in shares)
                for host, share in zip(hosts, shares):
                    samples = sum(count for _, count, _ in self.kinds(host))
                    score = (share - middle) / max(deviation, math.sqrt(max(middle, 1 / samples) / samples))
                    if abs(score) >= self.settings["least_z"] and 100 * abs(share - middle) >= self.settings["least_share"]:
                        rows.append([self.fleet.hosts[host], version, *name, rounded(100 * share), rounded(100 * middle), rounded(score, 1)])
        return sorted(rows, key=lambda row: (-abs(row[-1]), row[:4]))

    def callers(self):
        calls, whole = collections.Counter(), collections.Counter()
        for _, kind, _, weight in self.all_kinds():
            for name in {one for one in kind.functions if one[0] == self.settings["function"]}:
                outermost = max(index for index, one in enumerate(kind.functions) if one == name)
                caller = kind.functions[outermost + 1] if outermost + 1 < len(kind.functions) else ("", "")
                calls[name[1], caller] += weight
                whole[name[1]] += weight
        rows = [[module, *caller, percent(weight, whole[module]), str(weight)] for (module, caller), weight in calls.items()]
        return sorted(rows, key=lambda row: (-int(row[4]), row[:3]))

    def library(self):
        own, total, hosts = collections.Counter(), collections.Counter(), collections.defaultdict(set)
        whole = 0
        for host, kind, _, weight in self.all_kinds():
            builds = [frame[0]["build_id"] or "" if make_fleet.module_of(frame[0]) == self.settings["module"] else None for frame in kind.frames]
            whole += weight
            for build in set(builds) - {None}:
                total[build] += weight
                own[build] += weight if builds[0] == build else 0
                hosts[build].add(host)
        names = sorted(total, key=lambda build: (-own[build], -total[build], build))
        return [[build, str(len(hosts[build])), percent(own[build], whole), percent(total[build], whole)] for build in names]

    def new_functions(self):
        old, new = (self.hosts_of(self.settings[name]) for name in ("old_version", "new_version"))
        _, known, _ = self.sums(old)
        own, total, whole = self.sums(new)
        samples, hosts = collections.Counter(), collections.defaultdict(set)
        for host, kind, count, _ in self.all_kinds(new):
            for name in set(kind.functions):
                samples[name] += count
                hosts[name].add(host)
        old_samples, new_samples = (sum(count for _, _, count, _ in self.all_kinds(side)) for side in (old, new))
        names = [name for name in total if name not in known and samples[name] * old_samples >= 10 * new_samples
                 and 100 * total[name] >= self.settings["least_share"] * whole]
        return [[*name, str(len(hosts[name])), percent(own[name], whole), percent(total[name], whole)]
                for name in sorted(names, key=lambda name: (-total[name], -own[name], name))]

    def kernel(self):
        rows = []
        for host, name in enumerate(self.fleet.hosts):
            modes = collections.Counter()
            for kind, _, weight in self.kinds(host):
                modes[kind.mode] += weight
            whole = modes.total()
            other = whole - modes["kernel"] - modes["user"]
            rows.append([name, percent(modes["kernel"], whole), percent(modes["user"], whole), percent(other, whole)])
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def health(self):
        rows = []
        for host, name in enumerate(self.fleet.hosts):
            parts = list(self.fleet.about(host))
            taken, lost, records, truncated, unnamed = (sum(part[key] for part in parts) for key in
                                                        ("samples", "lost_samples", "lost_records", "truncated", "unnamed"))
            span = parts[-1]["end_ns"] - parts[0]["start_ns"]
            gap = span - sum(part["end_ns"] - part["start_ns"] for part in parts)
            rows.append([name, str(len(parts)), str(taken), percent(lost, taken + lost), str(records), percent(truncated, taken),
                         percent(unnamed, taken), percent(max(gap, 0), span)])
        return sorted(rows, key=lambda row: (-row[3], -int(row[4]), -row[5], -row[6], row[0]))

    def flame_graph(self):
        hosts = None if self.settings["host"] == "" else [self.fleet.hosts.index(self.settings["host"])]
        weights, sums = collections.Counter(), collections.Counter()
        for _, kind, _, weight in self.all_kinds(hosts):
            weights[kind] += weight
        for kind, weight in weights.items():
            sums[";".join(escaped(name) for name in (kind.comm, *(name for name, _ in reversed(kind.functions))))] += weight
        return sorted([f"{stack} {weight}"] for stack, weight in sums.items())

    def last_hour(self):
        host = self.fleet.hosts.index(self.settings["host"])
        minutes = collections.defaultdict(list)
        for index, number in enumerate(self.fleet.draws[host]):
            if self.fleet.kinds[number].event == self.event:
                minutes[self.fleet.time_ns(host, index) // (60 * 10**9)].append(self.fleet.kinds[number])
        rows = []
        for minute in range(max(minutes) - 59, max(minutes) + 1):
            own, kernel = collections.Counter(), 0
            for kind in minutes.get(minute, ()):
                own[kind.functions[0]] += kind.period
                kernel += kind.period if kind.mode == "kernel" else 0
            whole = own.total()
            top = min(own, key=lambda name: (-own[name], name)) if own else ("", "")
            rows.append([time.strftime("%Y-%m-%d %H:%M", time.gmtime(60 * minute)), str(len(minutes.get(minute, ()))), str(whole),
                         percent(kernel, whole) if whole else 0, top[0], percent(own[top], whole) if whole else 0])
        return rows


@functools.lru_cache(None)
def escaped(name):
    """Escape a name for folded stacks, as tally does."""
    hidden = [(0, 0x1f), (0x7f, 0x9f), (0x61c, 0x61c), (0x200e, 0x200f), (0x2028, 0x202e), (0x2066, 0x2069), (0xfeff, 0xfeff), (0xfff9, 0xfffb),
              (0xe0000, 0xe007f), (ord(";"), ord(";"))]

    def one(character):
        point = ord(character)
        if not any(first <= point <= last for first, last in hidden):
            return character
        return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(character) or (f"\\x{point:02x}" if point < 0x80 else f"\\u{point:04x}")
    return "".join(map(one, name))


def student_p_value(t, df):
    """Return the two-sided p value of Student's t: the regularized incomplete beta function, as a continued fraction."""
    x, a, b = df / (df + t * t), df / 2, 0.5
    if x == 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_fraction(1 - x, b, a)
    return beta_fraction(x, a, b)


def beta_fraction(x, a, b):
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            return front * value
    raise AssertionError(f"no convergence: {x} {a} {b}")
