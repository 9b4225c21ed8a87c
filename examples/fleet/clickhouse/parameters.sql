-- SPDX-License-Identifier: BSD-2-Clause
-- Parameters of load.sql and of the queries. Change them here, or with SET later in the same session. clickhouse-client
-- also has options for them: --param_event cycles.

SET param_dir = 'fleet';              -- directory that tally export writes to
SET param_load_date = '*';            -- load only this date, such as 2026-11-29

SET param_event = 'cycles';           -- all queries: weights of different events cannot be added
SET param_first_date = '2000-01-01';  -- all queries: first and last date of the recordings
SET param_last_date = '2100-01-01';
SET param_row_limit = '30';           -- 1, 4: number of rows
SET param_function = 'malloc';        -- 4: function whose callers are shown
SET param_module = 'libc.so.6';       -- 5: last part of the library's path
SET param_old_version = '1';          -- 2, 6: values of the label `version`
SET param_new_version = '2';
SET param_least_share = '0.1';        -- 2, 3, 6: ignore functions below this share (percent)
SET param_least_change = '1.0';       -- 2: ignore smaller changes (percent of the old share)
SET param_significance = '0.001';     -- 2: probability of one or more false rows
SET param_least_z = '8.0';            -- 3: distance from the median host, in standard deviations
SET param_host = 'localhost';         -- 9, 10: a host; 9: '' for all hosts
