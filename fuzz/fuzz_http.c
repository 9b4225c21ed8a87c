/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP requests: the input is what a client sends. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "http/http_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_valid(const struct tally_http_request *request, const char *bytes, size_t size)
{
	int quality = tally_http_request_accepts(request, "text/plain", "0.0.4");

	if (quality < -1 || quality > 1000 || !request->path_len || request->path[0] != '/' ||
	    request->path < bytes || request->path + request->path_len > bytes + size)
		abort();
	(void)tally_http_request_is_local(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy, so that ASan detects a read after the last byte. */
	char *bytes = calloc(1, size ? size : 1);
	struct tally_http_request request, early;
	int ret;

	if (!bytes)
		return 0;
	if (size)
		memcpy(bytes, data, size);
	ret = tally_http_request_parse(bytes, size, &request);
	if (size >= TALLY_HTTP_HEAD_MAX && ret)
		abort();
	if (!ret && request.status == TALLY_HTTP_OK)
		check_valid(&request, bytes, size);
	/* A request that is complete does not depend on the bytes that follow. */
	for (size_t len = 0; len < TALLY_MIN(size, (size_t)256); len++) {
		if (!tally_http_request_parse(bytes, len, &early) &&
		    (ret || early.status != request.status))
			abort();
	}
	free(bytes);
	return 0;
}
