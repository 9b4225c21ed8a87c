-- SPDX-License-Identifier: BSD-2-Clause
-- 2: functions of the old version whose mean self share differs on the hosts of the new version. If one function grows,
-- the shares of all others become smaller; therefore shares of the new version are divided by the median function's
-- ratio. Welch's t test on the hosts' shares, with the p value multiplied by the number of functions tested (Bonferroni).
-- The variance between hosts is at least that of independent samples.
WITH cost AS (
    SELECT host, version = {new_version:String} AS is_new, stack, sum(toUInt128(period)) AS weight, count() AS taken
    FROM samples JOIN (SELECT recording, labels['version'] AS version FROM recordings) AS labelled USING (recording)
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
        AND version IN ({old_version:String}, {new_version:String})
    GROUP BY host, is_new, stack),
hosts AS (
    SELECT is_new, host, sum(weight) AS whole, sum(taken) AS host_samples
    FROM cost GROUP BY is_new, host HAVING whole > 0),
sides AS (
    SELECT countIf(NOT is_new) AS old_hosts, countIf(is_new) AS new_hosts,
           sumIf(host_samples, NOT is_new) AS old_samples, sumIf(host_samples, is_new) AS new_samples
    FROM hosts),
shares AS (
    SELECT is_new, id, toFloat64(self) / toFloat64(whole) AS share
    FROM (SELECT is_new, host, functions[1] AS id, sum(weight) AS self FROM cost JOIN stacks USING (stack)
          GROUP BY is_new, host, id) AS own
        JOIN hosts USING (is_new, host)),
means AS (
    SELECT id, sumIf(share, NOT is_new) AS old_sum, sumIf(share, is_new) AS new_sum,
           sumIf(share * share, NOT is_new) AS old_squares, sumIf(share * share, is_new) AS new_squares
    FROM shares
    GROUP BY id),
frequent AS (
    SELECT *, old_sum / old_hosts AS old_mean, new_sum / new_hosts AS new_mean
    FROM means CROSS JOIN sides
    WHERE old_hosts > 1 AND new_hosts > 1 AND old_mean > 0 AND 100 * greatest(old_mean, new_mean) >= {least_share:Float64}),
ratios AS (
    SELECT nullIf(quantileExactInclusive(0.5)(new_mean / old_mean), 0) AS ratio, count() AS tests FROM frequent),
errors AS (
    SELECT id, old_mean, new_mean, new_mean / ratio AS scaled, old_hosts, new_hosts, tests,
           greatest((old_squares - old_hosts * pow(old_mean, 2)) / (old_hosts - 1),
                    old_mean * (1 - old_mean) * old_hosts / old_samples) / old_hosts AS old_error,
           greatest((new_squares - new_hosts * pow(new_mean, 2)) / (new_hosts - 1),
                    new_mean * (1 - new_mean) * new_hosts / new_samples) / new_hosts / pow(ratio, 2) AS new_error
    FROM frequent CROSS JOIN ratios),
tested AS (
    SELECT id, old_mean, new_mean, scaled, tests, (scaled - old_mean) / sqrt(old_error + new_error) AS t,
           pow(old_error + new_error, 2)
               / (pow(old_error, 2) / (old_hosts - 1) + pow(new_error, 2) / (new_hosts - 1)) AS df
    FROM errors
    WHERE old_error + new_error > 0)
SELECT name, module, rounded(100 * old_mean, 3) AS old_percent, rounded(100 * new_mean, 3) AS new_percent,
       rounded(100 * (scaled / old_mean - 1), 1) AS change_percent, rounded(t, 1) AS t_value, tests
FROM tested JOIN functions USING (id)
WHERE t_p_value(t, df) * tests < {significance:Float64}
    AND 100 * abs(scaled - old_mean) >= {least_change:Float64} * old_mean
ORDER BY abs(new_percent - old_percent) DESC, name, module;
