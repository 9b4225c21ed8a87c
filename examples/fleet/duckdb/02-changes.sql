-- SPDX-License-Identifier: BSD-2-Clause
-- 2: functions of the old version whose mean self share differs on the hosts of the new version. If one function grows,
-- the shares of all others become smaller; therefore shares of the new version are divided by the median function's
-- ratio. Welch's t test on the hosts' shares, with the p value multiplied by the number of functions tested (Bonferroni).
-- The variance between hosts is at least that of independent samples.
WITH cost AS (
    SELECT host, labels['version'] = getvariable('new_version') AS is_new, stack, sum(period) AS weight, count(*) AS samples
    FROM samples JOIN (SELECT recording, labels FROM recordings) USING (recording)
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
        AND labels['version'] IN (getvariable('old_version'), getvariable('new_version'))
    GROUP BY ALL),
hosts AS (
    SELECT is_new, host, sum(weight) AS whole, sum(samples) AS samples
    FROM cost GROUP BY is_new, host HAVING whole > 0),
sides AS (
    SELECT count(*) FILTER (NOT is_new) AS old_hosts, count(*) FILTER (is_new) AS new_hosts,
           sum(samples) FILTER (NOT is_new) AS old_samples, sum(samples) FILTER (is_new) AS new_samples
    FROM hosts),
shares AS (
    SELECT is_new, functions[1] AS id, sum(weight)::DOUBLE / any_value(whole)::DOUBLE AS share
    FROM cost JOIN stacks USING (stack) JOIN hosts USING (is_new, host)
    GROUP BY is_new, host, id),
means AS (
    SELECT id, coalesce(sum(share) FILTER (NOT is_new), 0) / any_value(old_hosts) AS old_mean,
           coalesce(sum(share) FILTER (is_new), 0) / any_value(new_hosts) AS new_mean,
           coalesce(sum(share * share) FILTER (NOT is_new), 0) AS old_squares,
           coalesce(sum(share * share) FILTER (is_new), 0) AS new_squares
    FROM shares CROSS JOIN sides
    WHERE old_hosts > 1 AND new_hosts > 1
    GROUP BY id),
frequent AS (
    SELECT * FROM means CROSS JOIN sides
    WHERE old_mean > 0 AND 100 * greatest(old_mean, new_mean) >= getvariable('least_share')),
ratios AS (
    SELECT nullif(quantile_cont(new_mean / old_mean, 0.5), 0) AS ratio, count(*) AS tests FROM frequent),
errors AS (
    SELECT id, old_mean, new_mean, new_mean / ratio AS scaled, old_hosts, new_hosts, tests,
           greatest((old_squares - old_hosts * pow(old_mean, 2)) / (old_hosts - 1),
                    old_mean * (1 - old_mean) * old_hosts / old_samples::DOUBLE) / old_hosts AS old_error,
           greatest((new_squares - new_hosts * pow(new_mean, 2)) / (new_hosts - 1),
                    new_mean * (1 - new_mean) * new_hosts / new_samples::DOUBLE) / new_hosts / pow(ratio, 2) AS new_error
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
WHERE t_p_value(t, df) * tests < getvariable('significance')
    AND 100 * abs(scaled - old_mean) >= getvariable('least_change') * old_mean
ORDER BY abs(new_percent - old_percent) DESC, name, module;
