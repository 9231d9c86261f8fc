import { roomIn, usualQuota } from "../../conversation/workspaces.ts";
import type { Run } from "./run.ts";

/** Reason why the workspace accepts no more data. Undefined if it has room, or if the session has no workspace. */
export async function refusalWhenFull(run: Run): Promise<string | undefined> {
	const workspace = workspaceOf(run);
	if (workspace === undefined || (await workspace.room()) > 0) return undefined;
	const { quota } = workspace;
	run.log.warn("a workspace is full", { place: run.session.place, quotaBytes: quota });
	return `the workspace is full: it may hold ${quota} bytes; the operator can give it more, or delete the session`;
}

/** The session's own directory with its quota in bytes. Undefined if the session has no workspace. */
export function workspaceOf({ session, deps }: Pick<Run, "session" | "deps">): Workspace | undefined {
	const path = deps.workspaces.of(session.home);
	if (path === undefined) return undefined;
	const quota = deps.profileOf(session).quotaBytes ?? usualQuota;
	return { path, quota, room: () => roomIn(path, quota) };
}

/** A directory of a session's own. */
export interface Workspace {
	readonly path: string;
	/** Bytes that it may hold. */
	readonly quota: number;
	/** How many still fit. */
	room(): Promise<number>;
}
