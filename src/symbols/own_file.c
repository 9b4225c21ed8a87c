/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that was mapped. A process in a container has another file under the same path, or one
 * where we have none: /proc/PID/root leads to its files while it runs, for who may (the same user
 * with the same rights, or CAP_SYS_PTRACE). Which of the two files was mapped the build-id tells,
 * else the inode.
 *
 * Inodes are compared, devices only where both are of disks: stat(2) tells overlayfs and btrfs by
 * device numbers that are not those of the map (0:44 for 0:42, both made up), or, before 6.8, those
 * of the disk below.
 */
#include "symbols/own_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/index_sources.h"
#include "symbols/load.h"

/* How well a file fits the inode that was recorded. */
enum inode_fit {
	INODE_OTHER,
	INODE_SAME_NUMBER, /* on a device that has no number of its own */
	INODE_SAME,
};

static enum inode_fit image_fit(const struct tally_dso *dso, const struct tally_image *image)
{
	struct stat st;

	if (!image->map.data || fstat(image->map.fd, &st) || st.st_ino != dso->inode.ino)
		return INODE_OTHER;
	if (major(st.st_dev) == dso->inode.maj && minor(st.st_dev) == dso->inode.min)
		return INODE_SAME;
	return major(st.st_dev) && dso->inode.maj ? INODE_OTHER : INODE_SAME_NUMBER;
}

static int open_here(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int ret;

	tally_dso_add_path(dso, &path, dso->name);
	ret = tally_str_error(&path);
	(void)tally_sources_look(dso, tally_str_text(&path));
	if (!ret)
		ret = tally_image_open(tally_str_text(&path), &dso->build_id, ret_image);
	tally_str_free(&path);
	return ret;
}

/* Links in the path are followed below the process's root. */
static int open_there(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int pid = atomic_load(&dso->mapper), ret;

	if (pid <= 0 || *dso->name != '/' || dso->owner->options.symfs ||
	    dso->owner->origin == TALLY_SYMBOLS_ELSEWHERE)
		return -ENOENT;
	tally_str_addf(&path, "/proc/%d/root", pid);
	tally_str_add(&path, dso->name);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_image_open(tally_str_text(&path), &dso->build_id, ret_image);
	if (!ret)
		tally_sources_refuse(dso); /* the path is the process's */
	tally_str_free(&path);
	return ret;
}

/* Where nothing but the name tells which file it was, the one here is taken first: the process may
 * be another by now. */
static int open_by_name(const struct tally_dso *dso, struct tally_image *ret_image)
{
	int ret = open_here(dso, ret_image), other;

	if (!ret)
		return 0;
	other = open_there(dso, ret_image);
	return other ? tally_worse_error(ret, other) : 0;
}

/* Open both, and take the one that fits better; the one there where they fit alike. */
static int open_by_inode(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_image here = {0}, there = {0};
	int ret_here = open_here(dso, &here), ret_there = -ENOENT;
	enum inode_fit fit_here = ret_here ? INODE_OTHER : image_fit(dso, &here), fit_there;

	if (fit_here != INODE_SAME)
		ret_there = open_there(dso, &there);
	fit_there = ret_there ? INODE_OTHER : image_fit(dso, &there);
	if (fit_there && fit_there >= fit_here) {
		tally_image_free(&here);
		*ret_image = there;
		return 0;
	}
	tally_image_free(&there);
	if (fit_here) {
		*ret_image = here;
		return 0;
	}
	tally_image_free(&here);
	if (!ret_here || !ret_there)
		return TALLY_DSO_ERROR_REPLACED;
	return tally_worse_error(ret_here, ret_there);
}

int tally_dso_open_own(const struct tally_dso *dso, struct tally_image *ret_image)
{
	int ret = tally_dso_is_here(dso);

	if (ret) /* what is not here is not the wrong one either */
		return access(dso->name, F_OK) ? -ENOENT : ret;
	/* Of a recording that does not say where it is from the inodes may be another machine's. */
	if (!dso->inode.ino || dso->build_id.size || dso->owner->options.symfs ||
	    dso->owner->origin != TALLY_SYMBOLS_HERE)
		return open_by_name(dso, ret_image);
	return open_by_inode(dso, ret_image);
}

int tally_dso_own_build_id(const struct tally_dso *dso, struct tally_build_id *ret_id)
{
	struct tally_image image;
	int ret = tally_dso_open_own(dso, &image);

	if (ret)
		return ret;
	if (image.build_id.size)
		*ret_id = image.build_id;
	else
		ret = -ENOENT;
	tally_image_free(&image);
	return ret;
}
