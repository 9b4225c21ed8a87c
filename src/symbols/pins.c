/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/pins.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/mapped_file.h"
#include "symbols/pin_list.h"

enum {
	OPEN_MAX = 512,    /* maximum number of open pins */
	FILES_MAX = 65536, /* maximum number of known files */
	TRIES = 4,         /* attempts to open a file; another process may have access to it */
	SPARE = 64,        /* descriptors to leave for other uses */
};

int tally_pins_new(struct tally_pins **ret_pins)
{
	const struct tally_symbols_options options = {.no_unpack = true};
	struct tally_pins *pins = calloc(1, sizeof(*pins));
	int ret;

	if (!pins)
		return -ENOMEM;
	ret = tally_symbols_new(&options, &pins->symbols);
	if (ret) {
		free(pins);
		return ret;
	}
	pthread_mutex_init(&pins->lock, NULL);
	pins->oldest = pins->newest = TALLY_PIN_NONE;
	*ret_pins = pins;
	return 0;
}

void tally_pins_free(struct tally_pins *pins)
{
	if (!pins)
		return;
	tally_vec_for_each (pin, &pins->list) {
		if (pin->fd >= 0)
			close(pin->fd);
	}
	tally_vec_free(&pins->list);
	tally_symbols_free(pins->symbols);
	pthread_mutex_destroy(&pins->lock);
	free(pins);
}

/* ---- order of the open pins ------------------------------------------------------------ */

/* Return the link from a pin to the next older or newer open pin. TALLY_PIN_NONE represents the
 * head of the list: the older link of TALLY_PIN_NONE leads to the newest pin. */
static uint32_t *older_of(struct tally_pins *pins, uint32_t number)
{
	return number == TALLY_PIN_NONE ? &pins->newest : &pins->list.data[number].older;
}

static uint32_t *newer_of(struct tally_pins *pins, uint32_t number)
{
	return number == TALLY_PIN_NONE ? &pins->oldest : &pins->list.data[number].newer;
}

static void order_remove(struct tally_pins *pins, const struct tally_pin *pin)
{
	*newer_of(pins, pin->older) = pin->newer;
	*older_of(pins, pin->newer) = pin->older;
	pins->nr_open--;
}

static void order_add_newest(struct tally_pins *pins, struct tally_pin *pin)
{
	uint32_t number = (uint32_t)(pin - pins->list.data);

	pin->older = pins->newest;
	pin->newer = TALLY_PIN_NONE;
	*newer_of(pins, pin->older) = number;
	pins->newest = number;
	pins->nr_open++;
}

/* ---- opening ---------------------------------------------------------------------- */

/* Duplicate the descriptor, unless too few would be left for other uses. Returns -1 on failure. */
static int descriptor_take(int fd)
{
	struct rlimit limit;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0)
		return -1;
	if (getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)own + SPARE < limit.rlim_cur)
		return own;
	close(own);
	return -1;
}

/* Duplicate `fd` onto the descriptor of the least recently mapped pin, which closes that pin's
 * file. Returns -1 and changes nothing if no pin is open. */
static int descriptor_take_oldest(struct tally_pins *pins, int fd)
{
	struct tally_pin *oldest;
	int own;

	if (pins->oldest == TALLY_PIN_NONE)
		return -1;
	oldest = &pins->list.data[pins->oldest];
	own = dup3(fd, oldest->fd, O_CLOEXEC);
	if (own < 0)
		return -1;
	order_remove(pins, oldest);
	oldest->fd = -1;
	return own;
}

static void pin_take_descriptor(struct tally_pins *pins, struct tally_pin *pin, int fd)
{
	if (pins->nr_open < OPEN_MAX)
		pin->fd = descriptor_take(fd);
	if (pin->fd < 0)
		pin->fd = descriptor_take_oldest(pins, fd);
	if (pin->fd >= 0)
		order_add_newest(pins, pin);
}

static void pin_open(struct tally_pins *pins, struct tally_dso *dso, struct tally_pin *pin)
{
	struct tally_source_file file;
	struct tally_image image;

	if (pin->fd >= 0) {
		order_remove(pins, pin);
		order_add_newest(pins, pin);
		return;
	}
	if (pin->tries >= TRIES)
		return;
	if (tally_dso_open_own(dso, &image)) {
		pin->tries++;
		return;
	}
	file = tally_source_file_fstat(image.map.fd);
	if (!pin->file.ino || tally_pin_is_same(pin, &file)) {
		pin->id = image.build_id;
		pin->file = file;
		pin_take_descriptor(pins, pin, image.map.fd);
	}
	pin->tries += pin->fd < 0;
	tally_image_free(&image);
}

int tally_pins_add(struct tally_pins *pins, const struct tally_dso_key *key)
{
	struct tally_dso *dso;
	struct tally_pin *pin;
	int ret = 0;

	pthread_mutex_lock(&pins->lock);
	if (tally_symbols_nr_dsos(pins->symbols) < FILES_MAX)
		ret = tally_dso_get(pins->symbols, key, &dso);
	else
		ret = tally_dso_lookup(pins->symbols, key, &dso);
	while (!ret && pins->list.len <= tally_dso_number(dso))
		ret = tally_vec_push(&pins->list, (struct tally_pin){.fd = -1});
	if (!ret) {
		pin = &pins->list.data[tally_dso_number(dso)];
		pin_open(pins, dso, pin);
	}
	pthread_mutex_unlock(&pins->lock);
	return ret == -ENOENT ? 0 : ret;
}

/* ---- saving files that would be lost --------------------------------------------------- */

/* Return true if the path no longer refers to the pinned file. */
static bool is_gone(const struct tally_dso *dso, const struct tally_pin *pin)
{
	struct tally_image image;
	bool is;

	if (tally_dso_open_path(dso, &image))
		return true;
	is = !tally_build_id_equal(&image.build_id, &pin->id);
	tally_image_free(&image);
	return is;
}

/* Return true if the owner of the file is trusted. Indexes are looked up by build-id, and the
 * author of a file can choose its build-id. An untrusted author could therefore control the names
 * shown for other users' addresses. */
static bool is_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid());
}

void tally_dso_index_pinned(struct tally_dso *dso)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	struct tally_pin pin;

	if (dso->kind != TALLY_DSO_USER || !options->pins || !options->index_dir)
		return;
	pin = tally_pin_take(options->pins, dso);
	if (pin.fd < 0)
		return;
	dso->cached.is_kept = pin.id.size && is_trusted(pin.fd) && is_gone(dso, &pin);
	close(pin.fd);
	if (!dso->cached.is_kept)
		return;
	(void)tally_dso_find(dso, 0);
	(void)tally_dso_rules(dso);
}
