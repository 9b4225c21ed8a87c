# SPDX-License-Identifier: BSD-2-Clause
"""A strict decoder of OTLP profiles (ProfilesData of opentelemetry.proto.profiles.v1development), written from the
description of the format. It fails on unknown fields, and on files that break the rules of the format."""
import struct

# Fields of each message: number, name and type. A type that is a message's name is that message; "[]" is a list.
FIELDS = {
    "Data": {1: ("resource_profiles", "ResourceProfiles[]"), 2: ("dictionary", "Dictionary")},
    "ResourceProfiles": {1: ("resource", "Resource"), 2: ("scope_profiles", "ScopeProfiles[]"), 3: ("schema_url", "text")},
    "Resource": {1: ("attributes", "KeyValue[]"), 2: ("dropped_attributes_count", "number")},
    "ScopeProfiles": {1: ("scope", "Scope"), 2: ("profiles", "Profile[]"), 3: ("schema_url", "text")},
    "Scope": {1: ("name", "text"), 2: ("version", "text"), 3: ("attributes", "KeyValue[]"), 4: ("dropped_attributes_count", "number")},
    "KeyValue": {1: ("key", "text"), 2: ("value", "Value"), 3: ("key_strindex", "number")},
    "Value": {1: ("string", "text"), 2: ("bool", "number"), 3: ("int", "signed"), 8: ("string_strindex", "number")},
    "Dictionary": {1: ("mappings", "Mapping[]"), 2: ("locations", "Location[]"), 3: ("functions", "Function[]"), 4: ("links", "Link[]"),
                   5: ("strings", "text[]"), 6: ("attributes", "Attribute[]"), 7: ("stacks", "Stack[]")},
    "Profile": {1: ("sample_type", "ValueType"), 2: ("samples", "Sample[]"), 3: ("time", "fixed64"), 4: ("duration", "number"),
                5: ("period_type", "ValueType"), 6: ("period", "signed"), 7: ("profile_id", "bytes"), 8: ("dropped_attributes_count", "number"),
                9: ("original_payload_format", "text"), 10: ("original_payload", "bytes"), 11: ("attributes", "packed")},
    "ValueType": {1: ("type", "number"), 2: ("unit", "number")},
    "Sample": {1: ("stack", "number"), 2: ("attributes", "packed"), 3: ("link", "number"), 4: ("values", "packed signed"),
               5: ("times", "packed fixed64")},
    "Mapping": {1: ("start", "number"), 2: ("limit", "number"), 3: ("offset", "number"), 4: ("file", "number"), 5: ("attributes", "packed")},
    "Location": {1: ("mapping", "number"), 2: ("address", "number"), 3: ("lines", "Line[]"), 4: ("attributes", "packed")},
    "Line": {1: ("function", "number"), 2: ("line", "signed"), 3: ("column", "signed")},
    "Function": {1: ("name", "number"), 2: ("system_name", "number"), 3: ("file", "number"), 4: ("start_line", "signed")},
    "Link": {1: ("trace", "bytes"), 2: ("span", "bytes")},
    "Attribute": {1: ("key", "number"), 2: ("value", "Value"), 3: ("unit", "number")},
    "Stack": {1: ("locations", "packed")},
}
TABLES = [name for name, _ in FIELDS["Dictionary"].values()]
DEFAULTS = {"text": "", "bytes": b""}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            assert value < 1 << 64, "a varint of over 64 bits"
            return value, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def default(kind):
    return [] if kind.endswith("[]") or kind.startswith("packed") else DEFAULTS.get(kind, None if kind in FIELDS else 0)


def unpack(kind, data):
    """Return packed numbers."""
    if kind == "packed fixed64":
        return list(struct.unpack(f"<{len(data) // 8}Q", data))
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(signed(value) if kind == "packed signed" else value)
    return found


def value_of(kind, wire, value):
    assert wire == (1 if kind == "fixed64" else 0 if kind in ("number", "signed") else 2), (kind, wire)
    if kind in FIELDS:
        return message(kind, value)
    if kind.startswith("packed"):
        return unpack(kind, value)
    return {"text": lambda: value.decode("utf-8"), "signed": lambda: signed(value)}.get(kind, lambda: value)()


def message(name, data):
    found, at = {field: default(kind) for field, kind in FIELDS[name].values()}, 0
    seen = set()
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            assert wire in (1, 2), (name, tag >> 3, wire)
            size, at = (8, at) if wire == 1 else varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, f"{name} is cut"
            value = struct.unpack("<Q", value)[0] if wire == 1 else value
        assert tag >> 3 in FIELDS[name], (name, tag >> 3)
        field, kind = FIELDS[name][tag >> 3]
        value = value_of(kind.removesuffix("[]"), wire, value)
        if kind.endswith("[]"):
            found[field].append(value)
        else:
            assert field not in seen, f"{name}.{field} twice"
            seen.add(field)
            found[field] = value
    return found


class Otlp:
    """A file. Indexes of strings and attributes are replaced by their values."""

    def __init__(self, data):
        top = message("Data", data)
        self.dictionary = top["dictionary"]
        self.used = {table: {0} for table in TABLES}
        [resource_profiles] = top["resource_profiles"]
        self.resource = self.pairs(resource_profiles["resource"]["attributes"])
        [scope_profiles] = resource_profiles["scope_profiles"]
        self.scope = (scope_profiles["scope"]["name"], scope_profiles["scope"]["version"])
        self.profiles = scope_profiles["profiles"]
        self.check_zero()
        for profile in self.profiles:
            self.check_profile(profile)
        self.check_tables()

    @staticmethod
    def pairs(attributes):
        found = {one["key"]: one["value"]["string"] for one in attributes}
        assert len(found) == len(attributes), attributes
        return found

    def get(self, table, index):
        self.used[table].add(index)
        return self.dictionary[table][index]

    def string(self, index):
        return self.get("strings", index)

    def attributes(self, indexes):
        found = {}
        for index in indexes:
            assert index, indexes
            one = self.get("attributes", index)
            key, value = self.string(one["key"]), one["value"]
            assert key and key not in found, (key, found)
            found[key] = value["string"] or value["int"]
        return found

    def check_zero(self):
        for table, (_, kind) in zip(TABLES, FIELDS["Dictionary"].values()):
            zero = message("Link", b"\n\x10" + bytes(16) + b"\x12\x08" + bytes(8)) if table == "links" else value_of(kind[:-2], 2, b"")
            assert self.dictionary[table][0] == zero, (table, self.dictionary[table][0])

    def check_profile(self, profile):
        for kind in ("sample_type", "period_type"):
            profile[kind] = profile[kind] and (self.string(profile[kind]["type"]), self.string(profile[kind]["unit"]))
        profile["attributes"] = self.attributes(profile["attributes"])
        identities, shapes = set(), set()
        for sample in profile["samples"]:
            identity = (sample["stack"], *sorted(sample["attributes"]))
            assert identity not in identities, "two samples with the same identity"
            identities.add(identity)
            sample["attributes"] = self.attributes(sample["attributes"])
            self.get("stacks", sample["stack"])
            times = sample["times"]
            assert sample["stack"] and not sample["link"] and sample["values"], sample
            assert len(times) in (0, len(sample["values"])) and (times or len(sample["values"]) == 1), sample
            assert all(profile["time"] <= time < profile["time"] + profile["duration"] for time in times), (profile["time"], times)
            shapes.add(bool(times))
        assert len(shapes) < 2, "samples with and without times"
        profile["has_times"] = True in shapes

    def check_tables(self):
        """Follow all indexes. An entry that nothing refers to, and an entry that equals another one, is an error."""
        for index in sorted(self.used["stacks"]):
            assert all(self.get("locations", location) and location for location in self.dictionary["stacks"][index]["locations"])
        for index in sorted(self.used["locations"]):
            location = self.dictionary["locations"][index]
            mapping = self.get("mappings", location["mapping"])
            assert not location["mapping"] or mapping["start"] <= location["address"] < mapping["limit"] or not mapping["limit"], location
            self.attributes(location["attributes"])
            for line in location["lines"]:
                assert line["function"] and self.get("functions", line["function"]), line
        for index in sorted(self.used["functions"]):
            for field in ("name", "system_name", "file"):
                self.string(self.dictionary["functions"][index][field])
        for index in sorted(self.used["mappings"]):
            self.string(self.dictionary["mappings"][index]["file"])
            self.attributes(self.dictionary["mappings"][index]["attributes"])
        for table in TABLES:
            entries = list(map(repr, self.dictionary[table]))
            assert len(set(entries)) == len(entries), f"duplicate {table}"
            assert self.used[table] == set(range(len(entries))), (table, set(range(len(entries))) - self.used[table])

    def location(self, index):
        return self.dictionary["locations"][index]

    def names(self, index):
        """Return the names of the functions at a location, innermost first."""
        functions = self.dictionary["functions"]
        return [self.string(functions[line["function"]]["name"]) for line in self.location(index)["lines"]]

    def stack(self, index):
        """Return the names of a stack, innermost first."""
        return [name for location in self.dictionary["stacks"][index]["locations"] for name in self.names(location)]
