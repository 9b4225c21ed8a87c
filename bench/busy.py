# SPDX-License-Identifier: BSD-2-Clause
"""A Python program that computes for a moment; a part of the benchmarks' workloads."""
import collections
import hashlib
import json
import re

words = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(20000)]
count = collections.Counter(re.sub("[0-9]", "", w) for w in words)
text = json.dumps([{"word": w, "n": i} for i, w in enumerate(words)])
print(len(sorted(json.loads(text), key=lambda x: x["word"])), len(count))
