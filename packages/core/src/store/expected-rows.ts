/**
 * Numbers of rows that a run must have according to its events. Events before the first event that must have a hash are
 * not counted.
 */
export interface ExpectedRun {
	/** The `seq` of the `user.message` event that started the run. */
	readonly seq: number;
	/**
	 * Whether the last step must be `ended`. A run that was cancelled before its first reply may have no
	 * steps.
	 */
	isEnded: boolean;
	/** Number of complete and failed model replies. Each reply has a step. */
	replies: number;
	/** Number of tool results. Each result has a step. */
	results: number;
	/**
	 * Number of messages that were added to the run after its first message. Each of these messages has a step or is
	 * waiting.
	 */
	steered: number;
}

/**
 * Counts the rows that a session must have according to its events. Each message, reply, result and summary is written
 * in the same transaction as an event about it. The events therefore reveal a missing row, without a counter that every
 * turn must update.
 */
export class ExpectedRows {
	readonly runs = new Map<string, ExpectedRun>();
	compactions = 0;
	/** The `seq` of the first event that must have a hash. */
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

/**
 * Pattern of the beginning of the data of an event about a run. The data after the beginning can be long and is not
 * parsed.
 */
const runIdIn = /^\{"type":"[a-z.]+","runId":"(\w+)"/;
/**
 * Pattern of the field `error` in the event of a cancelled run. Does not match inside a JSON string, because quotes in
 * strings are escaped.
 */
const cancelled = /"error":"cancelled"/;
