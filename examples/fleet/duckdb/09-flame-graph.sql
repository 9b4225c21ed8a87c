-- SPDX-License-Identifier: BSD-2-Clause
-- 9: folded stacks of a host or, if host is '', of the fleet, for flamegraph.pl and tally report.
WITH cost AS (
    SELECT comm, stack, sum(period) AS weight
    FROM samples
    WHERE event = getvariable('event') AND date BETWEEN getvariable('first_date')::DATE AND getvariable('last_date')::DATE
        AND getvariable('host') IN ('', host)
    GROUP BY comm, stack),
positions AS (
    SELECT stack, unnest(functions) AS id, generate_subscripts(functions, 1) AS position
    FROM stacks SEMI JOIN cost USING (stack)),
paths AS (
    SELECT stack, string_agg(folded_name(name), ';' ORDER BY position DESC) AS path
    FROM positions JOIN functions USING (id)
    GROUP BY stack)
SELECT folded_name(coalesce(comm, '[unknown]')) || ';' || path || ' ' || sum(weight)::VARCHAR AS line
FROM cost JOIN paths USING (stack)
GROUP BY comm, path
ORDER BY line;
