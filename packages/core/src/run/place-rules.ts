import { isFull, usualQuota } from "../session/workspaces.ts";
import type { ActionClass } from "../tool.ts";
import type { ReadyCall } from "../tool-call.ts";
import type { Run } from "./run.ts";

/** What the runs of guests may do: nothing that leaves a trace. */
const harmless: readonly ActionClass[] = ["read", "person"];

/** What fills a disk. */
const filling: readonly ActionClass[] = ["write", "exec-sandboxed", "exec-unsandboxed"];

/** Why a call cannot run for who asked, or where it would: nobody's approval changes that. */
export async function refusalOfPlace(run: Run, { plan }: ReadyCall): Promise<string | undefined> {
	const { actor } = run.row;
	if (actor?.role === "guest" && plan.classes.some((name) => !harmless.includes(name))) {
		return `${actor.id} is a guest, and what guests ask for may only read: a member can ask for it`;
	}
	return plan.classes.some((name) => filling.includes(name)) ? refusalWhenFull(run) : undefined;
}

/** Why nothing more goes into the session's workspace; undefined where there is room, or it has none. */
export async function refusalWhenFull({ session, deps, log }: Run): Promise<string | undefined> {
	const workspace = session.deps.workspaces.of(session);
	if (workspace === undefined) return undefined;
	const quota = deps.profileOf(session).quotaBytes ?? usualQuota;
	if (!(await isFull(workspace, quota))) return undefined;
	log.warn("a workspace is full", { place: session.place, quotaBytes: quota });
	return `the workspace is full: it may hold ${quota} bytes; the operator can give it more, or delete the session`;
}
