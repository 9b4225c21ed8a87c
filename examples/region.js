// SPDX-License-Identifier: BSD-2-Clause

// Count events in a region of this program, with the module built from region_node.c.
//
//	node region.js ./region.node
'use strict';

const path = require('path');
const tally = require(path.resolve(process.argv[2] || './region.node'));

// Counters belong to the thread that opens them: the thread that runs JavaScript.
const regions = tally.open('task-clock:u,faults:u');

tally.start(regions, 'sort');
Array.from({ length: 100000 }, (_, i) => (i * 2654435761) % 1000003).sort((a, b) => a - b);
tally.stop(regions);

for (const { region, event, value, quality } of tally.counts(regions)) {
	console.log(`${region} ${event}: ${value}, ${quality}`);
}
