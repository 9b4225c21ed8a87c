-- SPDX-License-Identifier: BSD-2-Clause
-- Parameters of load.sql and of the queries. Change them here, or with SET VARIABLE later in the same session.

SET VARIABLE dir = 'fleet';              -- directory that tally export writes to
SET VARIABLE load_date = '*';            -- load only this date, such as 2026-11-29

SET VARIABLE event = 'cycles';           -- all queries: weights of different events cannot be added
SET VARIABLE first_date = '2000-01-01';  -- all queries: first and last date of the recordings
SET VARIABLE last_date = '2100-01-01';
SET VARIABLE row_limit = 30;             -- 1, 4: number of rows
SET VARIABLE function = 'malloc';        -- 4: function whose callers are shown
SET VARIABLE module = 'libc.so.6';       -- 5: last part of the library's path
SET VARIABLE old_version = '1';          -- 2, 6: values of the label `version`
SET VARIABLE new_version = '2';
SET VARIABLE least_share = 0.1;          -- 2, 3, 6: ignore functions below this share (percent)
SET VARIABLE least_change = 1.0;         -- 2: ignore smaller changes (percent of the old share)
SET VARIABLE significance = 0.001;       -- 2: probability of one or more false rows
SET VARIABLE least_z = 8.0;              -- 3: distance from the median host, in standard deviations
SET VARIABLE host = 'localhost';         -- 9, 10: a host; 9: '' for all hosts
