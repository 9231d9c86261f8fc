/** Work that an agent gives to a sub-agent. */
export interface DelegatedWork {
	/** Title of the work, in a few words. */
	readonly title: string;
	/** Complete instructions. The sub-agent does not get the messages of the run. */
	readonly instructions: string;
	/** Profile of the sub-agent. Default: the profile of the run. */
	readonly agent?: string;
	/**
	 * Names of the tools that the sub-agent may use. The run must have these tools. Default: all tools that both the run
	 * and the sub-agent's profile have.
	 */
	readonly tools?: readonly string[];
	/** Maximum tokens of input and output together. */
	readonly maxTokens: number;
	/** Maximum minutes of work. Waits for people are not included. */
	readonly maxMinutes: number;
}

export interface DelegationLimits {
	/** Agent that delegates. The rules of this agent also apply to the tool calls of the sub-agent. */
	readonly rulesOf: string;
	readonly modelCalls: number;
	readonly workingMs: number;
}

/** Agent, tools and limits of one sub-agent. Recorded with the run that delegates the work. */
export interface Delegation extends DelegationLimits {
	readonly agent: string;
	readonly tools: readonly string[];
	/** Maximum tokens of input and output together. */
	readonly tokens: number;
	/** Maximum cost in billionths of a US dollar. Absent if there is no limit. */
	readonly cost?: number;
}

export interface DelegationEnd {
	/** Results of all sub-agents, including failed sub-agents, or the reason why none could start. */
	readonly text: string;
	/** Whether no sub-agent succeeded. */
	readonly failed: boolean;
}

/** Starts sub-agents on behalf of the tools of a run. */
export interface DelegationAccess {
	/**
	 * Checks the work, and throws an error for the model if the work is not possible. `leavesProvider` is true if the text
	 * of the work may go to a provider or server that the run does not use.
	 */
	check(work: readonly DelegatedWork[]): Promise<{ readonly leavesProvider: boolean }>;
	/**
	 * Runs the work in sub-agents. Resolves when all sub-agents have ended. A repeated call continues the same work. Throws
	 * `cancelled` if the run stops.
	 */
	run(work: readonly DelegatedWork[]): Promise<DelegationEnd>;
}
