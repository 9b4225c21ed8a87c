# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of ten kinds for agreement.py. Each function records into the given directory and returns the path of the
recording, or skips the test."""
import atexit
import os
import sys

import machine
import steps
import tap
from exported import PROGRAM as THREADS

RATE = ("-e", "cpu-clock", "-F", "2000", "-g")

C = r"""
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sink;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static unsigned long mix(unsigned long n) { return n * 6364136223846793005ul + 1442695040888963407ul; }
static __attribute__((noinline)) void fill(int *words, int nr, unsigned long seed)
{
	for (int i = 0; i < nr; i++)
		words[i] = (int)((seed = mix(seed)) >> 40);
}
__attribute__((noinline)) unsigned long fold(const int *words, int nr)
{
	unsigned long sum = 0;
	for (int round = 0; round < 100; round++)
		for (int i = 0; i < nr; i++)
			sum = mix(sum + words[i]);
	return sum;
}
int main(void)
{
	enum { NR = 20000 };
	int *words = malloc(NR * sizeof(*words)), *copy = malloc(NR * sizeof(*words));
	for (int round = 0; round < 200; round++) {
		fill(words, NR, round);
		for (int i = 0; i < 50; i++)
			memcpy(copy, words, NR * sizeof(*words));
		qsort(words, NR, sizeof(*words), compare);
		sink += fold(words, NR) + copy[7];
	}
}
"""

CXX = r"""
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
namespace shop {
namespace {
struct Item {
	std::string name;
	unsigned long price;
	bool operator<(const Item &other) const { return price != other.price ? price < other.price : name < other.name; }
};
template <typename T, typename Compare = std::less<T>> struct Ranking {
	std::vector<T> all;
	void add(const T &one) { all.push_back(one); }
	const T &best() { std::sort(all.begin(), all.end(), Compare()); return all.front(); }
};
template <typename Map> __attribute__((noinline)) unsigned long count_words(Map &map, const std::vector<std::string> &words)
{
	for (const auto &word : words)
		map[word] += word.size();
	return map.size();
}
__attribute__((noinline)) unsigned long price_of(int n)
{
	unsigned long sum = n;
	for (int i = 0; i < 30; i++)
		sum = sum * 7919 % 1009;
	return sum;
}
__attribute__((noinline)) unsigned long price_of(const std::string &name)
{
	unsigned long sum = 0;
	for (char c : name)
		sum = sum * 31 + c;
	return sum % 1009;
}
}
}
int main()
{
	std::vector<std::string> words;
	unsigned long sum = 0;
	for (int i = 0; i < 3000; i++)
		words.push_back("a word that is not small " + std::to_string(i * 7919 % 1009));
	for (int round = 0; round < 500; round++) {
		std::unordered_map<std::string, unsigned long> hashed;
		std::map<std::string, unsigned long, std::less<>> sorted;
		shop::Ranking<shop::Item> ranking;
		std::vector<std::unique_ptr<shop::Item>> held;
		sum += shop::count_words(hashed, words) + shop::count_words(sorted, words);
		for (size_t i = 0; i < words.size(); i += 3)
			ranking.add({words[i], shop::price_of((int)i) + shop::price_of(words[i])});
		sum += ranking.best().price;
		for (const auto &one : ranking.all)
			held.push_back(std::make_unique<shop::Item>(one));
		sum += std::accumulate(held.begin(), held.end(), 0ul, [](unsigned long n, const auto &one) { return n + one->price; });
	}
	return sum == 1;
}
"""

RUST = r"""
use std::collections::{BTreeMap, HashMap};
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item { price: u64, name: String }
trait Priced { fn price(&self) -> u64; }
impl Priced for Item {
    #[inline(never)]
    fn price(&self) -> u64 { self.name.bytes().fold(self.price, |sum, byte| sum.wrapping_mul(31) + byte as u64) }
}
mod words {
    #[inline(never)]
    pub fn all(round: u64) -> Vec<String> { (0..2000u64).map(|i| format!("a word {}", (i * 7919 + round) % 1009)).collect() }
}
#[inline(never)]
fn total<T: Priced>(items: &[T]) -> u64 { items.iter().map(Priced::price).fold(0, u64::wrapping_add) }
fn main() {
    let mut sum = 0u64;
    for round in 0..600 {
        let words = words::all(round);
        let mut hashed: HashMap<&str, usize> = HashMap::new();
        let mut sorted: BTreeMap<String, usize> = BTreeMap::new();
        for word in &words {
            *hashed.entry(word).or_default() += 1;
            *sorted.entry(word.clone()).or_insert(0) += 1;
        }
        let mut items: Vec<Item> = sorted.iter().map(|(name, n)| Item { price: *n as u64, name: name.clone() }).collect();
        items.sort_by(|a, b| b.cmp(a));
        sum = sum.wrapping_add(total(&items)).wrapping_add(hashed.len() as u64);
    }
    println!("{}", sum);
}
"""

GO = r"""
package main

import (
	"fmt"
	"sort"
	"strings"
)

type item struct {
	name  string
	price int
}

type byPrice []item

func (all byPrice) Len() int           { return len(all) }
func (all byPrice) Swap(i, j int)      { all[i], all[j] = all[j], all[i] }
func (all byPrice) Less(i, j int) bool { return all[i].price < all[j].price }

func largest(all []item, less func(a, b item) bool) item {
	best := all[0]
	for _, one := range all {
		if less(best, one) {
			best = one
		}
	}
	return best
}

func main() {
	sum := 0
	for round := 0; round < 500; round++ {
		counts := map[string]int{}
		for i := 0; i < 2000; i++ {
			counts[strings.ToUpper(fmt.Sprintf("word %d", i*7919%1009))] += i
		}
		all := byPrice{}
		for name, price := range counts {
			all = append(all, item{name, price})
		}
		sort.Sort(all)
		done := make(chan int)
		go func() { done <- largest(all, func(a, b item) bool { return a.name < b.name }).price }()
		sum += <-done
	}
	fmt.Println(sum)
}
"""

NODE = r"""
class Item { constructor(name, price) { this.name = name; this.price = price; } worth() { return this.price * 31 % 1009; } }
function words(round) { return Array.from({length: 2000}, (_, i) => `a word ${(i * 7919 + round) % 1009}`); }
function count(words) { const map = new Map(); for (const word of words) map.set(word, (map.get(word) || 0) + 1); return map; }
function total(items) { return items.reduce((sum, item) => sum + item.worth(), 0); }
let sum = 0;
for (let round = 0; round < 1000; round++) {
	const items = [...count(words(round))].map(([name, price]) => new Item(name, price));
	items.sort((a, b) => b.price - a.price || (a.name < b.name ? -1 : 1));
	sum += total(items) + JSON.parse(JSON.stringify(items)).length;
}
console.log(sum);
"""

PYTHON = r"""
import json
def words(number): return [f"a word {(i * 7919 + number) % 1009}" for i in range(2000)]
def count(all):
    found = {}
    for word in all:
        found[word] = found.get(word, 0) + 1
    return found
for number in range(300):
    items = sorted(count(words(number)).items(), key=lambda item: (-item[1], item[0]))
    json.loads(json.dumps(items))
"""

KERNEL = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	static char words[1 << 16];
	int zero = open("/dev/zero", O_RDONLY), random = open("/dev/urandom", O_RDONLY);
	for (int i = 0; i < 3000; i++) {
		char *map = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int at = 0; at < 1 << 20; at += 1 << 14)
			map[at] = 1;
		munmap(map, 1 << 20);
		for (int round = 0; round < 8; round++)
			if (read(zero, words, sizeof(words)) < 0 || read(random, words, 1 << 11) < 0)
				return 1;
	}
}
"""

# By language: source file, source, and the command, which the path of the program or of the script follows.
COMPILED = {
    "rust": ("work.rs", RUST, ["rustc", "-g", "-O", "-C", "force-frame-pointers=yes", "-o"]),
    "go": ("work.go", GO, ["go", "build", "-o"]),
}
SCRIPTS = {
    "node": ("work.js", NODE, ["node", "--perf-basic-prof", "--interpreted-frames-native-stack"]),
    "python": ("work.py", PYTHON, [sys.executable, "-S"]),
}


def write(path, source):
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    return path


def built(where, source, *flags, compiler="gcc"):
    suffix = ".cc" if compiler == "g++" else ".c"
    program = os.path.join(where, "work")
    return steps.build(program, source, *flags, "-fno-omit-frame-pointer", compiler=compiler, file=program + suffix)


def recorded(where, *command, options=()):
    return steps.record(os.path.join(where, "perf.data"), "-q", *RATE, *options, "--", *command, cwd=where)


def compiled(where, language):
    """Record a compiled program, or skip the test if there is no compiler."""
    name, source, command = COMPILED[language]
    program = os.path.join(where, "work")
    words = [*command, program, write(os.path.join(where, name), source)]
    home = {**os.environ, "HOME": where, "GOCACHE": os.path.join(where, "cache")} if language == "go" else None
    reason = machine.why_not(words, **({"env": home} if home else {}))
    if reason:
        raise tap.Skip(f"{command[0]} builds nothing here: {reason}")
    return recorded(where, program)


def scripted(where, language):
    """Record an interpreter that runs a script."""
    name, source, command = SCRIPTS[language]
    words = [*command, write(os.path.join(where, name), source)]
    machine.need_tool(command[0], "--version")
    return recorded(where, *words)


def node(where):
    """Record Node.js. It writes the map of its JIT code to /tmp, named after its PID."""
    path = scripted(where, "node")
    for pid in set(tap.run(steps.tally(), "script", "-i", path, "-F", "pid", status=0).stdout.split()):
        atexit.register(lambda map_of=f"/tmp/perf-{pid}.map": os.path.exists(map_of) and os.unlink(map_of))
    return path


def system_wide(where):
    machine.need_system_wide()
    machine.need_kernel_events()
    return recorded(where, built(where, THREADS, "-g", "-O0", "-pthread"), options=["-a"])


def kernel(where):
    machine.need_kernel_events()
    machine.need_kernel_symbols()
    return recorded(where, built(where, KERNEL, "-g", "-O2"))


KINDS = {
    "c": lambda where: recorded(where, built(where, C, "-g", "-O2")),
    "cxx": lambda where: recorded(where, built(where, CXX, "-g", "-O2", compiler="g++")),
    "rust": lambda where: compiled(where, "rust"),
    "go": lambda where: compiled(where, "go"),
    "node": node,
    "python": lambda where: scripted(where, "python"),
    "threads": lambda where: recorded(where, built(where, THREADS, "-g", "-O0", "-pthread")),
    "kernel": kernel,
    "stripped": lambda where: recorded(where, built(where, CXX, "-O2", "-s", compiler="g++")),
    "all_cpus": system_wide,
}
