// SPDX-License-Identifier: BSD-2-Clause
// Counters in a benchmark of Google's library (libbenchmark-dev): each result has the events of an
// iteration, in the columns of its user counters.
//
//	c++ benchmark.cpp $(pkg-config --cflags --libs tally benchmark) && ./a.out
#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>

#include <tally/region.hpp>

// Counts events from its construction to its end, and adds them to a benchmark's counters. Events
// that were not counted are left out: they have no value.
class counted
{
      public:
	counted(benchmark::State &state, const char *events) : state_(state), regions_(events)
	{
		tally_region_start(regions_.get(), "benchmark");
	}
	~counted()
	{
		tally_regions *regions = regions_.get();

		tally_region_stop(regions);
		for (std::size_t i = 0; regions && i < tally_regions_nr_events(regions); i++) {
			tally_count count;

			if (tally_regions_count(regions, 0, i, &count) ||
			    count.quality > TALLY_QUALITY_SCALED)
				continue;
			state_.counters[tally_regions_event(regions, i)] =
				benchmark::Counter(static_cast<double>(tally_count_scaled(&count)),
						   benchmark::Counter::kAvgIterations);
		}
	}

      private:
	benchmark::State &state_;
	tally::regions regions_;
};

static void sort_numbers(benchmark::State &state)
{
	std::vector<unsigned> numbers(static_cast<std::size_t>(state.range(0)));
	counted events(state, "instructions:u,cycles:u,task-clock:u,faults:u");

	for (auto _ : state) {
		unsigned next = 1;

		for (unsigned &number : numbers)
			number = next = next * 1664525 + 1013904223;
		std::sort(numbers.begin(), numbers.end());
		benchmark::DoNotOptimize(numbers.data());
	}
}
BENCHMARK(sort_numbers)->Arg(1000)->Arg(10000);

BENCHMARK_MAIN();
