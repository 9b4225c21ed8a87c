-- SPDX-License-Identifier: BSD-2-Clause
-- 1: functions with the highest self and total cost. A sample counts once for each function on its stack.
WITH cost AS (
    SELECT stack, sum(toUInt128(period)) AS weight
    FROM samples
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY stack),
called AS (
    SELECT arrayJoin(arrayDistinct(functions)) AS id, functions[1] AS innermost, weight
    FROM cost JOIN stacks USING (stack)),
summed AS (
    SELECT id, sumIf(weight, id = innermost) AS self, sum(weight) AS total
    FROM called
    GROUP BY id)
SELECT name, module, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed JOIN functions USING (id) CROSS JOIN (SELECT sum(weight) AS whole FROM cost) AS fleet
ORDER BY self DESC, total DESC, name, module
LIMIT {row_limit:UInt64};
