import type { Session } from "../../conversation/session.ts";
import { roomIn, usualQuota, type Workspaces } from "../../conversation/workspaces.ts";
import type { PlaceProfile } from "../../vocabulary/chat-settings.ts";
import { exactSizeOf } from "../../vocabulary/stored-file.ts";
import type { Run } from "./run.ts";
import { runTexts } from "./texts.ts";

export interface WorkspacePorts {
	readonly workspaces: Workspaces;
	readonly profileOf: (session: { readonly place: string | undefined }) => PlaceProfile;
}

/**
 * Returns the reason why the workspace refuses data. Returns undefined if the workspace has free space, or if the
 * session has no workspace.
 */
export async function refusalWhenFull(run: Run, ports: WorkspacePorts): Promise<string | undefined> {
	const workspace = workspaceOf(run.session, ports);
	if (workspace === undefined || (await workspace.room()) > 0) return undefined;
	const { quota } = workspace;
	run.log.warn(runTexts.workspaceFull, { place: run.session.place, quotaBytes: quota });
	return runTexts.workspaceFullFor(exactSizeOf(quota));
}

/** Returns the workspace of a session with its quota in bytes, or undefined if the session has no workspace. */
export function workspaceOf(
	session: Session,
	{ workspaces, profileOf }: WorkspacePorts,
): Workspace | undefined {
	const path = workspaces.of(session.home);
	if (path === undefined) return undefined;
	const quota = profileOf(session).quotaBytes ?? usualQuota;
	return { path, quota, room: () => roomIn(path, quota) };
}

export interface Workspace {
	readonly path: string;
	readonly quota: number;
	/** Returns the free bytes. */
	room(): Promise<number>;
}
