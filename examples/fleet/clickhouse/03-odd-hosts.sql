-- SPDX-License-Identifier: BSD-2-Clause
-- 3: hosts on which a function's self share is far from that of the median host of the same version. The standard
-- deviation is estimated from the median absolute deviation, and is at least that of the host's independent samples.
WITH cost AS (
    SELECT version, host, stack, sum(toUInt128(period)) AS weight, count() AS taken
    FROM samples JOIN (SELECT recording, labels['version'] AS version FROM recordings) AS labelled USING (recording)
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY version, host, stack),
hosts AS (
    SELECT version, host, sum(weight) AS whole, sum(taken) AS host_samples
    FROM cost GROUP BY version, host HAVING whole > 0),
own AS (
    SELECT version, host, functions[1] AS id, sum(weight) AS self
    FROM cost JOIN stacks USING (stack) GROUP BY version, host, id),
often AS (
    SELECT DISTINCT version, id FROM own JOIN hosts USING (version, host)
    WHERE 100 * toFloat64(self) / toFloat64(whole) >= {least_share:Float64}),
shares AS (
    SELECT pairs.version AS version, pairs.host AS host, pairs.id AS id, host_samples,
           toFloat64(own.self) / toFloat64(whole) AS share
    FROM (SELECT version, host, id, whole, host_samples FROM hosts JOIN often USING (version)) AS pairs
        LEFT JOIN own ON own.version = pairs.version AND own.host = pairs.host AND own.id = pairs.id),
medians AS (SELECT version, id, quantileExactInclusive(0.5)(share) AS middle FROM shares GROUP BY version, id),
deviations AS (
    SELECT version, id, any(middle) AS median, quantileExactInclusive(0.5)(abs(share - middle)) AS deviation
    FROM shares JOIN medians USING (version, id) GROUP BY version, id),
scores AS (
    SELECT version, host, id, share, median,
           (share - median) / greatest(1.4826 * deviation, sqrt(greatest(median, 1 / host_samples) / host_samples)) AS z
    FROM shares JOIN deviations USING (version, id))
SELECT host, version, name, module, rounded(100 * share, 2) AS host_percent, rounded(100 * median, 2) AS median_percent,
       rounded(z, 1) AS score
FROM scores JOIN functions USING (id)
WHERE abs(z) >= {least_z:Float64} AND 100 * abs(share - median) >= {least_share:Float64}
ORDER BY abs(score) DESC, host, version, name, module;
