import { MemoryLogger, seededIds } from "@parley/base/testing";
import { ModelTable, operator } from "@parley/core";
import {
	calls,
	EventLog,
	ScriptedModel,
	type ScriptedReply,
	says,
	stuck,
	TestRuntime,
} from "@parley/core/testing";
import { expect, test } from "vitest";
import type { SessionResponse } from "../../gen/roz/v1/agent.ts";
import { SessionStream } from "./connection.ts";
import { Hosts } from "./methods/hosts.ts";

type Frame = NonNullable<SessionResponse["response"]>;

const abilities = { contextWindow: 200_000, maxOutput: 8_000, reasoning: "none", sampling: true } as const;
const table = new ModelTable([
	{ id: "scripted", provider: "scripted", ...abilities, images: true },
	{ id: "blind", provider: "scripted", ...abilities, images: false },
]);

/** Opens a stream without a transport, on its own runtime. */
async function open(stack: AsyncDisposableStack, ...replies: ScriptedReply[]) {
	const t = stack.use(
		await TestRuntime.open({ model: new ScriptedModel(...replies), anyModel: true, table }),
	);
	const frames: Frame[] = [];
	const waiting = new Map<Frame["$case"], () => void>();
	const ended = Promise.withResolvers<void>();
	const ids = seededIds(1);
	const pauses: boolean[] = [];
	const stream = new SessionStream({
		runtime: t.runtime,
		principal: operator,
		clock: t.clock,
		log: new MemoryLogger(),
		resumed: undefined,
		ownHostId: undefined,
		hosts: new Hosts(),
		redactor: { redact: (text) => text },
		newId: () => ids.uuid(),
		setPaused: (isPaused) => pauses.push(isPaused),
		send: ({ response }) => {
			if (!response) return;
			frames.push(response);
			waiting.get(response.$case)?.();
		},
		finished: () => ended.resolve(),
		refused: () => ended.resolve(),
	});
	const until = async ($case: Frame["$case"]): Promise<Frame | undefined> => {
		const found = () => frames.find((frame) => frame.$case === $case);
		if (!found()) await new Promise<void>((resolve) => waiting.set($case, resolve));
		return found();
	};
	const start = { $case: "start", value: emptyStart } as const;
	const say = (content: string) => {
		const value = { content, context: [], tools: [] };
		stream.receive({ request: { $case: "userMessage", value } });
	};
	return {
		t,
		stream,
		frames,
		pauses,
		until,
		say,
		ended: ended.promise,
		start: () => stream.receive({ request: start }),
	};
}

const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

const emptyStart = { environmentId: "", tools: [], history: [], projectContext: [] };

test("a client that half-closes while its session opens gets its reply", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, stream, frames, say, start, ended } = await open(stack, [says("done")]);
	const permissions = t.runtime.toolPermissions.bind(t.runtime);
	t.runtime.toolPermissions = (...request) => {
		stream.close();
		return permissions(...request);
	};
	start();
	say("go");
	await ended;
	expect(frames.at(-1)).toMatchObject({ $case: "turnComplete", value: { stopReason: "end_turn" } });
});

for (const part of ["follow", "toolPermissions"] as const) {
	test(`a start that fails after its session was created leaves no session: ${part}`, async () => {
		await using stack = new AsyncDisposableStack();
		const { t, frames, start, ended } = await open(stack);
		Object.assign(t.runtime, { [part]: () => Promise.reject(new Error("the disk is full")) });
		start();
		await ended;
		expect(frames).toMatchObject([{ $case: "error", value: { code: "internal" } }]);
		expect(await t.runtime.list(operator, { limit: 1 })).toEqual([]);
	});
}

test("a client that disconnects before its session is open leaves no session", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, stream, frames, start } = await open(stack);
	const permissions = t.runtime.toolPermissions.bind(t.runtime);
	const requested = Promise.withResolvers<void>();
	t.runtime.toolPermissions = async (...request) => {
		stream.abandon();
		requested.resolve();
		return permissions(...request);
	};
	start();
	await requested.promise;
	await t.settle();
	expect(frames).toEqual([]);
	expect(await t.runtime.list(operator, { limit: 1 })).toEqual([]);
});

test("a turn sends keepalive every 15 s, with the tokens of its last request and of the window of the model", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, frames, until, say, start } = await open(stack, [calls("c1", "list_files")], stuck("wait"));
	const keepalives = () => frames.flatMap(({ $case, value }) => ($case === "keepalive" ? [value] : []));
	start();
	const started = await until("sessionStarted");
	if (started?.$case !== "sessionStarted") throw new Error("no session has started");
	const contexts: unknown[] = [];
	stack.defer(
		t.runtime.observe(operator, ({ event }) => {
			if (event.type === "context.updated")
				contexts.push({ tokensUsed: event.total, tokensMax: event.window });
		}),
	);
	say("go");
	await until("textDelta");
	t.clock.advance(14_999);
	expect(keepalives()).toEqual([]);
	t.clock.advance(1);
	t.clock.advance(15_000);
	const [context] = contexts;
	expect(context).toEqual({ tokensUsed: expect.any(Number), tokensMax: expect.any(Number) });
	expect(keepalives()).toEqual([context, context]);
});

test("after 10 minutes without a turn the presence hint is hidden, and after the end no frame is sent", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, stream, frames, until, start } = await open(stack);
	start();
	await until("sessionStarted");
	t.clock.advance(600_000);
	expect(frames.at(-1)).toMatchObject({ $case: "presenceHint", value: { level: "hidden" } });
	const sent = frames.length;
	stream.abandon();
	t.clock.advance(600_000);
	stream.receive({ request: { $case: "ping", value: {} } });
	expect(frames).toHaveLength(sent);
});

test("a frame before the session is open pauses the client until it is open", async () => {
	await using stack = new AsyncDisposableStack();
	const { frames, pauses, say, start, until } = await open(stack, [says("done")]);
	start();
	expect(pauses).toEqual([]);
	say("go");
	expect(pauses).toEqual([true]);
	await until("turnComplete");
	expect(pauses).toEqual([true, false]);
	expect(frames.filter(({ $case }) => $case === "turnComplete")).toHaveLength(1);
});

test("a message after an unusable one is answered", async () => {
	await using stack = new AsyncDisposableStack();
	const { frames, say, start, until } = await open(stack, [says("done")]);
	start();
	await until("sessionStarted");
	say(" ");
	say("go");
	expect(await until("error")).toMatchObject({ value: { code: "invalid_argument" } });
	await until("turnComplete");
	expect(frames.filter(({ $case }) => $case === "error")).toHaveLength(1);
});

test("an image is refused after another client has chosen a model that reads none", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, stream, start, until } = await open(stack);
	start();
	const started = await until("sessionStarted");
	if (started?.$case !== "sessionStarted") throw new Error("no session has started");
	const request = { principal: operator, key: undefined, method: "set_model", params: undefined };
	await t.runtime.setModel(request, started.value.sessionId, "blind");
	const block = { $case: "binary", value: { mimeType: "image/png", data: png } } as const;
	const value = { content: "look", context: [{ block }], tools: [] };
	stream.receive({ request: { $case: "userMessage", value } });
	expect(await until("error")).toMatchObject({
		value: { code: "unsupported", message: expect.stringMatching(/^context: blind cannot read images/) },
	});
});

test("a session that is cancelled before its message is accepted cancels the run of the message", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, stream, say, start, until } = await open(stack, stuck("wait"));
	start();
	const started = await until("sessionStarted");
	if (started?.$case !== "sessionStarted") throw new Error("no session has started");
	const log = await EventLog.join(t.runtime, started.value.sessionId, { afterSeq: 0 });
	say("go");
	stream.receive({ request: { $case: "cancelSession", value: { reason: "" } } });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
});

test("a paused client whose start failed is read to its end", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, pauses, frames, say, start, ended } = await open(stack);
	t.runtime.toolPermissions = () => Promise.reject(new Error("the disk is full"));
	start();
	say("go");
	await ended;
	expect(frames).toEqual([
		{ $case: "error", value: { code: "internal", message: "internal error", retryable: true } },
	]);
	expect(pauses).toEqual([true, false]);
});
