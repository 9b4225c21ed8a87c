-- SPDX-License-Identifier: BSD-2-Clause
-- Load the recordings below the directory `dir` that are not in the tables yet. Run one load at a time. Recordings of
-- `tally export --unresolved` are loaded after `tally resolve`.

BEGIN;
SET VARIABLE files = '/date=' || getvariable('load_date') || '/host=*/*.parquet';
CREATE OR REPLACE TEMP MACRO rest(path) AS regexp_extract(path, '/date=[^/]*/host=[^/]*/[^/]*$');

-- A recording may be in several files, if it was exported again together with others. One of them is loaded. `rest` is
-- the part of the path that is the same in all tables.
CREATE OR REPLACE TEMP TABLE new_recordings AS
    SELECT DISTINCT ON (recording) *, rest(filename) AS rest
    FROM read_parquet(getvariable('dir') || '/recordings' || getvariable('files'), hive_partitioning = true,
                      hive_types = {'date': DATE, 'host': VARCHAR}, filename = true)
    WHERE resolved AND recording NOT IN (SELECT recording FROM recordings)
    ORDER BY recording, filename;

INSERT INTO frames
    SELECT frame, depth, function_id(function, module), function, file, line, module, build_id, address, mode, inlined,
           is_return
    FROM (SELECT DISTINCT ON (frame, depth) *
          FROM read_parquet(getvariable('dir') || '/frames' || getvariable('files'), hive_partitioning = false,
                            filename = true)
          WHERE rest(filename) IN (SELECT rest FROM new_recordings)
          ORDER BY function IS NULL)
    ANTI JOIN frames AS known USING (frame, depth);

INSERT INTO functions
    SELECT id, any_value(function_name(function, module)), any_value(module_name(module))
    FROM frames ANTI JOIN functions AS known USING (id)
    GROUP BY id;

INSERT INTO stacks
    WITH new_stacks AS (
        SELECT DISTINCT ON (stack) stack, frames
        FROM (SELECT * FROM read_parquet(getvariable('dir') || '/stacks' || getvariable('files'),
                                         hive_partitioning = false, filename = true)
              WHERE rest(filename) IN (SELECT rest FROM new_recordings))
        ANTI JOIN stacks AS known USING (stack)),
    named AS (
        SELECT frame, list(id ORDER BY depth) AS ids, any_value(mode) AS mode FROM frames GROUP BY frame),
    positions AS (
        SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS position FROM new_stacks),
    listed AS (
        SELECT stack, flatten(list(ids ORDER BY position)) AS functions, arg_min(mode, position) AS mode
        FROM positions JOIN named USING (frame)
        GROUP BY stack)
    SELECT stack, frames, functions, mode FROM new_stacks JOIN listed USING (stack);

INSERT INTO samples
    SELECT date, host, recording, event, time_ns, pid, tid, cpu, comm, period, coalesce(stack, -1)
    FROM (SELECT *, rest(filename) AS rest
          FROM read_parquet(getvariable('dir') || '/samples' || getvariable('files'), hive_partitioning = true,
                            hive_types = {'date': DATE, 'host': VARCHAR}, filename = true))
    SEMI JOIN new_recordings USING (recording, rest);

INSERT INTO recordings
    SELECT recording, date, host, file, hostname, kernel, arch, cpu_model, cpus, command, recorder, start_ns, end_ns,
           clock_offset_ns, clock, samples, lost_samples, lost_records, truncated, unnamed, resolved, labels
    FROM new_recordings;
COMMIT;
