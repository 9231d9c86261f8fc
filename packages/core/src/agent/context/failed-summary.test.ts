import { expect, test } from "vitest";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { Model, ModelEvent, ModelRequest, StopReason } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { chance, prose } from "./testing/toy-text.ts";

const table = new ModelTable([
	{
		id: "toy",
		provider: "toy",
		contextWindow: 4_000,
		maxOutput: 800,
		reasoning: "none",
		sampling: true,
		images: false,
	},
]);

type WriteSummary = (request: ModelRequest, signal: AbortSignal) => AsyncGenerator<ModelEvent>;

/** Model that writes summaries under the control of a test. A request without tools asks for a summary. */
class TalkingModel implements Model {
	readonly provider = "toy";
	readonly defaultModel = "toy";
	summaries = 0;
	readonly #writeSummary: WriteSummary;
	readonly #random = chance(2);

	constructor(writeSummary: WriteSummary) {
		this.#writeSummary = writeSummary;
	}

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		if (request.tools.length === 0) {
			this.summaries += 1;
			yield* this.#writeSummary(request, signal);
			return;
		}
		yield { type: "text", text: prose(this.#random, 250) };
		yield { type: "end", stop: "end_turn", model: "toy", usage: noUsage };
	}
}

async function* endsWith(stop: StopReason, ...events: ModelEvent[]): AsyncGenerator<ModelEvent> {
	yield* events;
	yield { type: "end", stop, model: "toy", usage: noUsage };
}

const thinking: ModelEvent = { type: "thinking", text: "Hm.", signature: "seal" };

async function openTalk(model: TalkingModel) {
	const t = await TestRuntime.open({ model, table, tools: [probeTool("look")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const random = chance(3);
	const say = async (): Promise<void> => {
		await t.send(session, prose(random, 150));
	};
	return { t, session, log, say };
}

function summariesIn(log: EventLog) {
	const events = log.events.map(({ event }) => event);
	return events
		.filter((event) => event.type === "context.compacted")
		.filter(({ level }) => level === "summary");
}

/** Advances the clock past each pause before the next model call. */
async function passPauses(t: TestRuntime, log: EventLog, ended: Promise<unknown>): Promise<void> {
	let done = false;
	void ended.finally(() => {
		done = true;
	});
	for (let passed = retriesIn(log); !done; ) {
		await t.settle();
		if (retriesIn(log) === passed) continue;
		passed += 1;
		t.clock.advance(5_000);
	}
}

function retriesIn(log: EventLog): number {
	return log.recorded.filter((type) => type === "run.retrying").length;
}

test.for<{ what: string; write: WriteSummary; reason: string }>([
	{ what: "refuses", write: () => endsWith("refusal"), reason: "the model refused" },
	{
		what: "says that it refuses",
		write: () => endsWith("refusal", { type: "text", text: "I will not." }),
		reason: "the model refused",
	},
	{ what: "only thinks", write: () => endsWith("end_turn", thinking), reason: "it has no text" },
	{
		what: "is cut before any text",
		write: () => endsWith("max_tokens", thinking),
		reason: "it reached its length limit before any text",
	},
	{
		what: "writes only blanks",
		write: () => endsWith("end_turn", { type: "text", text: " \n" }),
		reason: "it has no text",
	},
])("a session continues without a summary if the model $what", async ({ write, reason }) => {
	const model = new TalkingModel(write);
	const { t, log, say } = await openTalk(model);
	await using _ = t;
	for (let compactions = 0, turn = 0; compactions < 2 && turn < 40; turn++) {
		const answered = log.next("assistant.message");
		await say();
		await passPauses(t, log, answered);
		expect((await answered).error).toBe("");
		compactions = summariesIn(log).length;
		expect(model.summaries).toBeLessThanOrEqual(2 * compactions);
	}
	const errors = summariesIn(log).map(({ error }) => error);
	expect(errors).toEqual([expect.stringContaining(reason), expect.stringContaining(reason)]);
	expect(model.summaries).toBe(4);
	expect(retriesIn(log)).toBe(2);
	log.check();
});

test("a summary that the model writes at the second call is used", async () => {
	const model = new TalkingModel(() =>
		model.summaries % 2 === 1
			? endsWith("refusal")
			: endsWith("end_turn", { type: "text", text: "They talked." }),
	);
	const { t, log, say } = await openTalk(model);
	await using _ = t;
	while (model.summaries === 0) {
		const answered = log.next("assistant.message");
		await say();
		await passPauses(t, log, answered);
	}
	expect(model.summaries).toBe(2);
	expect(summariesIn(log)).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
});

test("a summary is requested from an overloaded model at most twice", async () => {
	const model = new TalkingModel(() => {
		throw new ModelError("overloaded", { fault: "overloaded" });
	});
	const { t, log, say } = await openTalk(model);
	await using _ = t;
	while (model.summaries === 0) {
		const answered = log.next("assistant.message");
		await say();
		await passPauses(t, log, answered);
		expect((await answered).error).toBe("");
	}
	expect(model.summaries).toBe(2);
});

test.for(["while the summary is written", "in the pause before the second call"] as const)(
	"a cancel ends the run at once %s",
	async (moment) => {
		const summaryRequested = Promise.withResolvers<void>();
		const model = new TalkingModel(async function* (_request, signal) {
			summaryRequested.resolve();
			if (moment.startsWith("in")) yield* endsWith("refusal");
			else await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
		});
		const { t, session, log, say } = await openTalk(model);
		await using _ = t;
		const retries = await EventLog.join(t.runtime, session);
		let answered = log.next("assistant.message");
		for (;;) {
			await say();
			await Promise.race([answered, summaryRequested.promise]);
			if (model.summaries > 0) break;
			answered = log.next("assistant.message");
		}
		if (moment.startsWith("in")) await retries.next("run.retrying");
		await t.runtime.cancel(unkeyed(), session, {});
		expect(await answered).toMatchObject({ error: "cancelled" });
		expect(model.summaries).toBe(1);
	},
);
