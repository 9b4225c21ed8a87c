// SPDX-License-Identifier: BSD-2-Clause
// Regions of tally/region.h that end with their blocks, for C++11 and later. Header only.
//
//	tally::regions regions("cycles,instructions");
//	{
//		tally::region parse(regions, "parse");
//		...
//	}
#ifndef TALLY_REGION_HPP
#define TALLY_REGION_HPP

#include "tally/region.h"

namespace tally
{

// The regions of a thread. If they cannot be opened, nothing is counted and error() returns the
// reason.
class regions
{
      public:
	explicit regions(const char *events = nullptr,
			 const tally_regions_options *options = nullptr) noexcept
	{
		error_ = tally_regions_open(events, options, &regions_, nullptr);
	}
	~regions()
	{
		tally_regions_close(regions_);
	}
	regions(const regions &) = delete;
	regions &operator=(const regions &) = delete;

	/* Return 0, or the error of tally_regions_open(). */
	int error() const noexcept
	{
		return error_;
	}
	/* Return the object of tally/region.h, or NULL if it could not be opened. */
	tally_regions *get() const noexcept
	{
		return regions_;
	}

      private:
	tally_regions *regions_ = nullptr;
	int error_ = 0;
};

/* A region that ends with its block. */
class region
{
      public:
	region(regions &all, const char *name) noexcept : regions_(all.get())
	{
		tally_region_start(regions_, name);
	}
	~region()
	{
		tally_region_stop(regions_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	tally_regions *regions_;
};

} // namespace tally

#endif
