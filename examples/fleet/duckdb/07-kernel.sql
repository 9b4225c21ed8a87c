-- SPDX-License-Identifier: BSD-2-Clause
-- 7: share of the kernel on each host, by the mode of the sampled code.
WITH cost AS (
    SELECT host, mode, sum(period) AS weight
    FROM samples JOIN (SELECT stack, mode FROM stacks) USING (stack)
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
    GROUP BY host, mode),
hosts AS (
    SELECT host, sum(CASE WHEN mode = 'kernel' THEN weight ELSE 0 END) AS kernel,
           sum(CASE WHEN mode = 'user' THEN weight ELSE 0 END) AS in_user, sum(weight) AS whole
    FROM cost GROUP BY host)
SELECT host, percent(kernel, whole) AS kernel_percent, percent(in_user, whole) AS user_percent,
       percent(whole - kernel - in_user, whole) AS other_percent
FROM hosts
ORDER BY kernel_percent DESC, host;
