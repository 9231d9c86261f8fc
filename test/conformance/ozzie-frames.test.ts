import type { Failpoints } from "@parley/base";
import { noUsage } from "@parley/core";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["frame.text", "response.id", "response.success", "response.failure"],
	"every answer is one text message with one object",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const messages: string[] = [];
		client.socket.on("message", (data, isBinary) => messages.push(`${isBinary} ${data.toString()}`));
		client.send({ type: "req", id: "any words ✓", method: "list_sessions" });
		await client.next();
		client.send({ type: "req", id: "2", method: "open_session", params: { session_id: "sess_x" } });
		await client.next();
		expect(messages).toEqual([
			'false {"type":"res","id":"any words ✓","ok":true,"payload":{"sessions":[]}}',
			'false {"type":"res","id":"2","ok":false,"error":"session not found: sess_x"}',
		]);
	},
);

const malformed: readonly (readonly [frame: string, id: string | undefined])[] = [
	["", undefined],
	["hello", undefined],
	['{"type":"req"', undefined],
	["null", undefined],
	["17", undefined],
	["[]", undefined],
	['[{"type":"req","id":"a","method":"accept_all_tools"}]', undefined],
	['"req"', undefined],
	["{}", undefined],
	['{"type":"req","method":"accept_all_tools"}', undefined],
	['{"type":"req","id":"","method":"accept_all_tools"}', undefined],
	['{"type":"req","id":{},"method":"accept_all_tools"}', undefined],
	['{"type":"req","id":"a"}', "a"],
	['{"type":"req","id":"a","method":""}', "a"],
	['{"type":"req","id":"a","method":null}', "a"],
	['{"id":"a","method":"accept_all_tools"}', "a"],
	['{"type":"res","id":"a","ok":true,"payload":{}}', "a"],
	['{"type":"event","id":"a","event":"assistant.message","session_id":"SESSION","payload":{}}', "a"],
	['{"jsonrpc":"2.0","id":"a","method":"accept_all_tools"}', "a"],
	[
		`{"type":"req","id":"a","method":"accept_all_tools","params":${"[".repeat(100)}${"]".repeat(100)}}`,
		undefined,
	],
	['{"type":"req","id":"a","method":"accept_all_tools","params":{"__proto__":{"key":"x"}}}', undefined],
	['{"type":"req","id":"a\\ud800","method":"accept_all_tools"}', undefined],
	["\u0000", undefined],
];

verifiesOn(
	"ozzie",
	["frame.malformed"],
	"a frame that is not a request has one answer and no effect",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: session });
		await client.arrived();
		for (const [frame, id] of malformed) {
			client.send(frame.replace("SESSION", session));
			const answer = await client.next();
			expect(answer, frame).toMatchObject({ type: "res", ok: false, ...(id !== undefined && { id }) });
			expect("id" in answer).toBe(id !== undefined);
		}
		expect(await client.arrived()).toEqual([]);
		expect(await other.arrived()).toEqual([]);
		await client.call("send_message", { content: "run: echo trusted" });
		await client.event("prompt.request");
	},
);

verifiesOn("ozzie", ["frame.numeric-id"], "an id that is a number is invalid", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	for (const id of [0, 1, -1, 1.5]) {
		client.send({ type: "req", id, method: "open_session" });
		await expect(client.next()).resolves.toEqual({ type: "res", ok: false, error: "invalid id" });
	}
	expect((await client.call("list_sessions"))["sessions"]).toEqual([]);
});

verifiesOn("ozzie", ["frame.id"], "NUL alone is not an id", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	client.send({ type: "req", id: "\0\0", method: "list_sessions" });
	const refused = await client.next();
	expect(refused).toEqual({ type: "res", ok: false, error: expect.stringMatching(/^invalid request: id\b/) });
	client.send({ type: "req", id: "a\0", method: "list_sessions" });
	expect(await client.next()).toMatchObject({ type: "res", id: "a\0", ok: true });
});

verifiesOn(
	"ozzie",
	["frame.duplicate-id"],
	"an id in flight cannot be reused before its response",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.arrived();
		const userMessage = (content: string) => ({
			type: "req",
			id: "same",
			method: "send_message",
			params: { content },
		});
		client.send(userMessage("say: one"));
		client.send(userMessage("say: two"));
		const answers = [await client.response("same"), await client.response("same")];
		expect(answers).toEqual([
			expect.objectContaining({ id: "same", ok: true }),
			{ type: "res", id: "same", ok: false, error: "duplicate id" },
		]);
		await client.event("assistant.message", { content: "[offline] one" });
		client.send(userMessage("say: three"));
		expect(await client.response("same")).toMatchObject({ ok: true });
		const received = [await client.event("user.message"), await client.event("assistant.message")];
		expect(received.map(({ payload }) => payload["content"])).toEqual(["say: three", "[offline] three"]);
	},
);

verifiesOn("ozzie", ["frame.unknown-method"], "unknown methods are refused", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	for (const method of ["nope", "Open_Session", "toString", "__proto__", "open_session "]) {
		expect(await client.refusal(method)).toBe(`unknown method: ${method}`);
	}
});

verifiesOn(
	"ozzie",
	["frame.invalid-params"],
	"invalid parameters are refused without an effect",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const wrong: readonly (readonly [string, unknown])[] = [
			["open_session", { session_id: 5 }],
			["open_session", { root_dir: {} }],
			["open_session", { after_seq: -1 }],
			["open_session", { join: "yes" }],
			["open_session", []],
			["open_session", "sess_1"],
			["send_message", {}],
			["send_message", { content: 5 }],
			["send_message", { content: ["hi"] }],
			["send_message", null],
			["prompt_response", { value: true }],
			["prompt_response", { token: "t", cancelled: "no" }],
			["accept_all_tools", 1],
			["load_messages", { limit: 0 }],
			["resume", { sessions: {} }],
			["steer", { content: " " }],
			["retry", []],
			["set_model", {}],
			["usage", { since: "2026-13-01" }],
			["set_budget", { scope: "gateway", period: "day", limit_usd: -1 }],
			["set_budget", { scope: "gateway", period: "day" }],
		];
		for (const [index, [method, params]] of wrong.entries()) {
			client.send({ type: "req", id: `${index}`, method, params });
			const answer = await client.response(`${index}`);
			expect(answer.ok ? "ok" : answer.error, `${method} ${JSON.stringify(params)}`).toMatch(
				/^invalid params\b/,
			);
		}
		expect((await client.call("list_sessions"))["sessions"]).toEqual([]);
	},
);

verifiesOn("ozzie", ["frame.unknown-keys"], "unknown keys have no effect", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const more = { ok: true, payload: { a: 1 }, error: null, jsonrpc: "2.0" };
	await client.call("open_session", { session_id: "", language: "de", deep: { er: [] } }, more);
	await client.call("send_message", { content: "say: hi", images: [] }, more);
	await client.event("assistant.message", { content: "[offline] hi" });
});

/** Failpoint that delays every commit while it is closed. */
class Gate implements Failpoints {
	#open = Promise.withResolvers<void>();
	#reached = Promise.withResolvers<void>();
	#closed = false;

	reach(name: string): Promise<void> | undefined {
		if (!this.#closed || name !== "store.commit") return undefined;
		this.#reached.resolve();
		return this.#open.promise;
	}

	/** Closes the gate. Resolves when a commit waits at the gate. */
	close(): Promise<void> {
		this.#closed = true;
		this.#open = Promise.withResolvers();
		this.#reached = Promise.withResolvers();
		return this.#reached.promise;
	}

	open(): void {
		this.#closed = false;
		this.#open.resolve();
	}
}

verifiesOn("ozzie", ["response.durable"], "no response and no event is sent before the commit", async () => {
	const gate = new Gate();
	await using gateway = await TestGateway.start({ failpoints: gate });
	await using client = await OzzieClient.connect(gateway.url);
	await using other = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	await other.open({ session_id: session });
	await client.arrived();
	for (const method of ["send_message", "accept_all_tools", "cancel_turn"]) {
		const reached = gate.close();
		let answered = false;
		const answer = client.call(method, { content: "say: hi" }).finally(() => {
			answered = true;
		});
		await reached;
		expect(await other.arrived()).toEqual([]);
		expect(answered).toBe(false);
		gate.open();
		await answer;
		await other.arrived();
	}
});

verifiesOn(
	"ozzie",
	["response.next"],
	"no frame is sent between the read of a request and its response",
	async () => {
		const gate = new Gate();
		const speak = Promise.withResolvers<void>();
		const userMessage = Promise.withResolvers<void>();
		const model = new ScriptedModel(async function* () {
			yield says("before ");
			await speak.promise;
			yield says("meanwhile ");
			userMessage.resolve();
			yield calls("c1", "run_command", { cmd: "true" });
			yield { type: "end", stop: "tool_use", usage: noUsage, model: "m" };
		});
		await using gateway = await TestGateway.start({ failpoints: gate, model });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "speak" });
		await client.event("assistant.stream", { phase: "delta" });
		const reached = gate.close();
		client.send({ type: "req", id: "slow", method: "open_session", params: { join: true } });
		await reached;
		speak.resolve();
		await userMessage.promise;
		gate.open();
		await expect(client.next()).resolves.toMatchObject({ type: "res", id: "slow", ok: true });
		await client.event("assistant.stream", { content: "meanwhile " });
		await client.event("prompt.request");
	},
);

verifiesOn(
	"ozzie",
	["response.before-events"],
	"the response of the first session is sent before its events",
	async () => {
		await using gateway = await TestGateway.start();
		for (const [method, params] of [
			["open_session", {}],
			["send_message", { content: "say: hi" }],
			["accept_all_tools", {}],
		] as const) {
			await using client = await OzzieClient.connect(gateway.url);
			client.send({ type: "req", id: "first", method, params });
			await expect(client.next()).resolves.toMatchObject({ type: "res", id: "first", ok: true });
			await expect(client.next()).resolves.toMatchObject({ type: "event", event: "session.created", seq: 1 });
		}
	},
);
