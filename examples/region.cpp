// SPDX-License-Identifier: BSD-2-Clause
// Regions that end with their blocks.
//
//	c++ region.cpp $(pkg-config --cflags --libs tally)
#include <algorithm>
#include <cstdio>
#include <vector>

#include <tally/region.hpp>

int main()
{
	tally::regions regions("task-clock:u");
	std::vector<unsigned> numbers;
	{
		tally::region fill(regions, "fill");
		for (unsigned i = 0; i < 1000000; i++)
			numbers.push_back(i * 2654435761u);
	}
	{
		tally::region sort(regions, "sort");
		std::sort(numbers.begin(), numbers.end());
	}
	if (regions.error()) {
		std::printf("not counted: %d\n", regions.error());
		return 1;
	}
	for (size_t i = 0; i < tally_regions_nr(regions.get()); i++) {
		tally_region region;
		tally_count count;
		tally_regions_get(regions.get(), i, &region);
		tally_regions_count(regions.get(), i, 0, &count);
		std::printf("%s: %llu ns, %s\n", region.name,
			    static_cast<unsigned long long>(count.value),
			    tally_quality_name(count.quality));
	}
	return 0;
}
