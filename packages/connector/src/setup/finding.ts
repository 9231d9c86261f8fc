/** What a check found. `fix` says what to do, with a link where there is one, wherever something is not as it should be. */
export interface Finding {
	/** Never changes: scripts may look for it. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}

/** One step of a setup: what a person is to do, and whether it is done. */
export interface SetupStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	/** Never rejects; done when no finding says `fail`. May be called again and again. */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}
