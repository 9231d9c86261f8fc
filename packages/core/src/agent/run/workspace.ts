import type { Session } from "../../conversation/session.ts";
import { roomIn, usualQuota, type Workspaces } from "../../conversation/workspaces.ts";
import type { Run, RunDeps } from "./run.ts";

interface WorkspaceServices {
	readonly workspaces: Workspaces;
	readonly profileOf: RunDeps["profileOf"];
}

/**
 * Returns the reason why the workspace refuses data. Undefined if it has room, or if the session has no workspace.
 */
export async function refusalWhenFull(run: Run): Promise<string | undefined> {
	const workspace = workspaceOf(run.session, run.deps);
	if (workspace === undefined || (await workspace.room()) > 0) return undefined;
	const { quota } = workspace;
	run.log.warn("a workspace is full", { place: run.session.place, quotaBytes: quota });
	return `the workspace is full: it may hold ${quota} bytes; the operator can give it more, or delete the session`;
}

/** Returns the session's own directory with its quota in bytes. Undefined if the session has no workspace. */
export function workspaceOf(
	session: Session,
	{ workspaces, profileOf }: WorkspaceServices,
): Workspace | undefined {
	const path = workspaces.of(session.home);
	if (path === undefined) return undefined;
	const quota = profileOf(session).quotaBytes ?? usualQuota;
	return { path, quota, room: () => roomIn(path, quota) };
}

export interface Workspace {
	readonly path: string;
	readonly quota: number;
	/** Bytes that are free. */
	room(): Promise<number>;
}
