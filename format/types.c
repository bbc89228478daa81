/* SPDX-License-Identifier: Apache-2.0 */
#include "base.h"
#include "types.h"

static const char *name_in(const char *const *names, size_t cnt, unsigned value)
{
	return value < cnt && names[value] ? names[value] : "unknown";
}

const char *owt_kind_name(unsigned kind)
{
	static const char *const names[] = {
		[OWT_KIND_BLOCKED] = "blocked",
		[OWT_KIND_UNOBSERVED] = "unobserved",
		[OWT_KIND_PREEMPTED] = "preempted",
		[OWT_KIND_OPEN] = "open",
	};

	return name_in(names, OWT_ARRAY_SIZE(names), kind);
}

const char *owt_context_name(unsigned context)
{
	static const char *const names[] = {
		[OWT_CTX_NONE] = "none",       [OWT_CTX_TASK] = "task",
		[OWT_CTX_SOFTIRQ] = "softirq", [OWT_CTX_HARDIRQ] = "hardirq",
		[OWT_CTX_IDLE] = "idle",
	};

	return name_in(names, OWT_ARRAY_SIZE(names), context);
}

const char *owt_stack_status_name(unsigned status)
{
	static const char *const names[] = {
		[OWT_STACK_COMPLETE] = "complete",
		[OWT_STACK_TRUNCATED] = "truncated",
		[OWT_STACK_WALK_FAILED] = "walk-failed",
		[OWT_STACK_TABLE_FULL] = "stack-table-full",
		[OWT_STACK_NOT_SENT] = "stack-not-sent",
	};

	return name_in(names, OWT_ARRAY_SIZE(names), status);
}

struct loss_words {
	const char *name, *text;
	bool partial;
};

static const struct loss_words losses[OWT_LOSS_CNT] = {
	[OWT_LOSS_ROWS_FULL] = {"rows-full", "intervals lost: row table full", true},
	[OWT_LOSS_TASK_STATE] = {"task-state", "events lost: no room for a thread's state", true},
	[OWT_LOSS_MISSED_EVENTS] = {"missed-events", "events missed by the kernel program", true},
	[OWT_LOSS_OPEN_ROWS] = {"open-rows", "open intervals that could not be read", true},
	[OWT_LOSS_STACK_WALK] = {"stack-walk", "stacks that could not be walked", false},
	[OWT_LOSS_STACK_TABLE] = {"stack-table", "stacks lost: stack table full", false},
	[OWT_LOSS_STACK_RING] = {"stack-ring", "stacks delayed or lost: ring buffer full", false},
	[OWT_LOSS_STACK_COLLISION] = {"stack-collision", "stacks lost: hash collision", false},
	[OWT_LOSS_UNSEEN_SWITCH] =
		{"unseen-switch",
		 "intervals lost: the kernel did not show a switch that began or ended them", true},
	[OWT_LOSS_MAP_EVENTS] = { "map-events", "mapping events lost: some frames may be misnamed",
				  false },
	[OWT_LOSS_PROC_MAPS] = {"process-maps", "processes gone before their mappings were read",
				false},
};

const char *owt_loss_name(unsigned cause)
{
	return cause < OWT_LOSS_CNT ? losses[cause].name : "unknown";
}

const char *owt_loss_text(unsigned cause)
{
	return cause < OWT_LOSS_CNT ? losses[cause].text : "losses of an unknown cause";
}

bool owt_loss_is_partial(unsigned cause)
{
	return cause >= OWT_LOSS_CNT || losses[cause].partial;
}

uint64_t owt_module_vaddr(const struct owt_module *module, uint64_t offset)
{
	for (unsigned i = 0; i < module->segment_cnt; i++) {
		const struct owt_segment *seg = &module->segments[i];

		if (offset >= seg->offset && offset - seg->offset < seg->filesz)
			return seg->vaddr + (offset - seg->offset);
	}
	return offset;
}
