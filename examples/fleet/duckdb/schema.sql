-- SPDX-License-Identifier: BSD-2-Clause
-- Tables for the Parquet files of tally export. Run this file once; load.sql fills the tables.

CREATE TABLE IF NOT EXISTS recordings (
    recording BIGINT, date DATE, host VARCHAR, file VARCHAR, hostname VARCHAR, kernel VARCHAR, arch VARCHAR,
    cpu_model VARCHAR, cpus INTEGER, command VARCHAR, recorder VARCHAR, start_ns BIGINT, end_ns BIGINT,
    clock_offset_ns BIGINT, clock VARCHAR, samples BIGINT, lost_samples BIGINT, lost_records BIGINT, truncated BIGINT,
    unnamed BIGINT, resolved BOOLEAN, labels MAP(VARCHAR, VARCHAR));

-- stack is -1 if the sample has no address.
CREATE TABLE IF NOT EXISTS samples (
    date DATE, host VARCHAR, recording BIGINT, event VARCHAR, time_ns BIGINT, pid INTEGER, tid INTEGER, cpu INTEGER,
    comm VARCHAR, period UBIGINT, stack BIGINT NOT NULL);

-- A function is identified by its name and the last part of its module's path. The code of a module that has no names
-- is one function, such as [libc.so.6].
CREATE TABLE IF NOT EXISTS functions (id UBIGINT, name VARCHAR, module VARCHAR);

-- One row for each function of a frame; depth 0 is the innermost.
CREATE TABLE IF NOT EXISTS frames (
    frame BIGINT, depth INTEGER, id UBIGINT, function VARCHAR, file VARCHAR, line INTEGER, module VARCHAR,
    build_id VARCHAR, address UBIGINT, mode VARCHAR, inlined BOOLEAN, is_return BOOLEAN);

-- One row for each stack. functions: with inlined functions, innermost first. mode: of the innermost frame.
CREATE TABLE IF NOT EXISTS stacks (stack BIGINT, frames BIGINT[], functions UBIGINT[], mode VARCHAR);

CREATE OR REPLACE MACRO module_name(path) AS coalesce(split_part(path, '/', -1), '');
CREATE OR REPLACE MACRO function_name(function, path) AS
    coalesce(function, CASE WHEN module_name(path) = '' THEN '[unknown]'
                            WHEN starts_with(module_name(path), '[') THEN module_name(path)
                            ELSE '[' || module_name(path) || ']' END);
CREATE OR REPLACE MACRO function_id(function, path) AS
    hash(function_name(function, path) || chr(10) || module_name(path));

-- Rounds half up. Both engines round in this way, so that they print the same digits.
CREATE OR REPLACE MACRO rounded(value, digits) AS floor(value * pow(10, digits) + 0.5) / pow(10, digits);
CREATE OR REPLACE MACRO percent(part, whole) AS
    rounded(100.0::DOUBLE * part::DOUBLE / nullif(whole, 0)::DOUBLE, 2);

-- Two-sided p value of Student's t with df degrees of freedom: Wallace's approximation of the normal quantile, and an
-- upper bound for the tail of the normal distribution.
CREATE OR REPLACE MACRO t_quantile(t, df) AS
    sqrt(df * ln(1 + t * t / df)) * (8 * df + 1) / (8 * df + 3);
CREATE OR REPLACE MACRO t_p_value(t, df) AS
    least(1.0::DOUBLE, sqrt(2 / pi()) * exp(-pow(t_quantile(t, df), 2) / 2) / greatest(t_quantile(t, df), 1e-9));

-- A name in folded stacks, with the escapes of tally report --format folded.
CREATE OR REPLACE MACRO hidden_characters() AS
    '[;\x00-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{feff}\x{fff9}-\x{fffb}\x{e0000}-\x{e007f}]';
CREATE OR REPLACE MACRO folded_character(c) AS
    CASE WHEN NOT regexp_matches(c, hidden_characters()) THEN c
         WHEN c = chr(9) THEN '\t' WHEN c = chr(10) THEN '\n' WHEN c = chr(13) THEN '\r'
         WHEN ord(c) < 128 THEN printf('\x%02x', ord(c))
         ELSE printf('\u%04x', ord(c)) END;
CREATE OR REPLACE MACRO folded_name(name) AS
    CASE WHEN regexp_matches(name, hidden_characters())
         THEN array_to_string(list_transform(string_split(name, ''), lambda c: folded_character(c)), '')
         ELSE name END;

-- The stack of samples without an address.
INSERT INTO functions SELECT function_id(NULL, NULL), '[unknown]', ''
    WHERE NOT EXISTS (SELECT 1 FROM functions WHERE id = function_id(NULL, NULL));
INSERT INTO stacks SELECT -1, [], [function_id(NULL, NULL)], 'unknown'
    WHERE NOT EXISTS (SELECT 1 FROM stacks WHERE stack = -1);
