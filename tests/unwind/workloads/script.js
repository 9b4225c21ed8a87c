// SPDX-License-Identifier: BSD-2-Clause
// Interpreted, compiled and compiled again; built-in functions that call back; garbage; exceptions; regular expressions.
const rounds = Number(process.argv[2] || 30);
function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
function throws(depth) {
	if (!depth)
		throw new Error("on purpose");
	return throws(depth - 1) + 1;
}
let sum = 0;
for (let i = 0; i < rounds; i++) {
	sum += fib(18);
	const list = Array.from({length: 2000}, (_, k) => ({key: String((k * 7919) % 2003), value: k}));
	list.sort((a, b) => a.key < b.key ? -1 : 1);
	sum += list.map(x => x.value).filter(x => x % 3).reduce((a, b) => a + b, 0);
	sum += JSON.parse(JSON.stringify(list)).length;
	sum += list.map(x => x.key).join(",").replace(/(\d+),(\d)/g, (_, a, b) => b + a).length;
	try {
		throws(20);
	} catch (error) {
		sum += error.stack.length;
	}
}
console.log(sum);
