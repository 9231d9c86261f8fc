import { ParleyError } from "@parley/base";
import { visible } from "../../../text/visible.ts";
import type { TaskDesk } from "../../../vocabulary/task.ts";
import type { ToolContext, ToolPlan } from "../../../vocabulary/tool.ts";

/** The desk of the task that makes the call; throws where none does. */
export function deskOf({ task }: ToolContext): TaskDesk {
	if (task) return task;
	throw new ParleyError("only a task can do this", { code: "failed_precondition" });
}

/** A call that touches nothing but the task itself. */
export function planOwn(label: string): ToolPlan {
	return { label: visible(label), classes: ["person"], preview: "", binding: {}, notes: [] };
}
