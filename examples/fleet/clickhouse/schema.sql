-- SPDX-License-Identifier: BSD-2-Clause
-- Tables for the Parquet files of tally export. Run this file once; load.sql fills the tables.

CREATE TABLE IF NOT EXISTS recordings (
    recording Int64, date Date, host LowCardinality(String), file String, hostname String, kernel String, arch String,
    cpu_model String, cpus Int32, command String, recorder String, start_ns Int64, end_ns Int64, clock_offset_ns Int64,
    clock String, samples Int64, lost_samples Int64, lost_records Int64, truncated Int64, unnamed Int64, resolved Bool,
    labels Map(String, String))
ENGINE = MergeTree ORDER BY recording;

-- stack is -1 if the sample has no address. To delete old days: ALTER TABLE samples DROP PARTITION '2026-11-29'.
CREATE TABLE IF NOT EXISTS samples (
    date Date, host LowCardinality(String), recording Int64, event LowCardinality(String), time_ns Nullable(Int64),
    pid Int32, tid Int32, cpu Nullable(Int32), comm LowCardinality(String), period UInt64, stack Int64)
ENGINE = MergeTree PARTITION BY date ORDER BY (event, host, recording);

-- A function is identified by its name and the last part of its module's path. The code of a module that has no names
-- is one function, such as [libc.so.6].
CREATE TABLE IF NOT EXISTS functions (id UInt64, name String, module String) ENGINE = MergeTree ORDER BY id;

-- One row for each function of a frame; depth 0 is the innermost.
CREATE TABLE IF NOT EXISTS frames (
    frame Int64, depth Int32, id UInt64, function Nullable(String), file Nullable(String), line Nullable(Int32),
    module LowCardinality(Nullable(String)), build_id LowCardinality(Nullable(String)), address Nullable(UInt64),
    mode LowCardinality(String), inlined Bool, is_return Bool)
ENGINE = MergeTree ORDER BY (frame, depth);

-- One row for each stack. functions: with inlined functions, innermost first. mode: of the innermost frame.
CREATE TABLE IF NOT EXISTS stacks (
    stack Int64, frames Array(Int64), functions Array(UInt64), mode LowCardinality(String))
ENGINE = MergeTree ORDER BY stack;

CREATE OR REPLACE FUNCTION module_name AS path -> splitByChar('/', ifNull(path, ''))[-1];
CREATE OR REPLACE FUNCTION function_name AS (function, path) ->
    ifNull(function, multiIf(module_name(path) = '', '[unknown]', startsWith(module_name(path), '['), module_name(path),
                             concat('[', module_name(path), ']')));
CREATE OR REPLACE FUNCTION function_id AS (function, path) ->
    sipHash64(function_name(function, path), module_name(path));

-- Rounds half up. Both engines round in this way, so that they print the same digits.
CREATE OR REPLACE FUNCTION rounded AS (value, digits) -> floor(value * pow(10, digits) + 0.5) / pow(10, digits);
CREATE OR REPLACE FUNCTION percent AS (part, whole) ->
    rounded(100.0 * toFloat64(part) / toFloat64(nullIf(whole, 0)), 2);

-- Two-sided p value of Student's t with df degrees of freedom: Wallace's approximation of the normal quantile, and an
-- upper bound for the tail of the normal distribution.
CREATE OR REPLACE FUNCTION t_quantile AS (t, df) ->
    sqrt(df * log(1 + t * t / df)) * (8 * df + 1) / (8 * df + 3);
CREATE OR REPLACE FUNCTION t_p_value AS (t, df) ->
    least(1.0, sqrt(2 / pi()) * exp(-pow(t_quantile(t, df), 2) / 2) / greatest(t_quantile(t, df), 1e-9));

-- A name in folded stacks, with the escapes of tally report --format folded.
CREATE OR REPLACE FUNCTION hidden_characters AS () ->
    '[;\\x00-\\x1f\\x7f-\\x{9f}\\x{61c}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}\\x{feff}\\x{fff9}-\\x{fffb}\\x{e0000}-\\x{e007f}]';
CREATE OR REPLACE FUNCTION folded_character AS c ->
    multiIf(NOT match(c, hidden_characters()), c,
            c = '\t', '\\t', c = '\n', '\\n', c = '\r', '\\r',
            length(c) = 1, concat('\\x', lower(hex(c))),
            concat('\\u', replaceRegexpOne(lower(hex(convertCharset(c, 'UTF-8', 'UTF-32BE'))), '^0{1,4}', '')));
CREATE OR REPLACE FUNCTION folded_name AS name ->
    if(match(name, hidden_characters()),
       arrayStringConcat(arrayMap(c -> folded_character(c), extractAll(name, '(?s).'))), name);

-- The stack of samples without an address.
INSERT INTO functions SELECT function_id(NULL, NULL), '[unknown]', ''
    WHERE function_id(NULL, NULL) NOT IN (SELECT id FROM functions);
INSERT INTO stacks SELECT -1, [], [function_id(NULL, NULL)], 'unknown'
    WHERE -1 NOT IN (SELECT stack FROM stacks);
