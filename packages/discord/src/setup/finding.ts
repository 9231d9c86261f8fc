/** What a check found. `fix` says what to do, with a link where there is one, wherever something is not as it should be. */
export interface Finding {
	/** Never changes: scripts may look for it. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}
