-- SPDX-License-Identifier: BSD-2-Clause
-- 5: cost of a library by build ID: time in the library (self) and below it (total), and the hosts that have samples.
WITH objects AS (
    SELECT frame, coalesce(build_id, '') AS build_id
    FROM frames WHERE depth = 0 AND module_name(module) = getvariable('module')),
cost AS (
    SELECT host, stack, sum(period) AS weight
    FROM samples
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
    GROUP BY host, stack),
users AS (
    SELECT stack, build_id, max(position) AS is_self
    FROM (SELECT stack, unnest(frames) AS frame, (generate_subscripts(frames, 1) = 1)::INTEGER AS position FROM stacks)
        JOIN objects USING (frame)
    GROUP BY stack, build_id),
summed AS (
    SELECT build_id, count(DISTINCT host) AS hosts, sum(weight * is_self) AS self, sum(weight) AS total
    FROM cost JOIN users USING (stack)
    GROUP BY build_id)
SELECT build_id, hosts, percent(self, whole) AS self_percent, percent(total, whole) AS total_percent
FROM summed CROSS JOIN (SELECT sum(weight) AS whole FROM cost)
ORDER BY self DESC, total DESC, build_id;
