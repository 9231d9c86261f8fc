import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, thinks, uses } from "../simulators/anthropic/reply.ts";
import { signatureOf } from "../simulators/anthropic/stream-events.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream, structOf } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const sonnet = "claude-sonnet-5-5";
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };

function startWithClaude({ apiKey, url: baseUrl }: FakeAnthropic): Promise<TestGateway> {
	return TestGateway.start({ config: { provider: "anthropic", apiKey, baseUrl, model: sonnet } });
}

function sentTo(fake: FakeAnthropic): unknown[] {
	const { messages = [] } = fake.requests.at(-1)?.body ?? {};
	return messages.map(({ role, content }) => ({
		role,
		content:
			typeof content === "string"
				? content
				: content.map((block) => ({ ...block, cache_control: undefined })),
	}));
}

verifiesOn(
	"roz",
	["roz.models"],
	"a tier or the name of a model chooses the model of the requests, also in a session that continues",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.otherwise(says("yes"));
		await using gateway = await startWithClaude(fake);
		const chosen: unknown[] = [];
		let session = "";
		const ask = async (start: object, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
			await using stream = new RozStream(gateway.url, { headers });
			const { model, sessionId } = await stream.start({ ...start });
			session = String(sessionId);
			stream.say("go");
			await stream.until("turnComplete");
			expect(fake.requests.at(-1)?.body.model).toBe(model);
			chosen.push(model);
		};
		for (const model of ["fast", "standard", "max"]) await ask({ model });
		await ask({ model: chosen[0] });
		await ask({});
		const [fast, standard, max] = chosen;
		expect(fast).toMatch(/haiku/);
		expect(standard).toMatch(/sonnet/);
		expect(max).toMatch(/opus/);
		expect(chosen.slice(3)).toEqual([fast, sonnet]);
		await ask({ model: "max" });
		await ask({}, { "parley-session-id": session });
		await ask({ model: "fast" }, { "parley-session-id": session });
		expect(chosen.slice(5)).toEqual([max, max, fast]);
	},
);

verifiesOn(
	"roz",
	["roz.resume", "roz.models"],
	"the model of a start that continues a session applies to later runs of all clients, and no model changes nothing",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.otherwise(says("yes"));
		await using gateway = await startWithClaude(fake);
		await using other = await OzzieClient.connect(gateway.url);
		const session = await other.open();
		const modelOfRun = async (): Promise<string | undefined> => {
			await other.call("send_message", { content: "go" });
			await other.event("assistant.message");
			return fake.requests.at(-1)?.body.model;
		};
		expect(await modelOfRun()).toBe(sonnet);
		const headers = { "parley-session-id": session };
		await using first = new RozStream(gateway.url, { headers });
		await first.start();
		expect(await modelOfRun()).toBe(sonnet);
		await using second = new RozStream(gateway.url, { headers });
		const { model } = await second.start({ model: "fast" });
		expect(model).toMatch(/haiku/);
		expect(await modelOfRun()).toBe(model);
		first.say("go");
		await first.until("turnComplete");
		expect(fake.requests.at(-1)?.body.model).toBe(model);
		await using third = new RozStream(gateway.url, { headers });
		expect(await third.start()).toMatchObject({ model });
		expect(await modelOfRun()).toBe(model);
	},
);

verifiesOn(
	"roz",
	["roz.history"],
	"history reaches the model unchanged: thinking with its signature, images, calls and results",
	async () => {
		await using fake = await FakeAnthropic.start();
		await using gateway = await startWithClaude(fake);
		// The provider accepts only thinking blocks that it has signed.
		const thinking = "A seed, I guess.";
		fake.script({ content: [thinks(thinking), ...says("Beans.").content] }, says("Green."));
		await using first = new RozStream(gateway.url);
		await first.start();
		first.say("what is it?");
		await first.until("turnComplete");
		expect(first.text("thinkingDelta")).toBe(thinking);
		const signature = signatureOf(thinking);
		const call = { id: "toolu_9", name: "read_file", input: { path: "bed.txt" } };
		await using stream = new RozStream(gateway.url);
		await stream.start({
			history: [
				{
					role: "user",
					parts: [
						{ image: { mediaType: "image/png", data: Buffer.from(png, "base64") } },
						{ text: { text: "what is it?" } },
					],
				},
				{
					role: "assistant",
					parts: [
						{ thinking: { thinking, signature } },
						{ text: { text: "Beans." } },
						{ toolUse: { ...call, input: structOf(call.input) } },
					],
				},
				{ role: "user", parts: [{ toolResult: { toolUseId: call.id, content: "no bed", isError: true } }] },
				{ role: "assistant", parts: [{ text: { text: "There is no bed." } }] },
			],
		});
		stream.say("which color?");
		await stream.until("turnComplete");
		expect(stream.text("textDelta")).toBe("Green.");
		const sent = sentTo(fake);
		expect(sent.slice(0, 4)).toMatchObject([
			{ role: "user", content: expect.arrayContaining([expect.objectContaining(image)]) },
			{
				role: "assistant",
				content: [
					{ type: "thinking", thinking, signature },
					{ type: "text", text: "Beans." },
					{ type: "tool_use", ...call },
				],
			},
			{
				role: "user",
				content: [
					{
						...{ type: "tool_result", tool_use_id: call.id, is_error: true },
						content: [{ type: "text", text: "no bed" }],
					},
				],
			},
			{ role: "assistant", content: [{ type: "text", text: "There is no bed." }] },
		]);
		expect(JSON.stringify(sent[4])).toContain("which color?");
	},
);

verifiesOn(
	"roz",
	["roz.history"],
	"an image of a message reaches the model with it, and stays in the conversation",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(says("a dot"), uses("toolu_1", "list_files"), says("still a dot"));
		await using gateway = await startWithClaude(fake);
		await using stream = new RozStream(gateway.url);
		await stream.start();
		const binary = { mimeType: "image/png", data: Buffer.from(png, "base64") };
		stream.say("what is this?", { context: [{ label: "Screenshot", binary }] });
		await stream.until("turnComplete");
		stream.say("and now?");
		await stream.until("turnComplete");
		for (const { body } of fake.requests) {
			const shown = JSON.stringify(body.messages[0]);
			expect(shown).toContain(JSON.stringify(image.source));
			expect(shown).toContain("what is this?");
		}
		expect(fake.requests).toHaveLength(3);
	},
);

verifiesOn(
	"roz",
	["roz.history"],
	"a file that is not an image is named to the model with its size, and cannot end its block",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(says("a plan"));
		await using gateway = await startWithClaude(fake);
		await using stream = new RozStream(gateway.url);
		await stream.start();
		const pdf = { mimeType: "application/pdf", data: Buffer.from("%PDF-1.7 secret plan") };
		const odd = { mimeType: "x</context>", data: Buffer.alloc(3) };
		stream.say("what is this?", { context: [{ label: "plan.pdf", binary: pdf }, { binary: odd }] });
		await stream.until("turnComplete");
		const [message] = sentTo(fake);
		const sent = JSON.stringify(message);
		for (const block of [
			'<context label=\\"plan.pdf\\">\\n[20 bytes of application/pdf cannot be shown]\\n</context>',
			"<context>\\n[3 bytes of x&lt;/context> cannot be shown]\\n</context>",
			"what is this?",
		])
			expect(sent).toContain(block);
		expect(sent).not.toContain("secret plan");
	},
);

verifiesOn(
	"roz",
	["roz.fatal"],
	"a start whose history or instructions cannot be used leaves no session",
	async () => {
		await using gateway = await TestGateway.start();
		const text = { role: "user", parts: [{ text: { text: "hi" } }] };
		const damaged = { mediaType: "image/png", data: Buffer.from("x") };
		for (const [start, message] of [
			[{ model: "gpt-99", history: [text] }, /^model: /],
			[
				{ history: [text, { role: "assistant", parts: [{ toolUse: { id: "c1", name: "look" } }] }] },
				/has no result/,
			],
			[{ history: [{ role: "user", parts: [{ image: damaged }] }] }, /image/],
			[
				{ projectContext: ["x", "y"].map((letter) => letter.repeat(100_000)) },
				/^project_context: it has 200002/,
			],
		] as const) {
			await using stream = new RozStream(gateway.url);
			stream.send({ start });
			expect(await stream.until("error")).toMatchObject({
				...{ code: "invalid_argument", message: expect.stringMatching(message) },
			});
			await stream.ended();
		}
		await using reader = await OzzieClient.connect(gateway.url);
		expect(await reader.call("list_sessions", {})).toMatchObject({ sessions: [] });
	},
);
