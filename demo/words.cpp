// SPDX-License-Identifier: BSD-2-Clause
// Counts the words of a file in several threads: templates, inlined functions, hashing, sorting.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using Counts = std::unordered_map<std::string, uint64_t>;

template <typename Visit> static inline void each_word(const std::string &line, Visit visit)
{
	size_t start = 0;

	for (size_t i = 0; i <= line.size(); i++) {
		if (i < line.size() && line[i] != '/' && line[i] != '.')
			continue;
		if (i > start)
			visit(line.substr(start, i - start));
		start = i + 1;
	}
}

static void count(const std::vector<std::string> &lines, size_t from, size_t step, Counts &counts)
{
	for (int round = 0; round < 4; round++) {
		for (size_t i = from; i < lines.size(); i += step)
			each_word(lines[i], [&](std::string word) { counts[std::move(word)]++; });
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	std::ifstream file(argv[1]);
	std::vector<std::string> lines;
	for (std::string line; std::getline(file, line);)
		lines.push_back(line);

	size_t threads = std::stoul(argv[2]);
	std::vector<Counts> counts(threads);
	std::vector<std::thread> pool;
	for (size_t i = 0; i < threads; i++)
		pool.emplace_back(count, std::cref(lines), i, threads, std::ref(counts[i]));
	for (auto &thread : pool)
		thread.join();

	std::vector<std::pair<uint64_t, std::string>> ranked;
	for (auto &part : counts)
		for (auto &entry : part)
			ranked.emplace_back(entry.second, entry.first);
	std::sort(ranked.rbegin(), ranked.rend());
	for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); i++)
		std::printf("%8llu %s\n", (unsigned long long)ranked[i].first,
			    ranked[i].second.c_str());
	return 0;
}
