/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests for the types of variables. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "dwarf/worker_private.h"

/* A reply that is being received. */
struct receiving {
	struct tally_dwarf_worker *worker;
	struct tally_lines *texts;
	struct tally_arena *memory;
	struct tally_variable *variables;
	size_t nr, received; /* variables */
};

static int copy_member(const struct receiving *receiving, const struct dwarf_message *message,
		       const struct dwarf_message_member *sent,
		       struct tally_type_member *ret_member)
{
	*ret_member = (struct tally_type_member){
		.offset = sent->offset,
		.size = sent->size,
		.element = sent->element,
		.depth = sent->depth,
	};
	if (sent->depth >= TALLY_TYPE_DEPTH_MAX ||
	    !worker_text(receiving->worker, message->thread, sent->name, &ret_member->name) ||
	    !worker_text(receiving->worker, message->thread, sent->type, &ret_member->type))
		return -EPROTO;
	if (!ret_member->type)
		ret_member->type = "";
	return 0;
}

static int take_type(struct receiving *receiving, const struct dwarf_message *message)
{
	struct tally_type *type = tally_arena_alloc(receiving->memory, sizeof(*type));
	struct tally_type_member *members;
	struct dwarf_message_member sent;
	const char *name = NULL;
	const uint8_t *data = NULL;
	int ret = type ? 0 : -ENOMEM;

	if (!ret &&
	    (message->nr > TALLY_TYPE_MEMBERS_MAX || message->end > UINT32_MAX ||
	     !worker_text(receiving->worker, message->thread, (uint32_t)message->end, &name)))
		ret = -EPROTO;
	if (!ret)
		ret = worker_take(receiving->worker, message->nr * sizeof(sent), &data);
	if (ret)
		return ret;
	members = tally_arena_alloc(receiving->memory, message->nr * sizeof(*members) + 1);
	if (!members)
		return -ENOMEM;
	for (uint32_t i = 0; i < message->nr && !ret; i++) {
		memcpy(&sent, data + i * sizeof(sent), sizeof(sent));
		ret = copy_member(receiving, message, &sent, &members[i]);
	}
	*type = (struct tally_type){name ? name : "", message->start, members, message->nr};
	return ret ? ret : tally_vec_push(&receiving->worker->types, type);
}

static int take_variable(struct receiving *receiving, const struct dwarf_message *message)
{
	struct tally_variable variable = {.result = message->nr, .offset = message->end};

	if (receiving->received == receiving->nr || message->nr >= TALLY_VARIABLE_RESULTS ||
	    message->start > receiving->worker->types.len ||
	    (message->nr == TALLY_VARIABLE_FOUND) != !!message->start)
		return -EPROTO;
	if (message->start)
		variable.type = receiving->worker->types.data[message->start - 1];
	if (variable.type && variable.offset >= variable.type->size)
		return -EPROTO;
	receiving->variables[receiving->received++] = variable;
	return 0;
}

static int take_answer(struct receiving *receiving)
{
	struct dwarf_message message;
	const uint8_t *data;
	bool is_end = false;
	int ret = 0;

	while (!ret && !is_end) {
		ret = worker_take(receiving->worker, sizeof(message), &data);
		if (ret)
			break;
		memcpy(&message, data, sizeof(message));
		if (message.kind == DWARF_MESSAGE_TYPE && !message.thread)
			ret = take_type(receiving, &message);
		else if (message.kind == DWARF_MESSAGE_VARIABLE)
			ret = take_variable(receiving, &message);
		else
			ret = worker_take_common(receiving->worker, receiving->texts, &message,
						 &is_end);
	}
	return !ret && receiving->received < receiving->nr ? -EPROTO : ret;
}

int tally_dwarf_worker_variables(struct tally_dwarf_worker *worker,
				 const struct tally_variable_question *questions, size_t nr,
				 struct tally_lines *texts, struct tally_arena *memory,
				 struct tally_variable *ret_variables)
{
	int ret = worker->error;

	for (size_t at = 0; at < nr && !ret;) {
		size_t some = TALLY_MIN(nr - at, (size_t)DWARF_VARIABLES_MAX);
		struct receiving receiving = {worker, texts, memory, ret_variables + at, some, 0};

		ret = worker_ask(worker, DWARF_QUESTION_VARIABLES, (uint32_t)some, questions + at,
				 some * sizeof(*questions));
		if (!ret)
			ret = take_answer(&receiving);
		at += some;
	}
	return worker_finish(worker, ret);
}
