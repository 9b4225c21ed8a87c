/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/pin_list.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "symbols/load_errors.h"

bool tally_pin_is_same(const struct tally_pin *pin, const struct tally_source_file *now)
{
	return pin->file.mtime == now->mtime && pin->file.size == now->size &&
	       pin->file.ino == now->ino && pin->file.dev == now->dev;
}

/* Return a DSO's pin, or NULL. Called with pins->lock held. */
static const struct tally_pin *pin_find(struct tally_pins *pins, const struct tally_dso *of)
{
	const struct tally_dso_key key = tally_dso_key_of(of);
	struct tally_dso *dso;

	if (of->kind != TALLY_DSO_USER || tally_dso_lookup(pins->symbols, &key, &dso) ||
	    tally_dso_number(dso) >= pins->list.len)
		return NULL;
	return &pins->list.data[tally_dso_number(dso)];
}

struct tally_pin tally_pin_take(struct tally_pins *pins, const struct tally_dso *dso)
{
	struct tally_pin pin = {.fd = -1};
	const struct tally_pin *found;

	pthread_mutex_lock(&pins->lock);
	found = pin_find(pins, dso);
	if (found) {
		pin = *found;
		if (pin.fd >= 0)
			pin.fd = fcntl(pin.fd, F_DUPFD_CLOEXEC, 0);
	}
	pthread_mutex_unlock(&pins->lock);
	return pin;
}

int tally_pins_open(struct tally_pins *pins, const struct tally_dso *dso,
		    struct tally_image *ret_image)
{
	struct tally_pin pin = tally_pin_take(pins, dso);
	struct tally_source_file now;
	int ret;

	if (pin.fd < 0)
		return -EAGAIN;
	now = tally_source_file_fstat(pin.fd);
	if (!pin.id.size && !tally_pin_is_same(&pin, &now))
		ret = TALLY_DSO_ERROR_REPLACED;
	else
		ret = tally_image_open_fd(pin.fd, &pin.id, ret_image);
	close(pin.fd);
	return ret;
}

int tally_pins_build_id(struct tally_pins *pins, const struct tally_dso *dso,
			struct tally_build_id *ret_id)
{
	const struct tally_pin *pin;
	int ret = -ENOENT;

	pthread_mutex_lock(&pins->lock);
	pin = pin_find(pins, dso);
	if (pin && pin->id.size) {
		*ret_id = pin->id;
		ret = 0;
	}
	pthread_mutex_unlock(&pins->lock);
	return ret;
}
