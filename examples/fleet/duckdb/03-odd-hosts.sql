-- SPDX-License-Identifier: BSD-2-Clause
-- 3: hosts on which a function's self share is far from that of the median host of the same version. The standard
-- deviation is estimated from the median absolute deviation, and is at least that of the host's independent samples.
WITH cost AS (
    SELECT version, host, stack, sum(period) AS weight, count(*) AS samples
    FROM samples JOIN (SELECT recording, coalesce(labels['version'], '') AS version FROM recordings) USING (recording)
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
    GROUP BY version, host, stack),
hosts AS (
    SELECT version, host, sum(weight) AS whole, sum(samples) AS samples
    FROM cost GROUP BY version, host HAVING whole > 0),
own AS (
    SELECT version, host, functions[1] AS id, sum(weight) AS weight
    FROM cost JOIN stacks USING (stack) GROUP BY version, host, id),
often AS (
    SELECT DISTINCT version, id FROM own JOIN hosts USING (version, host)
    WHERE 100 * weight::DOUBLE / whole::DOUBLE >= getvariable('least_share')),
shares AS (
    SELECT version, hosts.host AS host, often.id AS id, hosts.samples AS samples,
           coalesce(own.weight, 0)::DOUBLE / whole::DOUBLE AS share
    FROM hosts JOIN often USING (version) LEFT JOIN own USING (version, host, id)),
medians AS (SELECT version, id, quantile_cont(share, 0.5) AS middle FROM shares GROUP BY version, id),
deviations AS (
    SELECT version, id, any_value(middle) AS middle, quantile_cont(abs(share - middle), 0.5) AS deviation
    FROM shares JOIN medians USING (version, id) GROUP BY version, id),
scores AS (
    SELECT version, host, id, share, middle,
           (share - middle) / greatest(1.4826 * deviation, sqrt(greatest(middle, 1.0::DOUBLE / samples) / samples)) AS z
    FROM shares JOIN deviations USING (version, id))
SELECT host, version, name, module, rounded(100 * share, 2) AS host_percent, rounded(100 * middle, 2) AS median_percent,
       rounded(z, 1) AS score
FROM scores JOIN functions USING (id)
WHERE abs(z) >= getvariable('least_z') AND 100 * abs(share - middle) >= getvariable('least_share')
ORDER BY abs(score) DESC, host, version, name, module;
