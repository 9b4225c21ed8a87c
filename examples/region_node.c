/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module for Node.js that counts events in regions (region.js uses it). It needs only the headers
 * of Node.js: Node-API is the same in all versions since Node.js 12.
 *
 *	cc -shared -fPIC region_node.c -I/usr/include/node $(pkg-config --cflags --libs tally) \
 *		-o region.node
 */
#include <node_api.h>
#include <tally/region.h>

/* Longer names are cut here, to a length that the library rejects. */
enum { NAME_SIZE = TALLY_REGIONS_NAME_MAX + 2 };

static void close_regions(napi_env env, void *regions, void *hint)
{
	(void)env;
	(void)hint;
	tally_regions_close(regions);
}

/* Get the arguments of a function: regions, and a text if `text` is not NULL. Returns NULL after
 * throwing an exception if they are wrong. */
static struct tally_regions *get_arguments(napi_env env, napi_callback_info info, char *text)
{
	napi_value args[2];
	size_t nr = 2, len;
	void *regions;

	if (napi_get_cb_info(env, info, &nr, args, NULL, NULL) == napi_ok &&
	    napi_get_value_external(env, args[0], &regions) == napi_ok &&
	    (!text || napi_get_value_string_utf8(env, args[1], text, NAME_SIZE, &len) == napi_ok))
		return regions;
	napi_throw_type_error(env, NULL, "regions, and the name of a region, are required");
	return NULL;
}

/* open(events): open counters for this thread. */
static napi_value open_regions(napi_env env, napi_callback_info info)
{
	struct tally_regions_error why = {0};
	struct tally_regions *regions;
	char events[4096];
	napi_value arg, result;
	size_t nr = 1, len;

	if (napi_get_cb_info(env, info, &nr, &arg, NULL, NULL) != napi_ok ||
	    napi_get_value_string_utf8(env, arg, events, sizeof(events), &len) != napi_ok) {
		napi_throw_type_error(env, NULL, "the names of events are required");
		return NULL;
	}
	if (tally_regions_open(events, NULL, &regions, &why)) {
		napi_throw_error(env, NULL, "the events cannot be counted");
		return NULL;
	}
	if (napi_create_external(env, regions, close_regions, NULL, &result) != napi_ok) {
		tally_regions_close(regions);
		return NULL;
	}
	return result;
}

/* start(regions, name) */
static napi_value start(napi_env env, napi_callback_info info)
{
	char name[NAME_SIZE];
	struct tally_regions *regions = get_arguments(env, info, name);

	if (regions && tally_region_start(regions, name))
		napi_throw_error(env, NULL, "the region cannot be started");
	return NULL;
}

/* stop(regions) */
static napi_value stop(napi_env env, napi_callback_info info)
{
	struct tally_regions *regions = get_arguments(env, info, NULL);

	if (regions && tally_region_stop(regions))
		napi_throw_error(env, NULL, "no region was started");
	return NULL;
}

/* Add the members of one count: region, event, value (a BigInt) and quality. */
static napi_value make_count(napi_env env, const struct tally_regions *regions, size_t region,
			     size_t event)
{
	napi_value result, name, event_name, value, quality;
	struct tally_region named;
	struct tally_count count;

	tally_regions_get(regions, region, &named);
	tally_regions_count(regions, region, event, &count);
	napi_create_object(env, &result);
	napi_create_string_utf8(env, named.name, NAPI_AUTO_LENGTH, &name);
	napi_create_string_utf8(env, tally_regions_event(regions, event), NAPI_AUTO_LENGTH,
				&event_name);
	napi_create_bigint_uint64(env, tally_count_scaled(&count), &value);
	napi_create_string_utf8(env, tally_quality_name(count.quality), NAPI_AUTO_LENGTH, &quality);
	napi_set_named_property(env, result, "region", name);
	napi_set_named_property(env, result, "event", event_name);
	napi_set_named_property(env, result, "value", value);
	napi_set_named_property(env, result, "quality", quality);
	return result;
}

/* counts(regions): return the counts of all regions and events. */
static napi_value counts(napi_env env, napi_callback_info info)
{
	struct tally_regions *regions = get_arguments(env, info, NULL);
	uint32_t nr = 0;
	napi_value all;

	if (!regions || napi_create_array(env, &all) != napi_ok)
		return NULL;
	for (size_t region = 0; region < tally_regions_nr(regions); region++)
		for (size_t event = 0; event < tally_regions_nr_events(regions); event++)
			napi_set_element(env, all, nr++, make_count(env, regions, region, event));
	return all;
}

NAPI_MODULE_INIT()
{
	static const struct {
		const char *name;
		napi_callback call;
	} functions[] = {
		{"open", open_regions}, {"start", start}, {"stop", stop}, {"counts", counts}};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		napi_value function;

		napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call,
				     NULL, &function);
		napi_set_named_property(env, exports, functions[i].name, function);
	}
	return exports;
}
