# SPDX-License-Identifier: BSD-2-Clause
"""The tables of tally export that the queries use, as DuckDB declares them."""
import hashlib
import json

COLUMNS = {
    "samples": "recording BIGINT, time_ns BIGINT, pid INTEGER, tid INTEGER, cpu INTEGER, comm VARCHAR, event VARCHAR, "
               "period UBIGINT, stack BIGINT",
    "stacks": "stack BIGINT, frames BIGINT[]",
    "frames": "frame BIGINT, depth INTEGER, function VARCHAR, file VARCHAR, line INTEGER, module VARCHAR, "
              "build_id VARCHAR, address UBIGINT, mode VARCHAR, inlined BOOLEAN, is_return BOOLEAN",
    "recordings": "recording BIGINT, file VARCHAR, hostname VARCHAR, kernel VARCHAR, arch VARCHAR, cpu_model VARCHAR, "
                  "cpus INTEGER, command VARCHAR, recorder VARCHAR, start_ns BIGINT, end_ns BIGINT, "
                  "clock_offset_ns BIGINT, clock VARCHAR, samples BIGINT, lost_samples BIGINT, lost_records BIGINT, "
                  "truncated BIGINT, unnamed BIGINT, resolved BOOLEAN, labels MAP(VARCHAR, VARCHAR)",
}
START_NS = 1795906800 * 10**9  # 2026-11-28 23:00 UTC


def content_id(*values):
    return int.from_bytes(hashlib.sha256(json.dumps(values).encode()).digest()[:8], "big") >> 1
