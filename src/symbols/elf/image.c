/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arith.h"
#include "symbols/elf/unpack.h"

/* Build-ids can be truncated in old perf.data files, or in files with xxhash IDs. A match of 8
 * bytes is not a coincidence. */
enum { BUILD_ID_LEAST = 8 };

bool tally_build_id_equal(const struct tally_build_id *a, const struct tally_build_id *b)
{
	size_t len = TALLY_MIN(a->size, b->size);

	if (a->size != b->size && len < BUILD_ID_LEAST)
		return false;
	return len && !memcmp(a->id, b->id, len);
}

static int image_check(struct tally_image *image, const uint8_t *data, size_t len,
		       const struct tally_build_id *want)
{
	int ret = tally_elf_open(data, len, &image->elf, NULL);

	if (ret)
		return ret == -EINVAL ? -EBADMSG : ret;
	if (!image->copy)
		image->elf.file = image->map;
	if (tally_elf_image_build_id(data, len, image->build_id.id, &image->build_id.size))
		image->build_id.size = 0;
	if (want && want->size && !tally_build_id_equal(want, &image->build_id))
		return -ESTALE;
	return 0;
}

static int image_unpack(struct tally_image *image, size_t *ret_len)
{
	int ret = tally_unpack(image->map.data, image->map.len, &image->copy, ret_len);

	return ret == -EINVAL ? -EBADMSG : ret;
}

enum packed { UNPACK, REFUSE };

/* Make an image from a mapped file. Takes ownership of `image`, even on failure. */
static int image_init_mapped(struct tally_image image, const struct tally_build_id *want,
			     enum packed packed, struct tally_image *ret_image)
{
	size_t len = image.map.len;
	int ret = 0;

	if (tally_is_packed(image.map.data, image.map.len))
		ret = packed == UNPACK ? image_unpack(&image, &len) : -ENOEXEC;
	if (!ret)
		ret = image_check(&image, image.copy ? image.copy : image.map.data, len, want);
	if (tally_file_map_check(&image.map))
		ret = -EIO; /* overrides any other error */
	if (ret)
		tally_image_free(&image);
	else
		*ret_image = image;
	return ret;
}

static int image_open(const char *path, const struct tally_build_id *want, enum packed packed,
		      struct tally_image *ret_image)
{
	struct tally_image image = {0};
	int ret = tally_file_map(path, &image.map);

	if (ret)
		return ret == -EINVAL ? -ENOEXEC : ret;
	image.path = strdup(path);
	if (!image.path) {
		tally_image_free(&image);
		return -ENOMEM;
	}
	return image_init_mapped(image, want, packed, ret_image);
}

int tally_image_open(const char *path, const struct tally_build_id *want,
		     struct tally_image *ret_image)
{
	return image_open(path, want, UNPACK, ret_image);
}

int tally_image_open_plain(const char *path, const struct tally_build_id *want,
			   struct tally_image *ret_image)
{
	return image_open(path, want, REFUSE, ret_image);
}

int tally_image_open_fd(int fd, const struct tally_build_id *want, struct tally_image *ret_image)
{
	struct tally_image image = {0};
	struct stat st;
	int ret = fstat(fd, &st) ? -errno : 0;

	if (!ret)
		ret = st.st_size ? tally_file_map_fd(fd, (size_t)st.st_size, &image.map) : -ENOEXEC;
	return ret ? ret : image_init_mapped(image, want, REFUSE, ret_image);
}

int tally_image_adopt(uint8_t *data, size_t len, const struct tally_build_id *want,
		      struct tally_image *ret_image)
{
	struct tally_image image = {.copy = data};
	int ret = image_check(&image, data, len, want);

	if (ret)
		tally_image_free(&image);
	else
		*ret_image = image;
	return ret;
}

void tally_image_free(struct tally_image *image)
{
	if (!image)
		return;
	tally_file_unmap(&image->map);
	free(image->copy);
	free(image->path);
	*image = (struct tally_image){0};
}
