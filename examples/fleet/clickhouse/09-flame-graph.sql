-- SPDX-License-Identifier: BSD-2-Clause
-- 9: folded stacks of a host or, if host is '', of the fleet, for flamegraph.pl and tally report.
WITH cost AS (
    SELECT comm, stack, sum(toUInt128(period)) AS weight
    FROM samples
    WHERE event = {event:String} AND date BETWEEN {first_date:Date} AND {last_date:Date}
        AND {host:String} IN ('', host)
    GROUP BY comm, stack),
positions AS (
    SELECT stack, id, position
    FROM stacks ARRAY JOIN functions AS id, arrayEnumerate(functions) AS position
    WHERE stack IN (SELECT stack FROM cost)),
paths AS (
    SELECT stack, arrayStringConcat(arrayMap(one -> one.2, arrayReverseSort(groupArray((position, folded_name(name))))), ';') AS path
    FROM positions JOIN functions USING (id)
    GROUP BY stack)
SELECT folded_name(comm) || ';' || path || ' ' || toString(sum(weight)) AS line
FROM cost JOIN paths USING (stack)
GROUP BY comm, path
ORDER BY line;
