import { access, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failpoints } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import {
	calls,
	EventLog,
	noSandboxes,
	ScriptedModel,
	says,
	TestRuntime,
	testConnector,
	unkeyed,
} from "@parley/core/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";
import { Random, testSeed } from "../random.ts";
import { furnish, type Swap, type SwapSetup, swaps } from "./swaps.ts";

const never = new Promise<void>(() => undefined);

/** Approves a command, and swaps its file after the approval is durable and before the call starts. */
async function approveAndSwap({
	command,
	swap,
	restart = {},
}: Swap): Promise<{ error: string; ran: boolean }> {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-swap-")));
	const setup: SwapSetup = {
		work: join(directory, "work"),
		early: join(directory, "early"),
		late: join(directory, "late"),
		policy: join(directory, "policy.jsonc"),
	};
	await furnish(setup);
	const clock = new ManualClock();
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: command })], [says("oh")]);
	const open = async (failpoints: Failpoints, { home = directory, profile = "off" } = {}) => {
		const path = [setup.early, setup.late, process.env["PATH"]].join(":");
		const sandbox = noSandboxes(clock, { PATH: path, HOME: home });
		return TestRuntime.open({
			...{ model, clock, directory, failpoints, policy: { file: setup.policy } },
			sandbox: { ...sandbox, of: async (wish) => ({ ...(await sandbox.of(wish)), profile }) },
		});
	};
	const reached = Promise.withResolvers<void>();
	const reach = async (name: string): Promise<void> => {
		if (name !== "answered") return;
		await swap?.(setup);
		reached.resolve();
		if (!swap) await never;
	};
	let t = await open({ reach });
	const session = await t.create();
	let log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	void t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await reached.promise;
	if (!swap) {
		await t.stop();
		t = await open({ reach: () => undefined }, restart);
		log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		await t.runtime.start();
	}
	const event = await log.next("tool.failed", "tool.completed");
	const ran = await access(join(setup.work, "done.txt")).then(
		() => true,
		() => false,
	);
	await t.stop();
	await rm(directory, { recursive: true });
	return { error: event.type === "tool.failed" ? event.error : "", ran };
}

test("the approved call and the running call are equal", async () => {
	for (const command of ["sh build.sh", "sh link.sh", "deploy"]) {
		const nothing = { name: "", changed: "", swap: async () => undefined };
		expect(await approveAndSwap({ ...nothing, command })).toEqual({ error: "", ran: true });
	}
	const afterRestart = { name: "", changed: "", command: "deploy", restart: {} };
	expect(await approveAndSwap(afterRestart)).toEqual({ error: "", ran: true });
});

test.each(swaps)("$name cannot be swapped between the approval and the call", async (swap) => {
	const error = expect.stringMatching(
		new RegExp(
			`^changed since it was approved: (?:.+, )?${swap.changed}\\b.*; the call did not run, so repeat it if you still need it$`,
		),
	);
	expect(await approveAndSwap(swap)).toEqual({ error, ran: false });
});

test("500 simultaneous answers to one approval are one decision, and one call", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	await client.call("send_message", { content: "run: echo ran >> runs.txt" });
	const { payload } = await client.event("prompt.request");
	const { token } = payload;
	// For requests without a session, the gateway's rate limit applies per connection.
	const others = await Promise.all(Array.from({ length: 20 }, () => OzzieClient.connect(gateway.url)));
	const random = new Random(testSeed());
	const answers = Array.from({ length: 500 }, (_, n) => {
		const other = others[n % others.length];
		if (!other) throw new Error("there is no other client");
		return other.request("prompt_response", { token, cancelled: random.below(2) === 0 });
	});
	expect((await Promise.all(answers)).filter(({ ok }) => !ok)).toEqual([]);
	const decided = await client.event("prompt.response");
	const approved = decided.payload["cancelled"] === false;
	await client.event("assistant.message");
	const runs = await readFile(gateway.path("work", "runs.txt"), "utf8").catch(() => "");
	expect(runs).toBe(approved ? "ran\n" : "");
	for (const other of others) await other.leave();
	expect((await client.arrived()).filter((frame) => frame.type === "event")).toEqual([]);
});

test("a call starts within two seconds of its approval, even if the notification is lost", async () => {
	const clock = new ManualClock();
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "true" })], [says("done")]);
	// Prevents the run from continuing after the answer: this failpoint never resolves.
	const failpoints = { reach: (name: string) => (name === "answered" ? never : undefined) };
	await using t = await TestRuntime.open({ model, clock, failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	void t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("prompt.answered");
	clock.advance(2_000);
	await expect(log.next("tool.completed", "tool.failed")).resolves.toMatchObject({ type: "tool.completed" });
	await log.next("assistant.message");
});

test("a call with a preview of more than 16 KiB cannot be approved in a chat, and shows the reason", async () => {
	const content = Array.from({ length: 800 }, (_, n) => `line ${n} of a long file`).join("\n");
	const model = new ScriptedModel(
		[calls("c1", "write_file", { path: "a.txt", content })],
		[calls("c2", "write_file", { path: "b.txt", content: "short" })],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model });
	const approver = testConnector("approver");
	const session = await t.create(approver);
	const log = await EventLog.join(t.runtime, session);
	await t.runtime.send(unkeyed(approver), session, { content: "go" });
	const long = await log.next("prompt.requested");
	expect(long.prompt.approval?.notes).toContain(
		"longer than 16 KiB: in a chat, you can only deny this call; only the operator can approve it",
	);
	for (const response of [{ value: true }, { cancelled: false }]) {
		await expect(t.runtime.answer(unkeyed(approver), long.prompt.token, response)).rejects.toMatchObject({
			code: "permission_denied",
			message: expect.stringContaining("longer than 16 KiB"),
		});
	}
	await t.runtime.answer(unkeyed(approver), long.prompt.token, {
		cancelled: true,
		reason: "in pieces, please",
	});
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		error: "denied by the approver: in pieces, please",
	});
	const short = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(approver), short.prompt.token, { value: true });
	await log.next("tool.completed");
	expect(JSON.stringify(model.requests.at(1)?.messages.at(-1))).toContain("in pieces, please");
});

/** Returns the command that is displayed as `shown`. Its encoding must be unambiguous. */
function decoded(shown: string): string {
	return shown.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
		String.fromCodePoint(Number.parseInt(hex, 16)),
	);
}

test("the displayed command is the one that the shell receives, with any content", async () => {
	const random = new Random(testSeed());
	const pieces = [
		...["a", " ", "'", "\\", "\\u{a}", "$(x)", "\n", "\t", "é", "😀", "|", ";"],
		...["\u{200b}", "\u{200d}", "\u{feff}", "\u{202e}", "\u{2066}", "\u{1b}[2K", "\u{1b}]0;x\u{7}", "\r"],
		...["p\u{430}ypal", "\u{a0}", "\u{2028}", "\u{e0041}", "\n".repeat(200), "\u{3164}"],
	];
	const commands = Array.from({ length: 40 }, () =>
		Array.from({ length: 1 + random.below(12) }, () => pieces[random.below(pieces.length)]).join(""),
	);
	const received: string[] = [];
	const clock = new ManualClock();
	const none = noSandboxes(clock);
	const model = new ScriptedModel(...commands.map((cmd, n) => [calls(`c${n}`, "run_command", { cmd })]), [
		says("done"),
	]);
	await using t = await TestRuntime.open({
		...{ model, clock },
		sandbox: {
			...none,
			of: async (wish) => ({
				...(await none.of(wish)),
				async run({ args: [first, , command = ""] }) {
					if (first === "-c") received.push(command);
					return { code: 0, signal: null, output: "", timedOut: false };
				},
			}),
		},
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const shown: string[] = [];
	for (;;) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") break;
		const { label, token } = event.prompt;
		expect(label).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
		shown.push(decoded(label.slice("Allow run ".length, -1)));
		await t.runtime.answer(unkeyed(), token, { value: true });
	}
	expect(received).toEqual(commands);
	expect(shown).toEqual(received);
});

test("letters that resemble other letters are marked", async () => {
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "curl https://p\u{430}ypal.example" })]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval?.notes).toContain('mixes letters of different scripts: "p\u{430}ypal"');
});
