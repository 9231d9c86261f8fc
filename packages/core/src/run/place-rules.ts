import { hasRole, type Person } from "../principal.ts";
import { roomIn, usualQuota } from "../session/workspaces.ts";
import type { ActionClass } from "../tool.ts";
import type { ReadyCall } from "../tool-call.ts";
import type { Run } from "./run.ts";
import type { Workspace } from "./within-quota.ts";

/** What the runs of guests, and of who is let in no more, may do: nothing that leaves a trace. */
const harmless: readonly ActionClass[] = ["read", "person"];

/** What fills a disk. */
const filling: readonly ActionClass[] = ["write", "exec-sandboxed", "exec-unsandboxed"];

/** Why a call cannot run for who asked, or where it would: nobody's approval changes that. */
export async function refusalOfPlace(run: Run, { plan }: ReadyCall): Promise<string | undefined> {
	const reads = plan.classes.every((name) => harmless.includes(name));
	const refusal = reads ? undefined : await refusalOfSpeakers(run);
	if (refusal !== undefined) return refusal;
	return plan.classes.some((name) => filling.includes(name)) ? refusalWhenFull(run) : undefined;
}

/** Who spoke to the run after it began. */
export function joinedBy({ steps, session }: Pick<Run, "steps" | "session">): Person[] {
	const steering = steps.flatMap((step) => (step.kind === "steered" && step.actor ? [step.actor] : []));
	return [...steering, ...(session.task?.speakers ?? [])];
}

/** Why who spoke to the run has it only read: by what they may do at this moment, not when they spoke. */
async function refusalOfSpeakers(run: Run): Promise<string | undefined> {
	const { actor } = run.row;
	const { people, journal } = run.session.deps;
	for (const person of [...(actor ? [actor] : []), ...joinedBy(run)]) {
		const role = await journal.store.read((db) => people.roleNow(db, person));
		if (hasRole({ role }, "member")) continue;
		return role === "guest"
			? `${person.id} is a guest, and what guests ask for may only read: a member can ask for it`
			: `${person.id} is let in no more, and what they asked for may only read: a member can ask for it`;
	}
	return undefined;
}

/** Why nothing more goes into the session's workspace; undefined where there is room, or it has none. */
export async function refusalWhenFull(run: Run): Promise<string | undefined> {
	const workspace = workspaceOf(run);
	if (workspace === undefined || (await workspace.room()) > 0) return undefined;
	const { quota } = workspace;
	run.log.warn("a workspace is full", { place: run.session.place, quotaBytes: quota });
	return `the workspace is full: it may hold ${quota} bytes; the operator can give it more, or delete the session`;
}

/** What the session's own directory may hold, and how many bytes still fit; undefined where it has none. */
export function workspaceOf({ session, deps }: Pick<Run, "session" | "deps">): Workspace | undefined {
	const path = session.deps.workspaces.of(session.home);
	if (path === undefined) return undefined;
	const quota = deps.profileOf(session).quotaBytes ?? usualQuota;
	return { path, quota, room: () => roomIn(path, quota) };
}
