/** Numbers of rows that the events of a run require. Events from before the session had hashes are not counted. */
export interface ExpectedRun {
	/** The `seq` of the event with the run's message. */
	readonly seq: number;
	/**
	 * Whether the last step must be `ended`. A run that was cancelled before its first reply may have no
	 * steps.
	 */
	isEnded: boolean;
	/** Number of complete and failed model replies. Each has a step. */
	replies: number;
	/** Number of results of tool calls. Each has a step. */
	results: number;
	/** Number of messages that were added to the run. Each has a step or is waiting. */
	steered: number;
}

/**
 * Collects the rows that the events of one session require. A message, a reply, a result and a summary are written in
 * the same transaction as their event. The events therefore reveal a missing row, without a counter that every turn
 * must update.
 */
export class ExpectedRows {
	readonly runs = new Map<string, ExpectedRun>();
	compactions = 0;
	/** Number of the first event that must have a hash. */
	readonly #hashedFrom: number;

	constructor(hashedFrom: number) {
		this.#hashedFrom = hashedFrom;
	}

	/** Adds an event. Events must be added in order. */
	add({ seq, type, data }: { readonly seq: number; readonly type: string; readonly data: string }): void {
		const isHashed = seq >= this.#hashedFrom;
		if (type === "context.compacted" && isHashed) this.compactions += 1;
		const runId = runIdIn.exec(data)?.[1];
		if (runId === undefined) return;
		const run = this.runs.get(runId);
		if (!run) {
			if (type === "user.message")
				this.runs.set(runId, { seq, isEnded: false, replies: 0, results: 0, steered: 0 });
			return;
		}
		if (!isHashed) return;
		if (type === "user.message") run.steered += 1;
		else if (type === "model.called") run.replies += 1;
		else if (type === "tool.completed" || type === "tool.failed") run.results += 1;
		else if (type === "assistant.message")
			run.isEnded = run.replies + run.results > 0 || !cancelled.test(data);
	}
}

/** Pattern of the beginning of a run event's data. The remaining data can be long and is not parsed. */
const runIdIn = /^\{"type":"[a-z.]+","runId":"(\w+)"/;
/** Pattern of the field `error` of a cancelled run. Matches no other text, because quotes inside a text are escaped. */
const cancelled = /"error":"cancelled"/;
