/** Work that an agent gives to a sub-agent. */
export interface DelegatedWork {
	/** The work in a few words. */
	readonly title: string;
	/** All that the sub-agent knows about the work. */
	readonly instructions: string;
	/** Profile of the sub-agent. Default: that of the run. */
	readonly agent?: string;
	/** Names of the only tools of the sub-agent, of those that the run has. Default: all of these. */
	readonly tools?: readonly string[];
	/** Maximum tokens of input and output together. */
	readonly maxTokens: number;
	/** Maximum minutes of work, without waits for people. */
	readonly maxMinutes: number;
}

/** Limits of the run of a sub-agent. */
export interface DelegationLimits {
	/** The agent that delegates: its rules also apply to the calls of the sub-agent. */
	readonly rulesOf: string;
	readonly modelCalls: number;
	readonly workingMs: number;
}

/** Checked work of one sub-agent, recorded with the run that delegates it. */
export interface Delegation extends DelegationLimits {
	readonly agent: string;
	readonly tools: readonly string[];
	/** Tokens of input and output together. */
	readonly tokens: number;
	/** Billionths of a US dollar. Absent for no limit. */
	readonly cost?: number;
}

export interface DelegationEnd {
	/** The results of all sub-agents, also of those that failed. */
	readonly text: string;
	/** Whether none of them succeeded. */
	readonly failed: boolean;
}

/** Sub-agents for the tools of a run. */
export interface DelegationAccess {
	/** Throws in words for the model if the work is not possible. Returns whether another server gets its text. */
	check(work: readonly DelegatedWork[]): Promise<{ readonly leaves: boolean }>;
	/** Resolves when all sub-agents have ended. Repeated for the same call, it continues. Throws `cancelled` if the run stops. */
	run(work: readonly DelegatedWork[]): Promise<DelegationEnd>;
}
