-- SPDX-License-Identifier: BSD-2-Clause
-- 10: the last hour of a host by minute (UTC), with the function of the highest self cost. Minutes without samples have
-- the weight 0.
WITH chosen AS (
    SELECT intDiv(assumeNotNull(time_ns), 60000000000) AS minute, stack, period
    FROM samples
    WHERE event = {event:String} AND host = {host:String} AND time_ns IS NOT NULL
        AND date BETWEEN {first_date:Date} AND {last_date:Date}),
cost AS (
    SELECT minute, functions[1] AS id, mode, sum(toUInt128(period)) AS cost_weight, count() AS taken
    FROM chosen JOIN stacks USING (stack)
    WHERE minute > (SELECT max(minute) FROM chosen) - 60
    GROUP BY minute, id, mode),
minutes AS (
    SELECT minute, sum(taken) AS samples, sum(cost_weight) AS weight, sumIf(cost_weight, mode = 'kernel') AS kernel
    FROM cost GROUP BY minute),
heaviest AS (
    SELECT minute, name, top_weight
    FROM (SELECT minute, id, sum(cost_weight) AS top_weight FROM cost GROUP BY minute, id) AS own JOIN functions USING (id)
    ORDER BY minute, top_weight DESC, name, module
    LIMIT 1 BY minute),
shown AS (
    SELECT arrayJoin(range(max(minute) - 59, max(minute) + 1)) AS minute FROM chosen HAVING count() > 0)
SELECT formatDateTime(toDateTime(shown.minute * 60, 'UTC'), '%Y-%m-%d %H:%i') AS time, minutes.samples AS samples,
       minutes.weight AS weight, ifNull(percent(kernel, minutes.weight), 0) AS kernel_percent, name AS top_function,
       ifNull(percent(top_weight, minutes.weight), 0) AS top_percent
FROM shown LEFT JOIN minutes ON minutes.minute = shown.minute LEFT JOIN heaviest ON heaviest.minute = shown.minute
ORDER BY time;
