-- SPDX-License-Identifier: BSD-2-Clause
-- 10: the last hour of a host by minute (UTC), with the function of the highest self cost. Minutes without samples have
-- the weight 0.
WITH chosen AS (
    SELECT time_ns // 60000000000 AS minute, stack, period
    FROM samples
    WHERE event = getvariable('event') AND host = getvariable('host') AND time_ns IS NOT NULL
        AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE),
cost AS (
    SELECT minute, functions[1] AS id, mode, sum(period) AS weight, count(*) AS samples
    FROM chosen JOIN stacks USING (stack)
    WHERE minute > (SELECT max(minute) FROM chosen) - 60
    GROUP BY ALL),
minutes AS (
    SELECT minute, sum(samples) AS samples, sum(weight) AS weight,
           sum(CASE WHEN mode = 'kernel' THEN weight ELSE 0 END) AS kernel
    FROM cost GROUP BY minute),
heaviest AS (
    SELECT DISTINCT ON (minute) minute, name, weight AS heaviest_weight
    FROM (SELECT minute, id, sum(weight) AS weight FROM cost GROUP BY minute, id) JOIN functions USING (id)
    ORDER BY minute, weight DESC, name, module),
shown AS (SELECT unnest(range(max(minute) - 59, max(minute) + 1)) AS minute FROM chosen)
SELECT strftime(make_timestamp(shown.minute * 60000000), '%Y-%m-%d %H:%M') AS time, coalesce(samples, 0) AS samples,
       coalesce(weight, 0) AS weight, coalesce(percent(kernel, weight), 0) AS kernel_percent,
       coalesce(name, '') AS top_function, coalesce(percent(heaviest_weight, weight), 0) AS top_percent
FROM shown LEFT JOIN minutes ON minutes.minute = shown.minute LEFT JOIN heaviest ON heaviest.minute = shown.minute
ORDER BY time;
