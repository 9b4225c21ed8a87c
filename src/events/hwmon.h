/* SPDX-License-Identifier: BSD-2-Clause */
/* Sensors in SYSFS/class/hwmon as events: hwmon_CHIP/temp1/, hwmon_CHIP/temp_LABEL/ and temp1. */
#ifndef TALLY_EVENTS_HWMON_H
#define TALLY_EVENTS_HWMON_H

#include "events/parse.h"

/* A sensor. The strings are valid during the callback. */
struct tally_sensor {
	const char *pmu;   /* "hwmon_" followed by the name of the chip */
	const char *name;  /* "temp1" */
	const char *alias; /* type and label in lower case, such as "temp_core_0", or "" */
	const char *label; /* as in the file, or "" */
	const char *path;  /* file that contains the value */
	const char *unit;  /* "'C" */
	double scale;      /* conversion factor from the value to the unit */
};

typedef int tally_sensor_visit_fn(const struct tally_sensor *sensor, void *data);

/* Call `visit` for each sensor. Returns 0 or the first nonzero result of `visit`. */
int tally_sensors_each(const struct tally_events *events, tally_sensor_visit_fn *visit, void *data);

/* Parse the name of a sensor on any chip. Returns 1; 0 if no sensor has this name; or an error. */
int tally_sensor_parse(struct tally_event_parser *p, struct tally_word name);

/* Parse an event of the PMU `pmu` if this is a chip or a pattern such as hwmon_*. Return values are
 * those of tally_sensor_parse(); p->err is set if the chip has no such sensor. */
int tally_sensor_pmu_parse(struct tally_event_parser *p, struct tally_word pmu,
			   const struct tally_terms *terms);

#endif
