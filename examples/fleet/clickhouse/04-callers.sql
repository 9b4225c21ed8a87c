-- SPDX-License-Identifier: BSD-2-Clause
-- 4: callers of one function. If the function is on a stack several times, the caller of the outermost one counts, so
-- that the weights add up to the function's total.
WITH cost AS (
    SELECT stack, sum(toUInt128(period)) AS weight
    FROM samples
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY stack),
calls AS (
    SELECT module, functions[arrayLastIndex(one -> one = id, functions) + 1] AS caller, weight
    FROM cost JOIN stacks USING (stack)
        CROSS JOIN (SELECT id, module FROM functions WHERE name = {function:String}) AS called
    WHERE has(functions, id)),
summed AS (
    SELECT module, caller, sum(weight) AS calls_weight, sum(calls_weight) OVER (PARTITION BY module) AS whole
    FROM calls GROUP BY module, caller)
SELECT summed.module AS module, functions.name AS caller, functions.module AS caller_module,
       percent(calls_weight, whole) AS percent, calls_weight AS weight
FROM summed LEFT JOIN functions ON functions.id = summed.caller
ORDER BY weight DESC, module, caller, caller_module
LIMIT {row_limit:UInt64};
