/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that was mapped. A process in a container has another file under the same path, or one
 * where we have none: /proc/PID/root leads to its files while it runs, for who may (the same user
 * with the same rights, or CAP_SYS_PTRACE). Which of the two files was mapped the build-id tells,
 * else the inode. If it is neither, it was replaced or removed, and only the kernel's links to what
 * is mapped still lead to it: that of a process's program, and for root those of all its maps.
 *
 * Inodes are compared, devices only where both are of disks: stat(2) tells overlayfs and btrfs by
 * device numbers that are not those of the map (0:44 for 0:42, both made up), or, before 6.8, those
 * of the disk below.
 */
#include "symbols/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/index_sources.h"
#include "symbols/load.h"
#include "symbols/pins.h"

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
	(void)tally_sources_look(dso, tally_str_text(&path));
	if (!ret)
		ret = open_at(dso, tally_str_text(&path), ret_image);
	tally_str_free(&path);
	return ret;
}

/* The process that mapped it last; 0 if its links in procfs say nothing. */
static int dso_mapper(const struct tally_dso *dso)
{
	if (*dso->name != '/' || dso->owner->options.symfs ||
	    dso->owner->origin == TALLY_SYMBOLS_ELSEWHERE)
		return 0;
	return atomic_load(&dso->mapper);
}

/* Open a path of the process's, which is freed. */
static int open_of_process(const struct tally_dso *dso, struct tally_str *path,
			   struct tally_image *ret_image)
{
	int ret = tally_str_error(path);

	if (!ret)
		ret = open_at(dso, tally_str_text(path), ret_image);
	if (!ret)
		tally_sources_refuse(dso);
	tally_str_free(path);
	return ret;
}

/* Links in the path are followed below the process's root. */
static int open_there(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int pid = dso_mapper(dso);

	if (pid <= 0)
		return -ENOENT;
	tally_str_addf(&path, "/proc/%d/root%s", pid, dso->name);
	return open_of_process(dso, &path, ret_image);
}

/* The process may be another one by now: what a link leads to has to be the file. */
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

/* Whether a link led to something that is not a program: code of a JIT compiler in a memfd. */
static bool is_not_a_program(int error)
{
	return error == -ENOEXEC || error == -EBADMSG;
}

/* 0; an error that says what is wrong with the file; or -ENOENT. */
static int open_linked(const struct tally_dso *dso, struct tally_image *ret_image)
{
	uint64_t start = atomic_load(&dso->mapped_start), end = atomic_load(&dso->mapped_end);
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

/* What became of a file that is nowhere: what was mapped here had been there. */
static int why_nowhere(const struct tally_dso *dso)
{
	bool is_of_here = !dso->owner->options.symfs && dso->owner->origin == TALLY_SYMBOLS_HERE;

	return *dso->name == '/' && is_of_here ? TALLY_DSO_ERROR_REMOVED : -ENOENT;
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

int tally_dso_open_named(const struct tally_dso *dso, struct tally_image *ret_image)
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

/* Its place in an index is that of its path, if this is the same file. */
static int open_pinned(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_source_file named, pinned;
	struct tally_pins *pins = dso->owner->options.pins;
	int ret = pins ? tally_pins_open(pins, dso, ret_image) : -EAGAIN;

	if (ret)
		return ret;
	named = tally_source_file_look(dso->name);
	pinned = tally_source_file_look_fd(ret_image->map.fd);
	(void)tally_sources_look(dso, dso->name);
	if (memcmp(&named, &pinned, sizeof(named)))
		tally_sources_refuse(dso);
	return 0;
}

/* Nothing but the time tells that something else was written into the very file that was mapped. */
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
	ret = tally_dso_open_named(dso, &image);
	if (ret) {
		linked = open_linked(dso, ret_image);
		if (!linked || ret != -ENOENT)
			return linked ? ret : 0;
		return linked == -ENOENT ? why_nowhere(dso) : linked;
	}
	if (is_rewritten(dso, &image)) {
		tally_image_free(&image);
		return TALLY_DSO_ERROR_CHANGED;
	}
	*ret_image = image;
	return 0;
}

/* Where a build-id was recorded, a file has it; where the user says which files they are, they are.
 * Programs are built anew and packages replaced. Another file under the path may have an old time
 * of change of its contents (cp -p, packages), but not an old one of its inode. That of the
 * recorded inode also gets a new one by a link or chmod, which leaves what is in it. */
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
