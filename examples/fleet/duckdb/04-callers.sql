-- SPDX-License-Identifier: BSD-2-Clause
-- 4: callers of one function. If the function is on a stack several times, the caller of the outermost one counts, so
-- that the weights add up to the function's total.
WITH cost AS (
    SELECT stack, sum(period) AS weight
    FROM samples
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
    GROUP BY stack),
calls AS (
    SELECT module, functions[len(functions) - list_position(list_reverse(functions), id) + 2] AS caller, weight
    FROM cost JOIN stacks USING (stack)
        JOIN (SELECT id, module FROM functions WHERE name = getvariable('function')) ON list_contains(functions, id)),
summed AS (SELECT module, caller, sum(weight) AS weight FROM calls GROUP BY module, caller),
whole AS (SELECT module, sum(weight) AS whole FROM summed GROUP BY module)
SELECT summed.module AS module, coalesce(functions.name, '') AS caller, coalesce(functions.module, '') AS caller_module,
       percent(weight, whole) AS percent, summed.weight AS weight
FROM summed JOIN whole ON whole.module = summed.module LEFT JOIN functions ON functions.id = summed.caller
ORDER BY summed.weight DESC, module, caller, caller_module
LIMIT getvariable('row_limit');
