import type { System } from "./system.ts";

export type FindingStatus = "ok" | "warn" | "fail";

/** What a check found. `fix` says what to do on this system, and stands wherever something is not as it should be. */
export interface Found {
	readonly status: FindingStatus;
	readonly what: string;
	readonly fix?: string;
}

/** With the check's id, which never changes: scripts may look for it. */
export interface Finding extends Found {
	readonly id: string;
}

export interface Check {
	readonly id: string;
	readonly look: (system: System) => Promise<Found>;
}

export function ok(what: string): Found {
	return { status: "ok", what };
}

export function warn(what: string, fix: string): Found {
	return { status: "warn", what, fix };
}

export function fail(what: string, fix: string): Found {
	return { status: "fail", what, fix };
}
