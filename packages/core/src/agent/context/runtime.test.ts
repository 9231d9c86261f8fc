import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { askUser } from "../../tools/ask-user.ts";
import type { Model, ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { isPrefix, structuralFault, wordsOf } from "./testing/check-request.ts";
import { countRequest, tokenizers } from "./testing/toy-session.ts";
import { chance, prose } from "./testing/toy-text.ts";

const contextWindow = 4_000;
const maxOutput = 800;
const facts = { reasoning: "none", sampling: true, images: false } as const;
const toy = { id: "toy", provider: "toy", contextWindow, maxOutput, ...facts };
const table = new ModelTable([toy]);

/** Calls a tool if the first word of the user's message is the name of this tool. Otherwise answers with a text. */
class ToyModel implements Model {
	readonly provider = "toy";
	readonly defaultModel = "toy";
	readonly requests: ModelRequest[] = [];
	readonly #random = chance(2);

	async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
		this.requests.push(request);
		const last = request.messages.at(-1);
		const [tool, ...rest] = wordsOf({ ...request, messages: last ? [last] : [] }).split(" ");
		if (last?.role === "user" && tool && request.tools.some(({ name }) => name === tool)) {
			const args = tool === "ask_user" ? { type: "text", label: rest.join(" ") } : { what: rest.join(" ") };
			yield { type: "call", id: `c${this.requests.length}`, name: tool, arguments: args };
			yield { type: "end", stop: "tool_use", model: "toy", usage: this.#usage(request) };
			return;
		}
		yield { type: "text", text: prose(this.#random, 60) };
		yield { type: "end", stop: "end_turn", model: "toy", usage: this.#usage(request) };
	}

	#usage(request: ModelRequest): typeof noUsage {
		return { ...noUsage, inputTokens: countRequest(tokenizers.words, request), outputTokens: 60 };
	}
}

const random = chance(4);
const tools = [
	askUser,
	probeTool("look", { effect: "none", run: async () => prose(random, 400) }),
	probeTool("publish", { classes: ["write"] }),
];

test("a session exceeds its window many times, also across a restart, without an effect on its answers", async () => {
	const model = new ToyModel();
	let t = await TestRuntime.open({ model, tools, table });
	const session = await t.create();
	let log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const say = async (text: string): Promise<void> => {
		await t.send(session, text);
		expect((await log.next("assistant.message")).error).toBe("");
	};
	await say("First of all: be kind.");
	await t.send(session, "publish it");
	const approval = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), approval.prompt.token, { cancelled: true, reason: "not on a Friday" });
	await log.next("assistant.message");
	await t.send(session, "ask_user which licence?");
	await log.next("prompt.requested");
	t.clock.advance(25 * 60 * 60 * 1_000);
	await log.next("assistant.message");
	for (let at = 0; at < 30; at++) await say(at % 2 === 0 ? `look at ${at}` : `Question ${at}?`);
	log.check();
	const { directory, clock } = t;
	await t.stop();
	t = await TestRuntime.open({ model, tools, table, directory, clock });
	log = await EventLog.join(t.runtime, session);
	const before = model.requests.length;
	await say("And after the restart?");
	const [last, first] = [model.requests[before - 1], model.requests[before]];
	expect(last && first && isPrefix(last, first)).toBe(true);
	for (let at = 0; at < 30; at++) await say(at % 2 === 0 ? `look at ${at}` : `Question ${at}?`);

	const answering = model.requests.filter((request) => request.tools.length > 0);
	for (const request of answering) {
		expect(countRequest(tokenizers.words, request)).toBeLessThanOrEqual(contextWindow - maxOutput);
		expect(structuralFault(request)).toBeUndefined();
		expect(wordsOf(request)).toContain("First of all: be kind.");
	}
	const words = wordsOf(answering.at(-1) ?? { model: "", system: "", tools: [], messages: [] });
	expect(words).toContain('denied: publish {"what":"it"} (denied by the approver: not on a Friday)');
	expect(words).toContain('no answer: the question "which licence?"');
	const compacted = log.events.flatMap(({ event }) => (event.type === "context.compacted" ? [event] : []));
	expect(new Set(compacted.map(({ level }) => level))).toEqual(new Set(["tool_results", "summary"]));
	expect(answering.length).toBeLessThan(model.requests.length);
	await t[Symbol.asyncDispose]();
});

test.each([undefined, 2_000])(
	"a conversation that fits the window is shortened above the threshold in the row of its model: %s",
	async (threshold) => {
		const roomy = { ...toy, contextWindow: 100_000, ...defined({ compactAbove: threshold }) };
		await using t = await TestRuntime.open({ model: new ToyModel(), tools, table: new ModelTable([roomy]) });
		const session = await t.create();
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		for (let at = 0; at < 12; at++) {
			await t.send(session, `look at ${at}`);
			await log.next("assistant.message");
		}
		expect(log.recorded.includes("context.compacted")).toBe(threshold !== undefined);
	},
);
