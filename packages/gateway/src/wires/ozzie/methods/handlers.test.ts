import { silentLogger } from "@parley/base";
import { operator } from "@parley/core";
import { ScriptedModel, says, TestRuntime, testConnector } from "@parley/core/testing";
import type { ResponseFrame } from "@parley/protocol";
import { expect, test } from "vitest";
import { RateLimit } from "../../shared/rate-limit.ts";
import type { OzzieEvent } from "../codec.ts";
import { OzzieConnection, type OzzieConnectionDeps } from "../connection.ts";

/** A client on one connection that reads all frames immediately. */
class Client {
	readonly frames: (string | number)[] = [];
	readonly #answers: ResponseFrame[] = [];
	readonly #connection: OzzieConnection;
	readonly #t: TestRuntime;

	constructor(t: TestRuntime, more: Partial<OzzieConnectionDeps> = {}) {
		this.#t = t;
		this.#connection = new OzzieConnection({
			runtime: t.runtime,
			principal: operator,
			...more,
			log: silentLogger,
			rateLimit: new RateLimit(t.clock),
			now: () => t.clock.now(),
			out: {
				response: (frame) => {
					this.#answers.push(frame);
					this.frames.push("R");
				},
				event: (event: OzzieEvent) => void this.frames.push(event.transient ? event.event.type : event.seq),
				drained: () => Promise.resolve(),
				close: (code) => void this.frames.push(`closed ${code}`),
				reading: () => undefined,
				shape: () => undefined,
			},
		});
	}

	send(method: string, params: object = {}, more: object = {}): void {
		this.#connection.receive(
			JSON.stringify({ type: "req", id: crypto.randomUUID(), method, params, ...more }),
		);
	}

	/** Sends a request. Returns the payload of the response, or its error, after all pending work. */
	async request(
		method: string,
		params: object = {},
		more: object = {},
	): Promise<Readonly<Record<string, unknown>>> {
		const before = this.#answers.length;
		this.send(method, params, more);
		while (this.#answers.length === before) await this.#t.settle();
		await this.#t.settle();
		const answer = this.#answers.at(-1);
		// The cast is safe because every called method answers with an object.
		return answer?.ok ? (answer.payload as Record<string, unknown>) : { error: answer?.error };
	}

	async waitFor(seq: number): Promise<void> {
		while (!this.frames.includes(seq)) await this.#t.settle();
	}

	close(): Promise<void> {
		return this.#connection.close();
	}
}

const usedKey = { error: 'invalid params: key "k" was used for another request: use another key' };

async function messages(t: TestRuntime): Promise<number[]> {
	const sessions = await t.runtime.list(operator, { limit: 10 });
	return sessions.map((session) => session.messageCount).sort();
}

test.each([
	["send_message", { content: "hi" }],
	["accept_all_tools", {}],
	["cancel_turn", {}],
])("a key of %s belongs to the named session, in either position of its id", async (method, params) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("one")], [says("two")]) });
	const [one, two] = [new Client(t), new Client(t)];
	const { session_id } = await one.request("open_session");
	await two.request("open_session");
	const first = await one.request(method, { ...params, key: "k" });
	expect(first).not.toHaveProperty("error");
	expect(await two.request(method, { ...params, key: "k" })).toEqual(usedKey);
	expect(await one.request(method, { ...params, key: "k" }, { session_id })).toEqual(first);
	await two.request("open_session", { session_id, join: true });
	expect(await two.request(method, { ...params, key: "k" }, { session_id })).toEqual(first);
	await Promise.all([one.close(), two.close()]);
});

test("a repeated key returns the same answer for any session in the request", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const [one, two] = [new Client(t), new Client(t)];
	const opening = { key: "k", join: true };
	const first = await one.request("open_session", opening);
	const { session_id } = await two.request("open_session");
	expect(await two.request("open_session", opening, { session_id })).toEqual(first);
	await Promise.all([one.close(), two.close()]);
});

test("a repeated first message finds its session over another connection: one run, one answer", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("once")]) });
	const [one, two] = [new Client(t), new Client(t)];
	const first = await one.request("send_message", { content: "hi", key: "k" });
	expect(first).toMatchObject({ status: "sent", run_id: expect.any(String) });
	await one.waitFor(5);
	await one.close();
	expect(await two.request("send_message", { content: "hi", key: "k" })).toEqual(first);
	expect(two.frames.filter(Number.isInteger)).toEqual([1, 2, 3, 4, 5, 6]);
	await two.close();
	expect(await messages(t)).toEqual([2]);
});

test.each([
	["send_message", { content: "another" }],
	["accept_all_tools", {}],
])("another first request with the same key, %s, is refused and joins no session", async (method, params) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("once")]) });
	const [one, two] = [new Client(t), new Client(t)];
	await one.request("send_message", { content: "hi", key: "k" });
	await one.waitFor(5);
	expect(await two.request(method, { ...params, key: "k" })).toEqual(usedKey);
	expect(await two.request("cancel_turn")).toEqual({
		error:
			"invalid params: session_id: no session is open on this connection: send open_session first, or give session_id",
	});
	expect(two.frames).toEqual(["R", "R"]);
	expect(await messages(t)).toEqual([2]);
	await Promise.all([one.close(), two.close()]);
});

test("a session that is opened again from a seq is replayed once, in order, with held events", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("one")], [says("two")]) });
	const client = new Client(t);
	const { session_id } = await client.request("open_session");
	await client.request("send_message", { content: "1" });
	await client.waitFor(5);
	const before = client.frames.length;
	client.send("send_message", { content: "2" });
	await client.request("open_session", { session_id, after_seq: 0 });
	await client.waitFor(9);
	const frames = client.frames.slice(before);
	expect(frames.slice(0, 2)).toEqual(["R", "R"]);
	expect(frames.filter(Number.isInteger)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
	await client.close();
});

test("a session that is opened again without a seq continues at its position", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("one")], [says("two")]) });
	const client = new Client(t);
	const { session_id } = await client.request("open_session");
	const again = { session_id };
	for (const [index, content] of ["1", "2"].entries()) {
		client.send("open_session", again);
		client.send("send_message", { content });
		client.send("open_session", { ...again, join: true });
		client.send("resume", { sessions: [again, again] });
		await client.request("open_session", again);
		await client.waitFor(5 + 4 * index);
	}
	const reply = ["model.calling", "text.started", "text.delta", "text.ended"];
	const events = client.frames.filter((each) => each !== "R");
	expect(events).toEqual([1, 2, ...reply, 3, 4, 5, 6, ...reply, 7, 8, 9]);
	await client.close();
});

test("a session that is left and joined again at once sends only the requested events", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("one")]) });
	const client = new Client(t);
	const { session_id } = await client.request("open_session");
	const before = client.frames.length;
	client.send("send_message", { content: "1" });
	client.send("open_session", { join: false });
	await client.request("open_session", { session_id, after_seq: 1 });
	await client.waitFor(4);
	const frames = client.frames.slice(before).filter(Number.isInteger);
	expect(frames.slice(0, 3)).not.toContain(1);
	expect(new Set(frames).size).toBe(frames.length);
	expect(frames).toEqual(frames.toSorted((a, b) => Number(a) - Number(b)));
	await client.close();
});

test.each(["observer", "connector"] as const)("an %s may not set a budget", async (kind) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const connector = testConnector("owner", "connector:1");
	const principal = kind === "connector" ? connector : ({ id: "observer:1", kind } as const);
	const foreign = new Client(t, { principal });
	const own = kind === "connector" ? (await foreign.request("open_session"))["session_id"] : undefined;
	expect(own !== undefined).toBe(kind === "connector");
	const params = { period: "day", limit_usd: 1_000_000 };
	for (const scope of [{ scope: "gateway" }, ...(own ? [{ scope: "session", session_id: own }] : [])]) {
		expect(await foreign.request("set_budget", { ...scope, ...params })).toMatchObject({
			error: expect.stringMatching(/^forbidden: /),
		});
	}
	const operators = new Client(t);
	const { budgets } = await operators.request("usage");
	expect(JSON.stringify(budgets)).not.toContain("1000000");
	expect(await operators.request("set_budget", { scope: "gateway", ...params })).toEqual({ status: "set" });
	await Promise.all([foreign.close(), operators.close()]);
});

test("days in the wrong order are refused", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const client = new Client(t);
	const [since, until] = ["2026-03-02", "2026-03-01"];
	expect(await client.request("usage", { since, until })).toEqual({
		error: "invalid params: since: must not be after until, but 2026-03-02 is after 2026-03-01",
	});
	expect(await client.request("usage", { since, until: since })).not.toHaveProperty("error");
	await client.close();
});

test("the list of models states whether others can be chosen", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const [one, two] = [new Client(t), new Client(t, { anyModel: true })];
	expect(await one.request("list_models")).not.toHaveProperty("any_model");
	expect(await two.request("list_models")).toMatchObject({ any_model: true });
	await Promise.all([one.close(), two.close()]);
});
