# SPDX-License-Identifier: BSD-2-Clause
"""Read Parquet files as tally writes them, and check them against the rules of the format. Not a general reader: of the
encodings, only those that tally uses are known, and everything else is an error."""
import ctypes
import struct

BOOLEAN, INT32, INT64, BYTE_ARRAY = 0, 1, 2, 6
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
PLAIN, RLE, DELTA, DICTIONARY = 0, 3, 5, 8
ZSTD = 6


class Compact:
    """A reader of Thrift's compact protocol. Structures are dicts by field ID."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return struct.unpack("b", bytes([self.byte()]))[0]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return bytes(self.data[self.at - size:self.at])
        if kind == 9:
            head = self.byte()
            number = head >> 4 if head >> 4 != 15 else self.varint()
            return [self.value(head & 15) for _ in range(number)]
        assert kind == 12, f"type {kind} of Thrift"
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.byte()
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in fields, f"field {last} twice"
            fields[last] = self.value(head & 15)


def unpack(data, size):
    """Decompress zstd."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size + 1)
    done = library.ZSTD_decompress(out, size, bytes(data), len(data))
    assert done == size, f"page has {done} bytes, not {size}"
    return out.raw[:size]


def packed(data, at, number, bits):
    """Return numbers of `bits` bits, lowest first."""
    size = (number * bits + 7) // 8
    assert at + size <= len(data), "packed numbers are cut"
    whole = int.from_bytes(data[at:at + size], "little")
    return [whole >> i * bits & (1 << bits) - 1 for i in range(number)]


def hybrid(data, at, end, bits, number):
    """Decode runs and groups of eight numbers, which must fill the bytes from `at` to `end`."""
    values, reader = [], Compact(data, at)
    while reader.at < end:
        head = reader.varint()
        if head & 1:
            count = (head >> 1) * 8
            values += packed(data, reader.at, count, bits)
            reader.at += (head >> 1) * bits
            continue
        size = (bits + 7) // 8
        assert head >> 1, "a run without numbers"
        values += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
        reader.at += size
    assert reader.at == end, "runs do not end at the end"
    assert 0 <= len(values) - number < 8 and not any(values[number:]), f"{len(values)} of {number} numbers"
    return values[:number]


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def deltas(data, at, number, bits):
    reader = Compact(data, at)
    block, minis, total, value = reader.varint(), reader.varint(), reader.varint(), reader.zigzag()
    assert block % 128 == 0 and block // minis % 32 == 0 and total == number, (block, minis, total, number)
    values = [value] if number else []
    while len(values) < number:
        least = reader.zigzag()
        widths = [reader.byte() for _ in range(minis)]
        for width in widths:
            if len(values) >= number:
                assert not width, "a width of a block without numbers"
                continue
            assert width <= bits, f"width {width} of {bits}-bit numbers"
            for delta in packed(data, reader.at, block // minis, width)[:number - len(values)]:
                value = signed(value + least + delta, bits)
                values.append(value)
            reader.at += block // minis * width // 8
    assert reader.at == len(data), "bytes after the deltas"
    return values


class Leaf:
    """A column with values: its path, types and levels."""

    def __init__(self, element, path, definition, repetition, converted):
        self.type, self.path = element[1], path
        self.definition, self.repetition = definition, repetition
        self.is_text = element.get(6) == 0
        self.is_unsigned = element.get(6) == 14
        self.container = converted  # converted type of the outermost group: 1 is a map, 3 a list

    def plain(self, data, number):
        if self.type == BOOLEAN:
            return [bool(data[i // 8] >> i % 8 & 1) for i in range(number)], (number + 7) // 8
        if self.type != BYTE_ARRAY:
            size = 4 if self.type == INT32 else 8
            return list(struct.unpack_from(f"<{number}{'i' if size == 4 else 'q'}", data)), number * size
        values, at = [], 0
        for _ in range(number):
            size = struct.unpack_from("<I", data, at)[0]
            assert at + 4 + size <= len(data), "text is cut"
            values.append(data[at + 4:at + 4 + size])
            at += 4 + size
        return values, at

    def shown(self, value):
        if self.is_text:
            return value.decode("utf-8")  # must be valid
        return value & (1 << 64) - 1 if self.is_unsigned else value


class File:
    """A file: `columns` has a list of values for each column, in which a list or map is one value."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:4] == b"PAR1" == self.data[-4:], f"{path}: not a Parquet file"
        size = struct.unpack("<I", self.data[-8:-4])[0]
        reader = Compact(self.data, len(self.data) - 8 - size)
        self.meta = reader.struct()
        assert reader.at == len(self.data) - 8, "bytes after the metadata"
        self.rows, self.groups = self.meta[3], self.meta[4]
        self.leaves = self.schema()
        assert sum(group[3] for group in self.groups) == self.rows, "rows of row groups"
        assert len(self.meta[7]) == len(self.leaves), "column orders"
        self.columns, self.ends = {}, 4
        for group in self.groups:
            self.read_group(group)
        assert self.ends == len(self.data) - 8 - size, "bytes between the last page and the metadata"

    def schema(self):
        elements = iter(self.meta[2])
        leaves = []

        def walk(element, path, definition, repetition, converted):
            definition += element.get(3, REQUIRED) != REQUIRED
            repetition += element.get(3) == REPEATED
            if 5 not in element:
                leaves.append(Leaf(element, path, definition, repetition, converted))
            for _ in range(element.get(5, 0)):
                child = next(elements)
                walk(child, (*path, child[4].decode()), definition, repetition,
                     element.get(6) if converted is None else converted)

        walk(next(elements), (), 0, 0, None)
        assert next(elements, None) is None, "elements after the schema"
        return leaves

    def read_group(self, group):
        assert len(group[1]) == len(self.leaves)
        assert group[5] == self.ends, "start of a row group"
        sizes, all_rows = [0, 0], {}
        for leaf, chunk in zip(self.leaves, group[1]):
            meta = chunk[3]
            assert [part.decode() for part in meta[3]] == list(leaf.path) and meta[1] == leaf.type and meta[4] == ZSTD
            sizes = [sizes[0] + meta[6], sizes[1] + meta[7]]
            all_rows[leaf.path] = self.read_chunk(leaf, meta, group[3])
        assert [group[2], group[6]] == sizes, "sizes of a row group"
        for path, rows in all_rows.items():
            if path[1:] == ("key_value", "value"):
                continue
            if path[1:] == ("key_value", "key"):
                others = all_rows[(path[0], "key_value", "value")]
                rows = [dict(zip(keys, values, strict=True)) for keys, values in zip(rows, others, strict=True)]
            self.columns.setdefault(path[0], []).extend(rows)

    def page(self, kind):
        """Read the page at self.ends. Returns its header and contents."""
        reader = Compact(self.data, self.ends)
        header = reader.struct()
        assert header[1] == kind, f"page type {header[1]}"
        self.ends = reader.at + header[3]
        return header, unpack(self.data[reader.at:self.ends], header[2])

    def read_chunk(self, leaf, meta, rows):
        start, dictionary = self.ends, None
        if 11 in meta:
            assert meta[11] == self.ends, "offset of the dictionary"
            header, data = self.page(2)
            dictionary, size = leaf.plain(data, header[7][1])
            assert size == len(data) and header[7][2] == PLAIN, "dictionary"
        assert meta[9] == self.ends, "offset of the data"
        header, data = self.page(0)
        assert header[5][1] == meta[5] and self.ends - start == meta[7], "size of a column"
        assert set(meta[2]) >= {header[5][2], RLE}, "encodings"
        repetitions, data = self.levels(leaf.repetition, data, meta[5])
        definitions, data = self.levels(leaf.definition, data, meta[5])
        number = sum(level == leaf.definition for level in definitions)
        values = [leaf.shown(value) for value in self.values(leaf, header[5][2], data, number, dictionary)]
        self.check_statistics(leaf, meta[12], values, meta[5] - number)
        return self.assemble(leaf, rows, repetitions, definitions, values)

    @staticmethod
    def levels(largest, data, number):
        if not largest:
            return [0] * number, data
        assert largest == 1, "deeper than lists"
        size = struct.unpack_from("<I", data)[0]
        return hybrid(data, 4, 4 + size, 1, number), data[4 + size:]

    @staticmethod
    def values(leaf, encoding, data, number, dictionary):
        if encoding == DICTIONARY:
            return [dictionary[i] for i in hybrid(data, 1, len(data), data[0], number)]
        if encoding == DELTA:
            return deltas(data, 0, number, 32 if leaf.type == INT32 else 64)
        assert encoding == PLAIN, f"encoding {encoding}"
        values, size = leaf.plain(data, number)
        assert size == len(data), "bytes after the values"
        return values

    @staticmethod
    def check_statistics(leaf, statistics, values, nulls):
        assert statistics[3] == nulls, f"{leaf.path}: number of nulls"
        if 5 not in statistics:
            assert not values or leaf.is_text, f"{leaf.path}: no extremes"
            return
        encoded = {BOOLEAN: lambda v: bytes([v]), INT32: lambda v: struct.pack("<i", v),
                   INT64: lambda v: struct.pack("<Q", v & (1 << 64) - 1), BYTE_ARRAY: lambda v: v.encode()}[leaf.type]
        key = (lambda v: v.encode()) if leaf.is_text else None
        assert statistics[6] == encoded(min(values, key=key)), f"{leaf.path}: least value"
        assert statistics[5] == encoded(max(values, key=key)), f"{leaf.path}: greatest value"

    @staticmethod
    def assemble(leaf, rows, repetitions, definitions, values):
        found, left = [], iter(values)
        for repetition, definition in zip(repetitions, definitions):
            value = next(left) if definition == leaf.definition else None
            if not leaf.repetition:
                found.append(value)
            elif not repetition:
                found.append([] if value is None else [value])
            else:
                found[-1].append(value)
        assert len(found) == rows, f"{leaf.path}: {len(found)} rows, not {rows}"
        return found

    def table(self):
        """Return the rows as dicts."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]
