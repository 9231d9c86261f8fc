import type { MethodResult } from "@parley/protocol";
import type { Io } from "../io.ts";
import { visibleLine } from "../text/visible.ts";
import { printJson, printRows } from "../with-gateway.ts";
import { shortId } from "./short-id.ts";

/** Tells that a task was submitted, what of its wishes it goes without, and how to follow it. */
export function tellSubmitted(
	submitted: MethodResult<"submit_task">,
	{
		json,
		watch,
		tool,
	}: { readonly json?: boolean; readonly watch?: boolean; readonly tool?: readonly string[] },
	io: Io,
): void {
	if (json) {
		printJson(submitted, io);
		return;
	}
	const { task_id, notes = [] } = submitted;
	// What the usual tools lack is no news to somebody who named none.
	for (const note of tool ? notes : []) io.stderr.write(`parley: ${visibleLine(note)}\n`);
	const hint = `; \`parley task watch ${visibleLine(shortId(task_id))}\` shows what becomes of it`;
	printRows([`submitted ${visibleLine(task_id)}${watch ? "" : hint}`], io);
}
