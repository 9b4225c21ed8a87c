// SPDX-License-Identifier: BSD-2-Clause
// Exceptions through frames that have something to clean up.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static volatile unsigned sink;

struct guard {
	std::string text;
	explicit guard(unsigned n) : text(40, static_cast<char>('a' + n % 26))
	{
	}
	~guard()
	{
		sink = sink + text.size();
	}
};

__attribute__((noinline)) static unsigned down(unsigned depth, unsigned n)
{
	guard here(n);

	if (!depth)
		throw std::runtime_error("at the bottom " + std::to_string(n));
	return down(depth - 1, n) + here.text.size();
}

__attribute__((noinline)) static unsigned rethrow(unsigned n)
{
	try {
		return down(6, n);
	} catch (const std::runtime_error &error) {
		sink = sink + error.what()[0];
		throw;
	}
}

__attribute__((noinline)) static void once(unsigned n)
{
	std::vector<std::string> lines(4, "line");

	try {
		rethrow(n);
	} catch (const std::exception &error) {
		sink = sink + lines.size();
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 10000;

	for (unsigned i = 0; i < rounds; i++)
		once(i);
}
