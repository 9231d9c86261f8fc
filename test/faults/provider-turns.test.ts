import { ManualClock } from "@parley/base/testing";
import { createRoutedModel, type Model, type ModelEvent, type ModelRequest, ModelTable } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { describe, expect, test } from "vitest";
import type { ReplyBlock } from "../simulators/anthropic/reply.ts";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";
import type { Fields } from "../simulators/providers/wire.ts";
import { lookTool } from "./look-tool.ts";
import { memoryDirectory } from "./memory-directory.ts";
import { settle } from "./passing-time.ts";
import { familyAt, type TestedFamily, testedFamilies, testedTable } from "./provider-port.ts";
import { RunLog } from "./run-log.ts";

/** A PNG of one pixel. */
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function looks(...places: readonly string[]): ReplyBlock[] {
	return places.map((at, index) => ({ type: "tool_use", id: `call_${index}`, name: "look", input: { at } }));
}

interface Place extends AsyncDisposable {
	readonly fake: FakeProvider;
	readonly runtime: TestRuntime;
	readonly clock: ManualClock;
	readonly log: RunLog;
	readonly session: string;
	readonly looked: readonly string[];
}

/** Opens a runtime with a session and a simulator. `other` is a second simulator, for the fallback model. */
async function open(
	tested: TestedFamily,
	other?: { readonly tested: TestedFamily; readonly fake: FakeProvider },
): Promise<Place> {
	const clock = new ManualClock();
	const fake = await FakeProvider.start(tested.wire, { clock });
	const own = familyAt(tested, fake.url, { apiKey: fake.apiKey, clock });
	const { tool, looked } = lookTool();
	const options = { directory: await memoryDirectory(), clock, tools: [tool], random: () => 0 };
	const runtime = await TestRuntime.open({
		...options,
		table: testedTable,
		model: own,
		...withOther(own, clock, other),
	});
	const session = await runtime.create();
	const log = await RunLog.join(runtime, session);
	return {
		...{ fake, runtime, clock, log, session, looked },
		async [Symbol.asyncDispose]() {
			await runtime[Symbol.asyncDispose]();
			await fake.close();
		},
	};
}

function withOther(own: Model, clock: ManualClock, other: Parameters<typeof open>[1]): object {
	if (!other) return {};
	const { tested, fake } = other;
	const model = familyAt(tested, fake.url, { apiKey: fake.apiKey, clock, provider: "other" });
	const models = testedTable.list().flatMap((one) => [one, { ...one, provider: "other" }]);
	const table = new ModelTable(models, models, { home: "tested", others: ["other"] });
	return { table, model: createRoutedModel(own, [model]), fallback: [`other/${tested.model}`] };
}

/**
 * Patterns of earlier reasoning in a request. Each API receives this reasoning as text, as encrypted text, or as a
 * signature.
 */
const returned: Readonly<Record<string, RegExp>> = {
	compatible: /"reasoning_content":"I should look\."/,
	openai: /"type":"reasoning","id":"rs_[^"]*","encrypted_content":"sealed:/,
	google:
		/"functionCall":\{"id":"call_0","name":"look","args":\{"at":"door"\}\},"thoughtSignature":"[\w+/=]+"/,
};

describe.each(testedFamilies.map((one) => [one.family, one] as const))("%s", (family, tested) => {
	test("reasoning survives a turn with parallel calls, and its answers are in order", async () => {
		await using place = await open(tested);
		const { fake, log, runtime, session, looked } = place;
		fake.script(
			{
				content: [
					{ type: "thinking", thinking: "I should look." },
					{ type: "text", text: "Let me see." },
					...looks("door", "window"),
				],
			},
			{
				content: [
					{ type: "thinking", thinking: "Done." },
					{ type: "text", text: "Both are green." },
				],
			},
			{ content: [{ type: "text", text: "You are welcome." }] },
		);
		await runtime.send(session, "Look at the door and the window");
		await expect(log.the("assistant.message")).resolves.toMatchObject({
			content: expect.stringMatching(/green/),
			error: "",
		});
		expect(looked.toSorted()).toEqual(["door", "window"]);
		const second = JSON.stringify(fake.requests[1]?.body);
		expect(second).toMatch(returned[family] ?? /^$/);
		expect(second.indexOf("call_0")).toBeLessThan(second.lastIndexOf("It is green."));
		await runtime.send(session, "Thank you");
		await expect(log.the("assistant.message", 2)).resolves.toMatchObject({
			content: "You are welcome.",
			error: "",
		});
		expect(fake.takeViolations()).toEqual([]);
		// A thinking text without a signature is sent back only within the turn that contains it.
		if (family === "compatible")
			expect(JSON.stringify(fake.requests[2]?.body)).not.toContain("reasoning_content");
	});

	test("tokens are counted as the service reports them, and an unchanged beginning is read from its cache", async () => {
		await using place = await open(tested);
		const { fake, log, runtime, session } = place;
		fake.script(
			{ content: looks("door") },
			{
				content: [
					{ type: "thinking", thinking: "Hm." },
					{ type: "text", text: "Green." },
				],
			},
		);
		await runtime.send(session, "Look at the door");
		await log.the("assistant.message");
		for (const [index, called] of log.all("model.called").entries()) {
			const counted = fake.requests[index]?.counted;
			expect(called).toMatchObject({
				...{ provider: "tested", model: tested.model },
				usage: {
					inputTokens: counted?.input,
					outputTokens: counted?.output,
					cacheReadTokens: counted?.cached,
				},
			});
		}
		const [first, second] = fake.requests.map(({ counted }) => counted);
		expect(first?.cached).toBe(0);
		// Only the call and its result are not in the cache yet.
		expect(second?.cached).toBeGreaterThan((first?.input ?? 0) * 0.9);
	});

	test("a rate limit and a cut stream are retried after a wait, and the session continues", async () => {
		await using place = await open(tested);
		const { fake, log, runtime, session, clock } = place;
		const text: ReplyBlock = { type: "text", text: "Good morning to you all" };
		fake.script(
			{ status: 429, headers: { "retry-after": "7" } },
			{ content: [text], break: { at: 1, how: "reset" } },
			{ content: [text] },
		);
		await runtime.send(session, "Good morning");
		for (const [number, inMs] of [7_000, 2_000].entries()) {
			await expect(log.the("run.retrying", number + 1)).resolves.toMatchObject({ inMs, model: tested.model });
			await settle();
			clock.advance(inMs);
		}
		await expect(log.the("assistant.message")).resolves.toMatchObject({ content: text.text, error: "" });
		const [request, ...others] = fake.requests.map(({ bytes }) => bytes.toString());
		expect(others).toEqual([request, request]);
		log.check();
	});

	test("images of people and of tools reach the model in the form of its API", async () => {
		const clock = new ManualClock();
		await using fake = await FakeProvider.start(tested.wire, { clock });
		fake.script({ content: [{ type: "text", text: "A point." }] });
		const image = { type: "image", mediaType: "image/png", data: png } as const;
		const call = { type: "call", id: "c/1", name: "shoot!", arguments: { at: "door" } } as const;
		const request: ModelRequest = {
			model: tested.model,
			system: "",
			tools: [],
			messages: [
				{ role: "user", content: [{ type: "text", text: "Which one?" }, image] },
				{
					role: "assistant",
					model: "another",
					content: [{ type: "thinking", text: "Hm.", signature: "x" }, call],
				},
				{
					role: "tool",
					content: [{ type: "result", callId: "c/1", text: "", failed: false, pictures: [image] }],
				},
			],
		};
		const events: ModelEvent[] = [];
		const model = familyAt(tested, fake.url, { apiKey: fake.apiKey, clock });
		for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
		expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn" });
		expect(JSON.stringify(fake.requests[0]?.body).split(png)).toHaveLength(3);
	});

	test.for(testedFamilies.map((one) => [one.family, one] as const))(
		"a model of the API %s answers as a fallback, without the reasoning of the first one",
		async ([, fallback]) => {
			await using other = await FakeProvider.start(fallback.wire);
			await using place = await open(tested, { tested: fallback, fake: other });
			const { fake, log, runtime, session, clock } = place;
			fake.script({ content: [{ type: "thinking", thinking: "I should look." }, ...looks("door")] });
			fake.otherwise({ status: 503 });
			other.script({ content: [{ type: "text", text: "It is green." }] });
			await runtime.send(session, "Look at the door");
			for (const number of [1, 2, 3]) {
				const { inMs } = await log.the("run.retrying", number);
				await settle();
				clock.advance(inMs);
			}
			await expect(log.the("assistant.message")).resolves.toMatchObject({
				...{ content: "It is green.", error: "", model: `other/${fallback.model}` },
			});
			expect(log.all("model.called").map(({ provider }) => provider)).toEqual([
				...["tested", "tested", "tested", "tested", "tested", "other"],
			]);
			const body: Fields = other.requests[0]?.body ?? {};
			expect(JSON.stringify(body)).not.toMatch(/I should look|sealed:|rs_/);
		},
	);
});

test("a signature of Gemini on a text without characters returns in its place", async () => {
	const tested = testedFamilies.find(({ family }) => family === "google");
	if (!tested) throw new Error("the family is not tested");
	await using place = await open(tested);
	const { fake, log, runtime, session } = place;
	const sealed = { type: "redacted_thinking", data: "" } as const;
	fake.script(
		{ content: [{ type: "thinking", thinking: "I should look." }, sealed, ...looks("door"), sealed] },
		{ content: [{ type: "text", text: "It is green." }] },
	);
	await runtime.send(session, "Look at the door");
	await log.the("assistant.message");
	const second = JSON.stringify(fake.requests[1]?.body);
	const empty = String.raw`\{"text":"","thoughtSignature":"[\w+/=]+"\}`;
	expect(second).toMatch(new RegExp(`${empty},\\{"functionCall":.*,${empty}\\]`));
	expect(fake.takeViolations()).toEqual([]);
});
