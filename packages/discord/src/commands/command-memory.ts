/** What was installed at Discord when all was as wanted. */
export interface InstalledState {
	readonly application: string;
	/** Of all that was wanted. */
	readonly fingerprint: string;
	/** Kind and name of each command, as `keyOf` writes it. */
	readonly ours: readonly string[];
}

/** Keeps it, so that Discord is asked nothing where nothing has changed. */
export interface CommandMemory {
	load(): Promise<InstalledState | undefined>;
	save(state: InstalledState): Promise<void>;
}
