# SPDX-License-Identifier: BSD-2-Clause
"""A workload in which C functions call Python code that calls C functions."""
import json
import re
import sys

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


total = 0
for i in range(rounds):
    total += fib(12)
    words = sorted((str(k * 7919 % 2003) for k in range(500)), key=lambda text: text[::-1])
    total += len(json.loads(json.dumps(words)))
    total += len(re.sub(r"(\d)(\d)", lambda match: match[2] + match[1], " ".join(words)))
    total += sum(map(len, words))
print(total)
