/** The rows of a run that its events call for. Events from before the hashes of the session are not counted. */
export interface ExpectedRun {
	/** Number of the event of its message. */
	readonly seq: number;
	/** Whether it ended after it was active. A run that is cancelled in the queue has no steps. */
	isEnded: boolean;
	/** Complete and failed replies of models. Each has a step. */
	replies: number;
	/** Results of calls. Each has a step. */
	results: number;
	/** Messages that entered the run. Each has a step or is waiting. */
	steered: number;
}

/**
 * The rows that the events of one session require. A message, a reply, a result and a summary are written in the same
 * transaction as their event. A missing row is found in this way, without a counter that every turn would have to write.
 */
export class ExpectedRows {
	readonly runs = new Map<string, ExpectedRun>();
	compactions = 0;
	readonly #hashedFrom: number;

	/** `hashedFrom` is the number of the first event that must have a hash. */
	constructor(hashedFrom: number) {
		this.#hashedFrom = hashedFrom;
	}

	/** Adds an event. Events must be added in their order. */
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

/** Beginning of the data of an event of a run. The rest can be long and is not parsed. */
const runIdIn = /^\{"type":"[a-z.]+","runId":"(\w+)"/;
/** In a text, the quotes would be escaped. */
const cancelled = /"error":"cancelled"/;
