import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { noSandboxes } from "../testing/no-sandboxes.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { backgroundLimits } from "../vocabulary/commands/background-command.ts";
import type { Message } from "../vocabulary/message.ts";
import type { Command, CommandOutcome, Sandbox, Sandboxes } from "../vocabulary/sandbox.ts";

interface Started {
	readonly command: Command;
	prints(text: string): void;
	ends(outcome?: Partial<CommandOutcome>): void;
}

function scriptedSandbox(): { readonly started: Started[]; readonly sandbox: Sandboxes } {
	const started: Started[] = [];
	const sandbox: Sandbox = {
		mode: "bubblewrap",
		profile: "scripted",
		environment: {},
		network: undefined,
		run(command) {
			const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>();
			if (command.args.at(-1) === "missing") reject(new Error("no such program"));
			const end = (outcome: Partial<CommandOutcome> = {}): void =>
				resolve({ code: 0, signal: null, output: "", timedOut: false, ...outcome });
			command.signal.addEventListener("abort", () => end({ code: null, signal: "SIGTERM" }));
			started.push({ command, prints: (text) => command.onOutput?.(Buffer.from(text)), ends: end });
			return promise;
		},
	};
	return {
		started,
		sandbox: {
			of: async () => sandbox,
			check: async () => state,
			state,
			marker: undefined,
			started: 0,
			processes: () => [],
		},
	};
}

const { state } = noSandboxes({
	now: () => 0,
	monotonic: () => 0,
	after: () => ({ cancel: () => undefined }),
});

const start = (id: string, cmd: string): ScriptedReply => [
	calls(id, "run_command", { cmd, background: true }),
];
const read = (id: string, command: number, wait_ms = 0): ScriptedReply => [
	calls(id, "command_output", { command, wait_ms }),
];
const done: ScriptedReply = [says("done")];

async function open(replies: readonly ScriptedReply[], directory?: string) {
	const model = new ScriptedModel(...replies);
	const scripted = scriptedSandbox();
	const t = await TestRuntime.open({
		model,
		sandbox: scripted.sandbox,
		...defined({ directory }),
	});
	return { t, model, ...scripted };
}

async function trusted(t: TestRuntime) {
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.acceptAll(unkeyed(), session);
	return { session, log };
}

async function turn(t: TestRuntime, { session, log }: Awaited<ReturnType<typeof trusted>>): Promise<void> {
	await t.send(session, "go");
	await log.next("assistant.message");
}

function resultOf(messages: readonly Message[] | undefined, id: string): string {
	const blocks = (messages ?? []).flatMap(({ content }) => [...content]);
	return (
		blocks.flatMap((block) => (block.type === "result" && block.callId === id ? [block.text] : []))[0] ?? ""
	);
}

function userTexts(messages: readonly Message[] | undefined): string {
	const own = (messages ?? []).filter(({ role }) => role === "user");
	return own
		.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
		.join("\n");
}

test("a command outlives its run, and each read returns the output since the last one", async () => {
	const { t, model, started } = await open([
		start("c1", "serve"),
		done,
		read("c2", 1),
		done,
		read("c3", 1),
		done,
	]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	expect(resultOf(model.requests[1]?.messages, "c1")).toContain("as command 1");
	const [command] = started;
	expect(command?.command).toMatchObject({ timeoutMs: backgroundLimits.timeoutMs, maxOutputBytes: 1_024 });
	command?.prints("listening é");
	await turn(t, opened);
	expect(userTexts(model.requests[2]?.messages)).toContain('[1: "serve", running]');
	expect(resultOf(model.requests[3]?.messages, "c2")).toBe("listening é\n[command 1 is running]");
	command?.ends({ code: 3 });
	await opened.log.next("command.ended");
	await turn(t, opened);
	expect(resultOf(model.requests[5]?.messages, "c3")).toBe(
		"(no new output)\n[command 1 ended with exit code 3]",
	);
	opened.log.check();
});

test("a command that reaches its maximum time has this reason for its end", async () => {
	const { t, model, started } = await open([start("c1", "serve"), done, read("c2", 1), done]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	started[0]?.ends({ code: null, signal: "SIGTERM", timedOut: true });
	const { ending } = await opened.log.next("command.ended");
	expect(ending).toEqual({ reason: "timed_out", code: null });
	await turn(t, opened);
	expect(resultOf(model.requests[3]?.messages, "c2")).toContain(
		"[command 1 ended after 4 hours, the maximum]",
	);
});

test("neither of two reads returns a secret that is split between them", async () => {
	const { t, model, started } = await open([
		start("c1", "serve"),
		done,
		read("c2", 1),
		done,
		read("c3", 1),
		done,
	]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	started[0]?.prints("token ghp_16C7e42F292c");
	await turn(t, opened);
	started[0]?.prints("6912E7710c838347Ae178B4a\n");
	await turn(t, opened);
	const { messages } = model.requests[5] ?? {};
	expect(JSON.stringify(messages)).not.toMatch(/292c|6912E7/);
	expect(resultOf(messages, "c3")).toBe("[redacted]\n[command 1 is running]");
});

test("a read waits for output, at most for the requested time", async () => {
	const { t, model, started } = await open([
		start("c1", "serve"),
		read("c2", 1, 5_000),
		read("c3", 1, 5_000),
		done,
	]);
	await using _ = t;
	const { session, log } = await trusted(t);
	await t.send(session, "go");
	await log.next("command.started");
	await log.next("tool.started");
	await t.settle();
	started[0]?.prints("ready\n");
	await log.next("tool.started");
	await t.settle();
	t.clock.advance(5_000);
	await log.next("assistant.message");
	expect(resultOf(model.requests[2]?.messages, "c2")).toBe("ready\n[command 1 is running]");
	expect(resultOf(model.requests[3]?.messages, "c3")).toBe("(no new output)\n[command 1 is running]");
});

test("the agent and people can stop commands, and a command that has ended is unchanged", async () => {
	const { t, model, started } = await open([
		start("c1", "serve"),
		[calls("c2", "stop_command", { command: 1 })],
		[calls("c3", "stop_command", { command: 7 })],
		start("c4", "watch"),
		done,
	]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	const { messages } = model.requests[4] ?? {};
	expect(resultOf(messages, "c2")).toBe("command 1 stopped");
	expect(resultOf(messages, "c3")).toContain("this session has no command 7 in the background");
	const { principal } = unkeyed();
	const list = () => t.runtime.commands.list(principal, opened.session);
	expect(await list()).toMatchObject([
		{ n: 2, command: "watch" },
		{ n: 1, ending: { reason: "stopped" } },
	]);
	const stop = { ...unkeyed(), key: "k", method: "stop_command", params: { n: 2 } };
	expect(await t.runtime.commands.stop(stop, opened.session, 2)).toMatchObject({
		ending: { reason: "stopped" },
	});
	expect(started[1]?.command.signal.aborted).toBe(true);
	expect(await t.runtime.commands.stop(unkeyed(), opened.session, 1)).toMatchObject({ n: 1 });
	await expect(t.runtime.commands.stop(unkeyed(), opened.session, 3)).rejects.toThrow("no command 3");
	const ends = opened.log.events.flatMap(({ event }) => (event.type === "command.ended" ? [event] : []));
	expect(ends.map(({ n, by }) => [n, by])).toEqual([
		[1, undefined],
		[2, "operator"],
	]);
});

test("a session has a maximum number of commands, and a command that cannot start is recorded as ended", async () => {
	const max = backgroundLimits.perSession;
	const all = Array.from({ length: max }, (_, n) => start(`c${n}`, `serve ${n}`));
	const { t, model, started } = await open([
		start("m", "missing"),
		...all,
		start("more", "serve"),
		read("r", 1),
		done,
	]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	const { messages } = model.requests.at(-1) ?? {};
	expect(resultOf(messages, "more")).toContain(
		`this session already has ${max} background commands (maximum: ${max})`,
	);
	expect(resultOf(messages, "r")).toContain("[command 1 could not be started]");
	expect(started).toHaveLength(max + 1);
});

test("a restart ends commands, and the next run gets one report about that", async () => {
	const first = await open([start("c1", "serve"), done]);
	const opened = await trusted(first.t);
	await turn(first.t, opened);
	await first.t.stop();
	expect(first.started[0]?.command.signal.aborted).toBe(true);
	const { directory } = first.t;
	const { t, model } = await open([read("c2", 1), done, done], directory);
	await using _ = t;
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, opened.session, { afterSeq: 0 });
	expect(await log.next("command.ended")).toMatchObject({ n: 1, ending: { reason: "gateway", code: null } });
	await turn(t, { session: opened.session, log });
	expect(userTexts(model.requests[0]?.messages)).toContain(
		'[1: "serve", ended because Parley was restarted]',
	);
	expect(resultOf(model.requests[1]?.messages, "c2")).toBe(
		"(its output is no longer stored)\n[command 1 ended because Parley was restarted]",
	);
	await turn(t, { session: opened.session, log });
	expect(userTexts(model.requests[2]?.messages).match(/ended because/g)).toHaveLength(1);
});

test("a crash leaves a command without an end, which the next start records", async () => {
	const first = await open([start("c1", "serve"), done]);
	const opened = await trusted(first.t);
	await turn(first.t, opened);
	await first.t.stop();
	const { t } = await open([], first.t.directory);
	await using _ = t;
	// A killed gateway stores no end of the command.
	await t.store.commit(async (tx) => {
		const open = { ended_at: null, reason: null, code: null };
		await tx.updateTable("background_commands").set(open).execute();
	});
	await t.runtime.start();
	expect(await t.runtime.commands.list(unkeyed().principal, opened.session)).toMatchObject([
		{ n: 1, ending: { reason: "gateway" } },
	]);
});

test("an end that a call reported is not reported again by the next run", async () => {
	const { t, model, started } = await open([
		start("c1", "build"),
		start("c2", "serve"),
		start("c3", "watch"),
		done,
		[calls("o", "command_output", { command: 1 }), calls("s", "stop_command", { command: 2 })],
		done,
		done,
	]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	started[0]?.ends();
	await opened.log.next("command.ended");
	await t.settle();
	await turn(t, opened);
	await turn(t, opened);
	const last = model.requests.at(-1)?.messages.findLast(({ role }) => role === "user");
	const text = userTexts(last ? [last] : []);
	expect(text).toContain('[3: "watch", running]');
	expect(text).not.toMatch(/build|serve/);
});

test("the deletion of a session stops its commands", async () => {
	const { t, started } = await open([start("c1", "serve"), done]);
	await using _ = t;
	const opened = await trusted(t);
	await turn(t, opened);
	await t.runtime.remove(unkeyed(), opened.session, false);
	expect(started[0]?.command.signal.aborted).toBe(true);
	const rows = await t.store.read((db) => db.selectFrom("background_commands").selectAll().execute());
	expect(rows).toEqual([]);
});
