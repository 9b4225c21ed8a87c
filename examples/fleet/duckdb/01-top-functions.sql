-- SPDX-License-Identifier: BSD-2-Clause
-- 1: functions with the highest self and total cost. A sample counts once for each function on its stack.
WITH cost AS (
    SELECT stack, sum(period) AS weight
    FROM samples
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
    GROUP BY stack),
called AS (
    SELECT unnest(list_distinct(functions)) AS id, functions[1] AS innermost, weight
    FROM cost JOIN stacks USING (stack)),
summed AS (
    SELECT id, sum(CASE WHEN id = innermost THEN weight ELSE 0 END) AS self, sum(weight) AS total
    FROM called
    GROUP BY id)
SELECT name, module, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed JOIN functions USING (id) CROSS JOIN (SELECT sum(weight) AS whole FROM cost)
ORDER BY self DESC, total DESC, name, module
LIMIT getvariable('row_limit');
