/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the file that was mapped. If the process is in a container, its path for the file may name a
 * different file in our root, or none. While the process is running, the file is also accessible
 * below /proc/PID/root, to users with permission (the same user with the same privileges, or
 * CAP_SYS_PTRACE). The build-id, or else the inode, determines which of these two files was mapped.
 * If neither file matches, the mapped file was replaced or removed, and can only be opened through
 * links in procfs: /proc/PID/exe for the process's program and, for root, /proc/PID/map_files for
 * all mappings.
 *
 * Device numbers are only compared if both belong to disks. On overlayfs and btrfs, stat(2) and the
 * mapping report different device numbers: both are anonymous (e.g. 0:44 and 0:42) or, before Linux
 * 6.8, the mapping has the number of the underlying disk.
 */
#include "symbols/mapped_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/cache/index_sources.h"
#include "symbols/dso_path.h"
#include "symbols/load_errors.h"
#include "symbols/origin.h"
#include "symbols/pin_list.h"

/* Degree to which a file matches the recorded inode. */
enum inode_fit {
	INODE_OTHER,
	INODE_SAME_NUMBER, /* same inode number, but on an anonymous device (major 0) */
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

static int open_at(const struct tally_dso *dso, const char *path, struct tally_image *ret_image)
{
	if (dso->owner->options.no_unpack)
		return tally_image_open_plain(path, &dso->build_id, ret_image);
	return tally_image_open(path, &dso->build_id, ret_image);
}

static int open_here(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int ret;

	tally_dso_add_path(dso, &path, dso->name);
	ret = tally_str_error(&path);
	(void)tally_sources_add(dso->cached.sources, tally_str_text(&path));
	if (!ret)
		ret = open_at(dso, tally_str_text(&path), ret_image);
	tally_str_free(&path);
	return ret;
}

/* Return the process that last mapped the file, or 0 if its links in procfs cannot be used. */
static int dso_mapper(const struct tally_dso *dso)
{
	if (*dso->name != '/' || dso->owner->options.symfs ||
	    dso->owner->origin == TALLY_SYMBOLS_ELSEWHERE)
		return 0;
	return atomic_load(&dso->mapping.process);
}

/* Open a path in procfs that belongs to the process, and free the path. */
static int open_of_process(const struct tally_dso *dso, struct tally_str *path,
			   struct tally_image *ret_image)
{
	int ret = tally_str_error(path);

	if (!ret)
		ret = open_at(dso, tally_str_text(path), ret_image);
	if (!ret)
		tally_sources_mark_unfit(dso->cached.sources);
	tally_str_free(path);
	return ret;
}

/* Open the file in the process's root. Symbolic links in the path are resolved in that root. */
static int open_in_root_of_process(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int pid = dso_mapper(dso);

	if (pid <= 0)
		return -ENOENT;
	tally_str_addf(&path, "/proc/%d/root%s", pid, dso->name);
	return open_of_process(dso, &path, ret_image);
}

/* Open the target of a link in procfs. The file must match, because the pid may have been
 * reused. */
static int open_link(const struct tally_dso *dso, struct tally_str *path,
		     struct tally_image *ret_image)
{
	struct tally_image image;
	int ret = open_of_process(dso, path, &image);

	if (ret)
		return ret;
	if (!dso->build_id.size && !image_fit(dso, &image)) {
		tally_image_free(&image);
		return TALLY_DSO_ERROR_REPLACED;
	}
	*ret_image = image;
	return 0;
}

/* Return true if the error means that a link's target is not a program, e.g. JIT code in a
 * memfd. */
static bool is_not_a_program(int error)
{
	return error == -ENOEXEC || error == -EBADMSG;
}

/* Open the file through the kernel's links to it. Returns 0; the error from opening a target that
 * is not a program; or -ENOENT. */
static int open_linked(const struct tally_dso *dso, struct tally_image *ret_image)
{
	uint64_t start = atomic_load(&dso->mapping.start), end = atomic_load(&dso->mapping.end);
	struct tally_str path = {0};
	int pid = dso_mapper(dso), ret = -ENOENT;

	if (pid <= 0 || (!dso->build_id.size && !dso->inode.ino))
		return -ENOENT;
	if (end) {
		tally_str_addf(&path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
		ret = open_link(dso, &path, ret_image);
	}
	if (!ret || is_not_a_program(ret))
		return ret;
	tally_str_addf(&path, "/proc/%d/exe", pid);
	return open_link(dso, &path, ret_image) ? -ENOENT : 0;
}

/* Return the error for a file that was not found. If the recording is from this machine, the file
 * must have existed. */
static int missing_error(const struct tally_dso *dso)
{
	bool is_of_here = !dso->owner->options.symfs && dso->owner->origin == TALLY_SYMBOLS_HERE;

	return *dso->name == '/' && is_of_here ? TALLY_DSO_ERROR_REMOVED : -ENOENT;
}

/* Open a file that is identified only by its name. Prefer the file in our root, because the pid may
 * have been reused. */
static int open_by_name(const struct tally_dso *dso, struct tally_image *ret_image)
{
	int ret = open_here(dso, ret_image), other;

	if (!ret)
		return 0;
	other = open_in_root_of_process(dso, ret_image);
	return other ? tally_worse_error(ret, other) : 0;
}

/* Open the file in our root and the file in the process's root, and use the one that matches
 * better. If both match equally well, use the process's file. */
static int open_by_inode(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_image here = {0}, there = {0};
	int ret_here = open_here(dso, &here), ret_there = -ENOENT;
	enum inode_fit fit_here = ret_here ? INODE_OTHER : image_fit(dso, &here), fit_there;

	if (fit_here != INODE_SAME)
		ret_there = open_in_root_of_process(dso, &there);
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

int tally_dso_open_path(const struct tally_dso *dso, struct tally_image *ret_image)
{
	int ret = tally_dso_is_here(dso);

	if (ret) /* report a nonexistent file as missing, not as foreign */
		return access(dso->name, F_OK) ? -ENOENT : ret;
	/* If the origin of the recording is unknown, its inodes may be from another machine. */
	if (!dso->inode.ino || dso->build_id.size || dso->owner->options.symfs ||
	    dso->owner->origin != TALLY_SYMBOLS_HERE)
		return open_by_name(dso, ret_image);
	return open_by_inode(dso, ret_image);
}

/* Open the pinned file. If it is still the file at its path, the symbols can be indexed as if they
 * were read from that path. */
static int open_pinned(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_source_file named, pinned;
	struct tally_pins *pins = dso->owner->options.pins;
	int ret = pins ? tally_pins_open(pins, dso, ret_image) : -EAGAIN;

	if (ret)
		return ret;
	named = tally_source_file_stat(dso->name);
	pinned = tally_source_file_fstat(ret_image->map.fd);
	(void)tally_sources_add(dso->cached.sources, dso->name);
	if (memcmp(&named, &pinned, sizeof(named)))
		tally_sources_mark_unfit(dso->cached.sources);
	return 0;
}

/* Return true if the mapped file itself was overwritten, which can only be detected by its
 * mtime. */
static bool is_rewritten(const struct tally_dso *dso, const struct tally_image *image)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	struct stat st;

	return !dso->build_id.size && !options->symfs && options->recorded && dso->inode.ino &&
	       dso->owner->origin == TALLY_SYMBOLS_HERE && image_fit(dso, image) == INODE_SAME &&
	       !fstat(image->map.fd, &st) && st.st_mtime > options->recorded;
}

int tally_dso_open_own(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_image image;
	int ret = open_pinned(dso, ret_image), linked;

	if (ret != -EAGAIN)
		return ret;
	ret = tally_dso_open_path(dso, &image);
	if (ret) {
		linked = open_linked(dso, ret_image);
		if (!linked || ret != -ENOENT)
			return linked ? ret : 0;
		return linked == -ENOENT ? missing_error(dso) : linked;
	}
	if (is_rewritten(dso, &image)) {
		tally_image_free(&image);
		return TALLY_DSO_ERROR_CHANGED;
	}
	*ret_image = image;
	return 0;
}

/* Return true if the file still has the recorded contents. This is certain if a build-id was
 * recorded, or if the user named the files. Otherwise compare timestamps, because programs are
 * rebuilt and packages are upgraded. A different file at the path may have an old mtime (cp -p,
 * packages), but not an old ctime. For the recorded inode, use mtime: link and chmod change its
 * ctime, but not its contents. */
static bool is_unchanged(const struct tally_dso *dso, const struct tally_image *image)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	struct stat st;

	if (dso->build_id.size || options->symfs || !options->recorded)
		return true;
	if (fstat(image->map.fd, &st))
		return false;
	if (dso->inode.ino && image_fit(dso, image))
		return st.st_mtime <= options->recorded;
	return st.st_ctime <= options->recorded;
}

int tally_dso_open_unchanged(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_image image;
	int ret = tally_dso_open_own(dso, &image);

	if (ret)
		return ret;
	if (!is_unchanged(dso, &image)) {
		tally_image_free(&image);
		return TALLY_DSO_ERROR_CHANGED;
	}
	*ret_image = image;
	return 0;
}

int tally_dso_own_build_id(const struct tally_dso *dso, struct tally_build_id *ret_id)
{
	struct tally_pins *pins = dso->owner->options.pins;
	struct tally_image image;
	int ret;

	if (pins && !tally_pins_build_id(pins, dso, ret_id))
		return 0;
	ret = tally_dso_open_own(dso, &image);
	if (ret)
		return ret;
	if (image.build_id.size)
		*ret_id = image.build_id;
	else
		ret = -ENOENT;
	tally_image_free(&image);
	return ret;
}
