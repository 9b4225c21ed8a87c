-- SPDX-License-Identifier: BSD-2-Clause
-- 5: cost of a library by build ID: time in the library (self) and below it (total), and the hosts that have samples.
WITH objects AS (
    SELECT frame, ifNull(build_id, '') AS build
    FROM frames WHERE depth = 0 AND module_name(module) = {module:String}),
cost AS (
    SELECT host, stack, sum(toUInt128(period)) AS weight
    FROM samples
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
    GROUP BY host, stack),
users AS (
    SELECT stack, build, max(position = 1) AS is_self
    FROM (SELECT stack, frame, position FROM stacks ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS position)
        AS positions JOIN objects USING (frame)
    GROUP BY stack, build),
summed AS (
    SELECT build, uniqExact(host) AS hosts, sumIf(weight, is_self) AS self, sum(weight) AS total
    FROM cost JOIN users USING (stack)
    GROUP BY build)
SELECT build AS build_id, hosts, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed CROSS JOIN (SELECT sum(weight) AS whole FROM cost) AS fleet
ORDER BY self DESC, total DESC, build_id;
