-- SPDX-License-Identifier: BSD-2-Clause
-- 7: share of the kernel on each host, by the mode of the sampled code.
WITH cost AS (
    SELECT host, mode, sum(toUInt128(period)) AS weight
    FROM samples JOIN (SELECT stack, mode FROM stacks) AS modes USING (stack)
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY host, mode),
hosts AS (
    SELECT host, sumIf(weight, mode = 'kernel') AS kernel, sumIf(weight, mode = 'user') AS in_user, sum(weight) AS whole
    FROM cost GROUP BY host)
SELECT host, percent(kernel, whole) AS kernel_percent, percent(in_user, whole) AS user_percent,
       percent(whole - kernel - in_user, whole) AS other_percent
FROM hosts
ORDER BY kernel_percent DESC, host;
