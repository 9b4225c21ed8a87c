// SPDX-License-Identifier: BSD-2-Clause
// Run SQL in an engine: node engine.js MODULES < JOB > RESULTS
//
// MODULES is the directory that scripts/fetch_engines.sh prints. JOB is {"engine": "duckdb" or "clickhouse", "database":
// path, "threads": number, "steps": [{"sql": text, "rows": bool}, ...]}. RESULTS has a line for each step: {"ms": time,
// "columns": [...], "rows": [[...], ...]}; 64-bit and larger integers are strings. A failed step ends the job with
// {"error": message}.
"use strict";
const fs = require("fs");
const path = require("path");

async function openDuckdb(modules, job) {
    const { DuckDBInstance } = require(path.join(modules, "@duckdb/node-api"));
    const instance = await DuckDBInstance.create(job.database, { threads: String(job.threads) });
    const connection = await instance.connect();
    await connection.run("SET preserve_insertion_order = false; SET autoinstall_known_extensions = false");
    return {
        async run(sql) { await connection.run(sql); },
        async rows(sql) {
            const reader = await connection.runAndReadAll(sql);
            return { columns: reader.columnNames(), rows: reader.getRowsJson() };
        },
        close() { connection.closeSync(); instance.closeSync(); },
    };
}

async function openClickhouse(modules, job) {
    const { Session } = require(path.join(modules, "chdb"));
    const session = new Session(job.database);
    session.query(`SET max_threads = ${job.threads}, output_format_json_quote_64bit_integers = 1`);
    return {
        async run(sql) { session.query(sql); },
        async rows(sql) {
            const lines = session.query(sql, "JSONCompactEachRowWithNames").trimEnd().split("\n").map(line => JSON.parse(line));
            return { columns: lines[0], rows: lines.slice(1) };
        },
        close() { session.close(); },
    };
}

async function main() {
    const job = JSON.parse(fs.readFileSync(0, "utf8"));
    const engine = await { duckdb: openDuckdb, clickhouse: openClickhouse }[job.engine](path.resolve(process.argv[2]), job);
    try {
        for (const step of job.steps) {
            const began = process.hrtime.bigint();
            const result = step.rows ? await engine.rows(step.sql) : await engine.run(step.sql);
            const ms = Number(process.hrtime.bigint() - began) / 1e6;
            fs.writeFileSync(1, JSON.stringify({ ms, ...result }) + "\n");
        }
    } catch (error) {
        fs.writeFileSync(1, JSON.stringify({ error: String(error.message ?? error) }) + "\n");
        process.exitCode = 1;
    } finally {
        engine.close();
    }
}

main();
