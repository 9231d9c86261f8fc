/** The commands that this gateway has registered at Discord, stored to delete those that it no longer has. */
export interface InstalledState {
	readonly application: string;
	/** Kind and name of each command, as `keyOf` writes it. */
	readonly ours: readonly string[];
}

/** Stores the state over restarts. */
export interface CommandMemory {
	load(): Promise<InstalledState | undefined>;
	save(state: InstalledState): Promise<void>;
}
