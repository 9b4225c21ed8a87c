/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations of all command entries. */
#ifndef TALLY_CLI_MAIN_COMMANDS_H
#define TALLY_CLI_MAIN_COMMANDS_H

#include "cli/main/command.h"

extern const struct tally_command tally_command_profile;
extern const struct tally_command tally_command_stat;
extern const struct tally_command tally_command_top;
extern const struct tally_command tally_command_ftrace;
extern const struct tally_command tally_command_emulate;
extern const struct tally_command tally_command_record;
extern const struct tally_command tally_command_report;
extern const struct tally_command tally_command_diff;
extern const struct tally_command tally_command_script;
extern const struct tally_command tally_command_annotate;
extern const struct tally_command tally_command_archive;
extern const struct tally_command tally_command_export;
extern const struct tally_command tally_command_resolve;
extern const struct tally_command tally_command_data;
extern const struct tally_command tally_command_inject;
extern const struct tally_command tally_command_evlist;
extern const struct tally_command tally_command_list;
extern const struct tally_command tally_command_doctor;
extern const struct tally_command tally_command_buildids;
extern const struct tally_command tally_command_buildid_cache;
extern const struct tally_command tally_command_version;
extern const struct tally_command tally_command_mem;
extern const struct tally_command tally_command_c2c;
extern const struct tally_command tally_command_bench;
extern const struct tally_command tally_command_test;
extern const struct tally_command tally_command_check;
extern const struct tally_command tally_command_config;
extern const struct tally_command tally_command_help_entry;

#endif
