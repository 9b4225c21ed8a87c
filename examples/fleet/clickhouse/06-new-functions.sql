-- SPDX-License-Identifier: BSD-2-Clause
-- 6: functions on stacks of the new version but not of the old one. A function is listed if the old version has so many
-- samples that ten of them are expected in the function.
WITH cost AS (
    SELECT version = {new_version:String} AS is_new, host, stack, sum(toUInt128(period)) AS weight, count() AS taken
    FROM samples JOIN (SELECT recording, labels['version'] AS version FROM recordings) AS labelled USING (recording)
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
        AND version IN ({old_version:String}, {new_version:String})
    GROUP BY is_new, host, stack),
called AS (
    SELECT is_new, host, arrayJoin(arrayDistinct(functions)) AS id, functions[1] AS innermost, weight, taken
    FROM cost JOIN stacks USING (stack)),
summed AS (
    SELECT id, uniqExact(host) AS hosts, sum(taken) AS function_samples, sumIf(weight, id = innermost) AS self,
           sum(weight) AS total
    FROM called GROUP BY id HAVING min(is_new) = 1),
sides AS (
    SELECT sumIf(taken, is_new) AS new_samples, sumIf(taken, NOT is_new) AS old_samples, sumIf(weight, is_new) AS whole
    FROM cost)
SELECT name, module, hosts, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed JOIN functions USING (id) CROSS JOIN sides
WHERE toFloat64(function_samples) * old_samples >= 10 * toFloat64(new_samples)
    AND 100 * toFloat64(total) >= {least_share:Float64} * toFloat64(whole)
ORDER BY total DESC, self DESC, name, module;
