export const workflowTexts = {
	ended: "the workflow ended",
	notInTask: (workflow: string): string =>
		`the workflow ${workflow} cannot start inside a task: start it in the session`,
	failed: "a workflow failed",
	notStarted: (call: string): string => `the call ${call} did not start a workflow`,
	unmet: (reason: string): string => `criteria not met: ${reason}`,
	/** `error` can end with the full stop of a verdict. */
	failedAt: (workflow: string, step: string, tries: string, error: string): string =>
		`The skill ${workflow} failed at the step "${step}"${tries}: ${error.replace(/\.$/, "")}.`,
	skipped: (titles: string): string => `Not started: ${titles}.`,
} as const;

/** Headings in the message of a step. */
export const stepTexts = {
	arguments: (skill: string): string => `Arguments of the skill ${skill}`,
	criteria: "Criteria that the result must meet",
	resultOf: (step: string): string => `Result of the step "${step}"`,
	earlierAttempt: "An earlier attempt failed",
	earlierResult: "Result of that attempt",
} as const;

export const subAgentTexts = {
	notStarted: "it did not start; delegate the work again",
	cut: (text: string): string => `${text}\n[cut: request a shorter result]`,
	incomplete: (name: string, error: string): string =>
		`The sub-agent "${name}" did not complete its work: ${error}`,
	lastText: (text: string): string => `Its last text:\n${text}`,
	nested: "a task and a sub-agent cannot have sub-agents: do this work yourself",
	tooMany: (count: number, max: number): string =>
		`the run would have ${count} sub-agents, more than the maximum of ${max}: delegate less work, or do it yourself`,
	noTool: (tool: string, available: readonly string[]): string =>
		`tools: you have no tool ${JSON.stringify(tool)} for a sub-agent; available: ${available.join(", ")}`,
	agentByOperator: (agent: string): string =>
		`agent: the operator has set the agent of this channel: use ${agent}, or omit agent`,
	guestAgent: "agent: a sender of this request may not choose the agent: omit agent",
} as const;
