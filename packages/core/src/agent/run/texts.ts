import { alternatives } from "@parley/base";
/** Reasons why a run stopped, or why a model call or tool call was refused, and a related log message. */
export const limitTexts = {
	modelCalls: (count: number): string => `stopped after ${count} model calls`,
	continue: (reason: string): string => `${reason}; send "continue" to continue the run`,
	smallerTasks: (reason: string): string => `${reason}; split the task into smaller tasks`,
	tokenBudget: (tokens: number | undefined): string =>
		`stopped: the budget of this run (${tokens} tokens) is used up; set a larger budget`,
	costBudget: (dollars: string): string =>
		`stopped: the budget of this run (${dollars}) is used up; set a larger budget`,
	runBudgetWithoutPrice: (model: string): string =>
		`not sent: this run has a budget and ${model} has no price; the operator can set a price in models.json`,
	budgetWithoutPrice: (model: string): string =>
		`not sent: a budget is set and ${model} has no price; the operator can set a price in models.json`,
	denied: "denied by the approver",
	deniedWithoutAnswer: "denied without an answer",
	notRunAgain: "not run again: ",
	deniedTooOften: (refused: string, max: number): string =>
		`${refused}this call was denied ${max} times; continue without it, or end your turn and explain why you need it`,
	failedTooOften: (refused: string, max: number): string =>
		`${refused}this call failed ${max} times in the same way; change its arguments, fix the cause, or end your turn and report the problem`,
	stoppedDenied: (tool: string, max: number): string =>
		`stopped: a call of ${tool} was denied ${max} times; approve the call, or change your request`,
	stoppedFailed: (tool: string, max: number): string =>
		`stopped: the model repeated a call of ${tool} that failed in the same way ${max} times; change your request, or choose another model`,
	cancelling: "cancelling a run that needs a decision: its client lost the stream when the gateway crashed",
} as const;

/** Log messages about events of a run. */
export const runLogTexts = {
	modelRetried: "a model call is retried",
	toolCalled: "tool called",
	toolEnded: "tool ended",
	contextCompacted: "context compacted",
	budgetReached: "a budget was reached",
	runEnded: "run ended",
	questionClosed: "question closed",
	questionOpened: "question asked",
	skillStarted: "skill started",
	skillCompleted: "skill completed",
	stepFailed: "skill step failed",
	taskSuspended: "task suspended",
	taskCompleted: "task completed",
	taskFailed: "task failed",
} as const;

/** Refusals about the settings, the skills and the workspace of a run. */
export const runTexts = {
	notStarted: "the run has not started",
	unknownTools: (agent: string, tools: readonly string[], available: string): string =>
		`the agent ${agent} names ${tools.length === 1 ? "an unknown tool" : "unknown tools"}: ${tools.join(", ")}; available: ${available}`,
	didYouMean: (names: readonly string[]): string => `; did you mean ${alternatives(names)}?`,
	noModel: (model: string, rest: string): string =>
		`model: there is no model ${JSON.stringify(model)}${rest}`,
	otherServer: (url: string): string =>
		`this gateway cannot use ${url}, the model server of the agent: choose another agent`,
	/** Shows at most five names, because a table can have hundreds of models. */
	availableModels: (names: readonly string[]): string =>
		names.length === 0
			? "; use another model"
			: `; available: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`,
	noTools: "no tools",
	skillAllows: (skill: string, tools: string): string => `the skill ${skill} allows ${tools} in this run`,
	workspaceFull: "a workspace is full",
	workspaceFullFor: (limit: string): string =>
		`the workspace is full: its limit is ${limit}; the operator can raise the limit or delete the session`,
} as const;
