-- SPDX-License-Identifier: BSD-2-Clause
-- 8: quality of each host's recordings, the worst first.
WITH hosts AS (
    SELECT host, count() AS recordings, sum(samples) AS taken, sum(lost_samples) AS lost,
           sum(lost_records) AS all_lost_records, sum(truncated) AS all_truncated, sum(unnamed) AS all_unnamed,
           sum(end_ns - start_ns) AS recorded_ns, max(end_ns) - min(start_ns) AS span_ns
    FROM recordings
    WHERE date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY host)
SELECT host, recordings, taken AS samples, percent(lost, taken + lost) AS lost_percent, all_lost_records AS lost_records,
       percent(all_truncated, taken) AS truncated_percent, percent(all_unnamed, taken) AS unnamed_percent,
       percent(greatest(span_ns - recorded_ns, 0), span_ns) AS gap_percent
FROM hosts
ORDER BY lost_percent DESC, lost_records DESC, truncated_percent DESC, unnamed_percent DESC, host;
