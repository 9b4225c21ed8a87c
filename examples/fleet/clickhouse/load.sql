-- SPDX-License-Identifier: BSD-2-Clause
-- Load the recordings below the directory `dir` that are not in the tables yet. Run one load at a time. Recordings of
-- `tally export --unresolved` are loaded after `tally resolve`. A server reads files only below its user_files_path;
-- s3() instead of file() reads an object store.

-- A recording may be in several files, if it was exported again together with others. One of them is loaded. `rest` is
-- the part of the path that is the same in all tables.
DROP TABLE IF EXISTS new_recordings;
CREATE TABLE new_recordings ENGINE = Memory AS
    SELECT recording, min(extract(_path, '/date=[^/]*/host=[^/]*/[^/]*$')) AS rest
    FROM file({dir:String} || '/recordings/date=' || {load_date:String} || '/host=*/*.parquet', Parquet,
              'recording Int64, resolved Bool')
    WHERE resolved AND recording NOT IN (SELECT recording FROM recordings)
    GROUP BY recording;

INSERT INTO frames
    SELECT frame, depth, function_id(function, module), function, file, line, module, build_id, address, mode, inlined,
           is_return
    FROM file({dir:String} || '/frames/date=' || {load_date:String} || '/host=*/*.parquet', Parquet,
              'frame Int64, depth Int32, function Nullable(String), file Nullable(String), line Nullable(Int32),
               module Nullable(String), build_id Nullable(String), address Nullable(UInt64), mode String, inlined Bool,
               is_return Bool')
    WHERE extract(_path, '/date=[^/]*/host=[^/]*/[^/]*$') IN (SELECT rest FROM new_recordings)
      AND (frame, depth) NOT IN (SELECT frame, depth FROM frames)
    ORDER BY isNull(function)
    LIMIT 1 BY frame, depth;

INSERT INTO functions
    SELECT id, any(function_name(function, module)), any(module_name(module))
    FROM frames
    WHERE id NOT IN (SELECT id FROM functions)
    GROUP BY id;

INSERT INTO stacks
    WITH new_stacks AS (
        SELECT stack, frames
        FROM file({dir:String} || '/stacks/date=' || {load_date:String} || '/host=*/*.parquet', Parquet,
                  'stack Int64, frames Array(Int64)')
        WHERE extract(_path, '/date=[^/]*/host=[^/]*/[^/]*$') IN (SELECT rest FROM new_recordings)
          AND stack NOT IN (SELECT stack FROM stacks)
        LIMIT 1 BY stack),
    named AS (
        SELECT frame, arrayMap(one -> one.2, arraySort(groupArray((depth, id)))) AS ids, any(mode) AS mode
        FROM frames GROUP BY frame),
    positions AS (
        SELECT stack, frames, frame, position
        FROM new_stacks ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS position)
    SELECT stack, any(frames), arrayFlatten(arrayMap(one -> one.2, arraySort(groupArray((position, ids))))),
           argMin(mode, position)
    FROM positions JOIN named USING (frame)
    GROUP BY stack;

-- Samples of a load that was interrupted.
DELETE FROM samples WHERE recording NOT IN (SELECT recording FROM recordings);

INSERT INTO samples
    SELECT toDate(extract(_path, '/date=([^/]*)/')), decodeURLComponent(extract(_path, '/host=([^/]*)/')), recording, event,
           time_ns, pid, tid, cpu, comm, period, ifNull(stack, -1)
    FROM file({dir:String} || '/samples/date=' || {load_date:String} || '/host=*/*.parquet', Parquet,
              'recording Int64, time_ns Nullable(Int64), pid Int32, tid Int32, cpu Nullable(Int32), comm String,
               event String, period UInt64, stack Nullable(Int64)')
    WHERE (recording, extract(_path, '/date=[^/]*/host=[^/]*/[^/]*$')) IN (SELECT recording, rest FROM new_recordings);

INSERT INTO recordings
    SELECT recording, toDate(extract(_path, '/date=([^/]*)/')), decodeURLComponent(extract(_path, '/host=([^/]*)/')),
           files.file, hostname, kernel, arch, cpu_model, cpus, command, recorder, start_ns, end_ns, clock_offset_ns, clock,
           samples, lost_samples, lost_records, truncated, unnamed, resolved, labels
    FROM file({dir:String} || '/recordings/date=' || {load_date:String} || '/host=*/*.parquet', Parquet,
              'recording Int64, file String, hostname String, kernel String, arch String, cpu_model String, cpus Int32,
               command String, recorder String, start_ns Int64, end_ns Int64, clock_offset_ns Int64, clock String,
               samples Int64, lost_samples Int64, lost_records Int64, truncated Int64, unnamed Int64, resolved Bool,
               labels Map(String, String)') AS files
    WHERE (recording, extract(_path, '/date=[^/]*/host=[^/]*/[^/]*$')) IN (SELECT recording, rest FROM new_recordings)
    LIMIT 1 BY recording;

DROP TABLE new_recordings;
