import { type Failpoints, silentLogger } from "@parley/base";
import { noUsage, operator, type Principal } from "@parley/core";
import { calls, probeTool, ScriptedModel, says, stuck, TestRuntime } from "@parley/core/testing";
import type { ResponseFrame } from "@parley/protocol";
import { expect, test } from "vitest";
import { RateLimit } from "../shared/rate-limit.ts";
import type { OzzieEvent } from "./codec.ts";
import { maxPending, OzzieConnection } from "./connection.ts";

/** Records the frames in order. Can receive more frames when `drained` resolves. */
class Client {
	readonly written: (ResponseFrame | OzzieEvent)[] = [];
	readonly reading: boolean[] = [];
	readonly connection: OzzieConnection;
	drained: Promise<void> = Promise.resolve();
	readonly #runtime: TestRuntime;

	constructor(t: TestRuntime, principal: Principal = operator, envelope: "flat" | "both" = "flat") {
		this.#runtime = t;
		const { runtime, clock } = t;
		const out = {
			response: (frame: ResponseFrame) => void this.written.push(frame),
			event: (event: OzzieEvent) => void this.written.push(event),
			drained: () => this.drained,
			close: () => undefined,
			reading: (on: boolean) => void this.reading.push(on),
			shape: () => undefined,
		};
		const rateLimit = new RateLimit(clock);
		this.connection = new OzzieConnection({
			runtime,
			principal,
			log: silentLogger,
			rateLimit,
			out,
			now: () => clock.now(),
			envelope,
		});
	}

	send(id: string, method: string, params: object = {}): void {
		this.connection.receive(JSON.stringify({ type: "req", id, method, params }));
	}

	async waitFor(what: string): Promise<void> {
		while (!this.frames.includes(what)) await this.#runtime.settle();
	}

	/** Returns the ids of responses and the types of events, in the order of the frames. */
	get frames(): string[] {
		return this.written.map((frame) => ("event" in frame ? frame.event.type : `${frame.id}`));
	}
}

/** Creates a gate that blocks commits while it is closed. */
function createGate() {
	let gate: PromiseWithResolvers<void> | undefined;
	const failpoints: Failpoints = { reach: (name) => (name === "store.commit" ? gate?.promise : undefined) };
	return {
		failpoints,
		close: () => {
			gate = Promise.withResolvers();
		},
		open: () => {
			gate?.resolve();
			gate = undefined;
		},
	};
}

test("a client with many waiting requests is not read until some are answered", async () => {
	const gate = createGate();
	await using t = await TestRuntime.open({ model: new ScriptedModel(), failpoints: gate.failpoints });
	const client = new Client(t);
	gate.close();
	client.send("0", "open_session");
	await t.settle();
	for (let n = 1; n < maxPending; n++) client.send(`${n}`, "list_sessions");
	expect(client.reading).toEqual([]);
	client.send(`${maxPending}`, "list_sessions");
	expect(client.reading).toEqual([false]);
	gate.open();
	await t.settle();
	expect(client.reading).toEqual([false, true]);
	const answered = client.frames.filter((id) => /^\d+$/.test(id));
	expect(answered).toEqual(Array.from({ length: maxPending + 1 }, (_, n) => `${n}`));
	await client.connection.close();
});

test("no event is sent between a request and its response, and waiting events keep their order", async () => {
	const gate = createGate();
	const speak = Promise.withResolvers<void>();
	const model = new ScriptedModel(async function* () {
		yield says("one");
		await speak.promise;
		yield says("two");
		yield { type: "end", stop: "end_turn", usage: noUsage, model: "m" };
	});
	await using t = await TestRuntime.open({ model, failpoints: gate.failpoints });
	const client = new Client(t);
	client.send("open", "open_session");
	client.send("say", "send_message", { content: "hi" });
	await client.waitFor("text.delta");
	gate.close();
	client.send("slow", "open_session", { join: true });
	await t.settle();
	const before = client.frames.length;
	speak.resolve();
	await t.settle();
	expect(client.frames).toHaveLength(before);
	gate.open();
	await client.waitFor("assistant.message");
	const frames = client.frames.slice(before);
	expect(frames.filter((what) => what !== "session.created")).toEqual([
		...["slow", "text.delta", "text.ended", "model.called", "usage.updated", "assistant.message"],
	]);
	await client.connection.close();
});

test("a replay waits for its client and for pending responses", async () => {
	const gate = createGate();
	await using t = await TestRuntime.open({ model: new ScriptedModel(), failpoints: gate.failpoints });
	const session = await t.create();
	for (let n = 0; n < 20; n++) {
		const other = new Client(t);
		other.send("1", "open_session", { session_id: session });
		await t.settle();
		await other.connection.close();
	}
	const client = new Client(t);
	const slow = Promise.withResolvers<void>();
	client.drained = slow.promise;
	client.send("open", "open_session", { session_id: session, after_seq: 0 });
	await t.settle();
	expect(client.frames).toEqual(["open", "session.created"]);
	gate.close();
	client.send("next", "accept_all_tools");
	await t.settle();
	slow.resolve();
	await t.settle();
	expect(client.frames).toEqual(["open", "session.created"]);
	gate.open();
	await t.settle();
	expect(client.frames).toEqual([
		...["open", "session.created", "next"],
		...Array.from({ length: 20 }, () => "session.closed"),
	]);
	await client.connection.close();
});

test("events of a session that was left in the meantime do not follow the response", async () => {
	const gate = createGate();
	const speak = Promise.withResolvers<void>();
	const model = new ScriptedModel(async function* () {
		yield says("one");
		await speak.promise;
		yield says("two");
	}, stuck("..."));
	await using t = await TestRuntime.open({ model, failpoints: gate.failpoints });
	const client = new Client(t);
	client.send("open", "open_session");
	client.send("say", "send_message", { content: "hi" });
	await client.waitFor("text.delta");
	const before = client.frames.length;
	gate.close();
	client.send("away", "open_session");
	await t.settle();
	speak.resolve();
	await t.settle();
	gate.open();
	await t.settle();
	expect(client.frames.slice(before)).toEqual(["away", "session.created"]);
	await client.connection.close();
});

test("a disconnected client gets no further frame, and its requests are completed", async () => {
	const gate = createGate();
	await using t = await TestRuntime.open({
		model: new ScriptedModel([says("hi")]),
		failpoints: gate.failpoints,
	});
	const client = new Client(t);
	client.send("open", "open_session");
	await t.settle();
	gate.close();
	client.send("say", "send_message", { content: "hello" });
	await t.settle();
	const before = client.frames.length;
	const closed = client.connection.close();
	client.send("late", "list_sessions");
	gate.open();
	await closed;
	expect(client.frames).toHaveLength(before);
	const again = new Client(t);
	const [listed] = await t.runtime.list(operator, { limit: 1 });
	expect(listed).toMatchObject({ status: "closed" });
	again.send("open", "open_session", { session_id: listed?.id, after_seq: 0 });
	await again.waitFor("assistant.message");
	await again.connection.close();
});

test("only a refused request is recorded in the audit log, with its principal", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const client = new Client(t, { id: "observer:1", kind: "observer", via: "ozzie" });
	client.send("1", "list_tokens");
	client.send("2", "list_people");
	client.send("3", "list_tokens");
	client.send("4", "no_such_method");
	await client.waitFor("4");
	await t.runtime.trust.audit.stop();
	const rows = await t.runtime.trust.auditLog.read(operator, { limit: 100 });
	expect(rows.map(({ principal, via, object, args }) => [principal, via, object, args])).toEqual([
		["observer:1", "ozzie", "list_tokens", '{"times":1}'],
		["observer:1", "ozzie", "list_people", '{"times":1}'],
		["observer:1", "ozzie", "list_tokens", '{"times":1}'],
	]);
	expect(new Set(rows.map(({ action, decision }) => `${action} ${decision}`))).toEqual(
		new Set(["request.refuse denied"]),
	);
	await client.connection.close();
});

test("a Go client gets the next prompt after a commit, and none that the same commit has answered", async () => {
	const tools = ["one", "two", "three"].map((name) => probeTool(name, { classes: ["write"] }));
	const both = [calls("c1", "one"), calls("c2", "two")];
	const model = new ScriptedModel(both, [says("done")], [...both, calls("c3", "three")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools });
	const client = new Client(t, operator, "both");
	const prompts = (): string[] => client.frames.filter((what) => what.startsWith("prompt."));
	client.send("say", "send_message", { content: "go" });
	await client.waitFor("prompt.requested");
	client.send("accept", "accept_all_tools");
	await client.waitFor("assistant.message");
	expect(prompts()).toEqual(["prompt.requested", "prompt.answered", "prompt.answered"]);
	client.written.length = 0;
	client.send("open", "open_session");
	client.send("again", "send_message", { content: "go" });
	await client.waitFor("prompt.requested");
	const [first] = await t.runtime.prompts.list(operator, { limit: 10 });
	client.send("deny", "prompt_response", { token: first?.prompt.token, value: false });
	await client.waitFor("prompt.shown");
	expect(prompts()).toEqual(["prompt.requested", "prompt.answered", "prompt.shown"]);
	client.send("cancel", "cancel_turn");
	await client.waitFor("assistant.message");
	expect(prompts().slice(3)).toEqual(["prompt.closed", "prompt.closed"]);
	await client.connection.close();
});

test("a Go client that gets the history of a session sees its next open prompt at the end, and no answered one", async () => {
	const tools = ["one", "two", "three"].map((name) => probeTool(name, { classes: ["write"] }));
	const model = new ScriptedModel(
		[calls("c1", "one"), calls("c2", "two"), calls("c3", "three")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools });
	const first = new Client(t);
	first.send("say", "send_message", { content: "go" });
	while (first.frames.filter((what) => what === "prompt.requested").length < 3) await t.settle();
	const open = await t.runtime.prompts.list(operator, { limit: 10 });
	const tokens = ["c1", "c2"].map(
		(id) => open.find(({ prompt }) => prompt.approval?.callId === id)?.prompt.token,
	);
	for (const token of tokens) first.send(`${token}`, "prompt_response", { token, value: true });
	await first.waitFor(`${tokens[1]}`);
	const client = new Client(t, operator, "both");
	client.send("open", "open_session", { session_id: open[0]?.sessionId, after_seq: 0 });
	await client.waitFor("prompt.shown");
	const shown = client.written.flatMap((frame) =>
		"event" in frame && (frame.event.type === "prompt.requested" || frame.event.type === "prompt.shown")
			? [frame.event.prompt.label]
			: [],
	);
	expect(shown).toEqual(["Allow one?", "Allow three?"]);
	await first.connection.close();
	await client.connection.close();
});
