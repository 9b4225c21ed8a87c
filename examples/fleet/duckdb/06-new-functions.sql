-- SPDX-License-Identifier: BSD-2-Clause
-- 6: functions on stacks of the new version but not of the old one. A function is listed if the old version has so many
-- samples that ten of them are expected in the function.
WITH cost AS (
    SELECT labels['version'] = getvariable('new_version') AS is_new, host, stack, sum(period) AS weight, count(*) AS samples
    FROM samples JOIN (SELECT recording, labels FROM recordings) USING (recording)
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
        AND labels['version'] IN (getvariable('old_version'), getvariable('new_version'))
    GROUP BY ALL),
called AS (
    SELECT is_new, host, unnest(list_distinct(functions)) AS id, functions[1] AS innermost, weight, samples
    FROM cost JOIN stacks USING (stack)),
summed AS (
    SELECT id, count(DISTINCT host) AS hosts, sum(samples) AS samples,
           sum(CASE WHEN id = innermost THEN weight ELSE 0 END) AS self, sum(weight) AS total
    FROM called GROUP BY id HAVING min(is_new)),
sides AS (
    SELECT sum(samples) FILTER (is_new) AS new_samples, sum(samples) FILTER (NOT is_new) AS old_samples,
           sum(weight) FILTER (is_new) AS whole
    FROM cost)
SELECT name, module, hosts, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed JOIN functions USING (id) CROSS JOIN sides
WHERE samples::DOUBLE * old_samples::DOUBLE >= 10 * new_samples::DOUBLE
    AND 100 * total::DOUBLE >= getvariable('least_share') * whole::DOUBLE
ORDER BY total DESC, self DESC, name, module;
