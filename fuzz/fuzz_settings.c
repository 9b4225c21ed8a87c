/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration files: the input up to the first NUL is the text. */
#include <stdlib.h>
#include <string.h>

#include "cli/main/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_settings settings = {0};
	char *text = strndup((const char *)data, size);
	bool value;

	if (!text)
		return 0;
	if (!tally_settings_parse(&settings, text, "file", false, NULL)) {
		tally_vec_for_each (setting, &settings.all) {
			const char *dot = strchr(setting->name, '.');

			if (!dot || !setting->line || !tally_settings_get(&settings, setting->name))
				abort();
			(void)tally_settings_bool(setting->value, &value);
		}
	}
	tally_settings_free(&settings);
	free(text);
	return 0;
}
