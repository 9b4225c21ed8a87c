/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/candidates.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arith.h"
#include "symbols/dso_path.h"

enum { CRC_MAX = INT32_MAX };

/* Add the path in `str` to the list, and clear `str`. */
static int places_add(struct tally_places *places, struct tally_str *str,
		      enum tally_dso_source source, bool check_crc)
{
	struct tally_place place = {.source = source, .check_crc = check_crc};
	int ret = tally_str_error(str);

	if (ret)
		return ret;
	place.path = strdup(tally_str_text(str));
	tally_str_clear(str);
	if (!place.path)
		return -ENOMEM;
	ret = tally_vec_push(&places->list, place);
	if (ret)
		free(place.path);
	return ret;
}

/* Append `above` and then the object's directory, with its trailing slash. */
static void add_folder(const struct tally_dso *dso, struct tally_str *str, const char *above)
{
	const char *slash = strrchr(dso->name, '/');

	tally_dso_add_path(dso, str, above);
	if (slash)
		tally_str_add_bytes(str, dso->name, (size_t)(slash - dso->name) + 1);
	else
		tally_str_add_char(str, '/');
}

const char *tally_places_debuglink(const struct tally_elf *elf, uint32_t *ret_crc)
{
	const char *name;

	return tally_elf_debuglink(elf, &name, ret_crc) || strchr(name, '/') ? NULL : name;
}

static int add_debuglink(const struct tally_dso *dso, const char *name, struct tally_places *places,
			 struct tally_str *str)
{
	const char *const *dirs = dso->owner->options.debug_dirs;
	const char *own_name = strrchr(dso->name, '/');
	int ret = 0;

	if (!name)
		return 0;
	if (!own_name || strcmp(own_name + 1, name)) {
		add_folder(dso, str, "");
		tally_str_add(str, name);
		ret = places_add(places, str, TALLY_DSO_SOURCE_DEBUGFILE, true);
	}
	if (!ret) {
		add_folder(dso, str, "");
		tally_str_add(str, ".debug/");
		tally_str_add(str, name);
		ret = places_add(places, str, TALLY_DSO_SOURCE_DEBUGFILE, true);
	}
	for (; *dirs && !ret; dirs++) {
		add_folder(dso, str, *dirs);
		tally_str_add(str, name);
		ret = places_add(places, str, TALLY_DSO_SOURCE_DEBUGFILE, true);
	}
	return ret;
}

/* Add the paths in perf's cache: "elf" or "vdso" in a directory named after the build ID. In old
 * caches, the build ID names the file itself. */
static int add_cache(const struct tally_dso *dso, const struct tally_build_id *id,
		     struct tally_places *places, struct tally_str *str)
{
	static const char *const names[] = {"/elf", "/vdso", "", "/debug"};
	const char *dir = dso->owner->options.buildid_dir;
	int ret = 0;

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(names[0]) && !ret; i++) {
		if (!tally_build_id_add_path(id, dir, str))
			break;
		tally_str_add(str, names[i]);
		ret = places_add(places, str, TALLY_DSO_SOURCE_BUILDID, false);
	}
	return ret;
}

static int add_debug_dirs(const struct tally_dso *dso, const struct tally_build_id *id,
			  struct tally_places *places, struct tally_str *str)
{
	const char *const *dirs = dso->owner->options.debug_dirs;
	int ret = 0;

	for (; *dirs && !ret && id->size >= 2; dirs++) {
		tally_dso_add_path(dso, str, "");
		tally_build_id_add_path(id, *dirs, str);
		tally_str_add(str, ".debug");
		ret = places_add(places, str, TALLY_DSO_SOURCE_DEBUGFILE, false);
	}
	return ret;
}

static int add_fetched(const struct tally_dso *dso, const struct tally_build_id *id,
		       enum tally_dso_source source, struct tally_places *places,
		       struct tally_str *str)
{
	const char *dir = dso->owner->options.fetched_dir;

	if (!dir || !id->size)
		return 0;
	tally_str_addf(str, "%s/", dir);
	tally_str_add_hex_bytes(str, id->id, id->size);
	tally_str_add(str, "/debuginfo");
	return places_add(places, str, source, false);
}

int tally_places_user(const struct tally_dso *dso, const char *debuglink,
		      const struct tally_build_id *id, struct tally_places *ret_places)
{
	struct tally_places places = {0};
	struct tally_str str = {0};
	int ret = add_debuglink(dso, debuglink, &places, &str);

	if (!ret)
		ret = add_cache(dso, id, &places, &str);
	if (!ret)
		ret = add_debug_dirs(dso, id, &places, &str);
	if (!ret)
		ret = add_fetched(dso, id, TALLY_DSO_SOURCE_DEBUGFILE, &places, &str);
	tally_str_free(&str);
	if (ret)
		tally_places_free(&places);
	else
		*ret_places = places;
	return ret;
}

/* Paths at which distributions and developers install the kernel image. "@" is replaced by the
 * release, "#" by the image's directory in the build-id cache. */
static const char *const kernel_places[] = {
	"#/elf",
	"#/vmlinux",
	"vmlinux",
	"/boot/vmlinux",
	"/boot/vmlinux-@",
	"/usr/lib/debug/boot/vmlinux-@",
	"/lib/modules/@/build/vmlinux",
	"/usr/lib/debug/lib/modules/@/vmlinux",
	"/usr/lib/debug/boot/vmlinux-@.debug",
};

/* Append the path of a kernel image. Returns false if the release or build-id that the path
 * contains is unknown. */
static bool add_kernel_path(const struct tally_dso *dso, const char *place, const char *release,
			    struct tally_str *str)
{
	const char *at = strchr(place, '@');
	const char *dir = dso->owner->options.buildid_dir;

	if (*place == '#') {
		if (!dir || !tally_build_id_add_path(&dso->build_id, dir, str))
			return false;
		tally_str_add(str, place + 1);
		return true;
	}
	if (!at) {
		tally_dso_add_path(dso, str, place);
		return true;
	}
	if (!release)
		return false;
	tally_dso_add_path(dso, str, "");
	tally_str_add_bytes(str, place, (size_t)(at - place));
	tally_str_add(str, release);
	tally_str_add(str, at + 1);
	return true;
}

int tally_places_other(const struct tally_dso *dso, const struct tally_image *own,
		       struct tally_build_id *ret_id, uint32_t *ret_crc,
		       struct tally_places *ret_places)
{
	struct tally_build_id id = dso->build_id.size ? dso->build_id : own->build_id;
	uint32_t crc = 0;
	const char *link = own->elf.data ? tally_places_debuglink(&own->elf, &crc) : NULL;
	int ret = tally_places_user(dso, link, &id, ret_places);

	if (ret)
		return ret;
	*ret_id = id;
	*ret_crc = crc;
	return 0;
}

int tally_places_kernel(const struct tally_dso *dso, struct tally_places *ret_places)
{
	const struct tally_symbols *symbols = dso->owner;
	const char *release = symbols->release;
	struct tally_places places = {0};
	struct tally_str str = {0};
	struct utsname uts;
	int ret = 0;

	if (!release && symbols->origin == TALLY_SYMBOLS_HERE && !uname(&uts))
		release = uts.release;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kernel_places) && !ret; i++) {
		if (!symbols->options.ignore_vmlinux &&
		    add_kernel_path(dso, kernel_places[i], release, &str))
			ret = places_add(&places, &str, TALLY_DSO_SOURCE_VMLINUX, false);
	}
	if (!ret && !symbols->options.ignore_vmlinux)
		ret = add_fetched(dso, &dso->build_id, TALLY_DSO_SOURCE_VMLINUX, &places, &str);
	if (!ret && add_kernel_path(dso, "#/kallsyms", NULL, &str))
		ret = places_add(&places, &str, TALLY_DSO_SOURCE_KALLSYMS, false);
	tally_str_free(&str);
	if (ret)
		tally_places_free(&places);
	else
		*ret_places = places;
	return ret;
}

/* Return true if the CRC matches. A file that would take too long to check does not match. */
static bool crc_fits(const struct tally_image *image, uint32_t crc)
{
	return image->elf.len <= CRC_MAX &&
	       !tally_file_map_has_large_holes(&image->map, 0, image->map.len) &&
	       tally_elf_debuglink_crc(image->elf.data, image->elf.len) == crc;
}

int tally_place_open(const struct tally_place *place, const struct tally_build_id *id, uint32_t crc,
		     struct tally_image *ret_image)
{
	struct tally_image image;
	int ret = tally_image_open(place->path, id, &image);

	if (ret)
		return ret;
	if (place->check_crc && !id->size && !crc_fits(&image, crc)) {
		tally_image_free(&image);
		return -ESTALE;
	}
	*ret_image = image;
	return 0;
}

void tally_places_free(struct tally_places *places)
{
	tally_vec_for_each (place, &places->list)
		free(place->path);
	tally_vec_free(&places->list);
}
