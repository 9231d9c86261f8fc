import { noFailpoints } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createParts } from "../../runtime-parts.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { TestRuntime } from "../../testing/test-runtime.ts";
import { backgroundLimits, type EndedCommand } from "../../vocabulary/commands/background-command.ts";
import { SecretBox } from "../../vocabulary/secrets.ts";

const untilStopped = new AbortController().signal;
const atOnce = { waitMs: 0, signal: untilStopped };

/** A command that does what the test says, and ends when it is stopped. */
interface Running {
	readonly n: number;
	prints(text: string): void;
	/** Resolves when its end was handled. */
	ends(): Promise<void>;
}

/** Commands of one session, without an agent. */
async function open() {
	const model = new ScriptedModel();
	const t = await TestRuntime.open({ model });
	const session = await t.create();
	const { store, clock, log, directory } = t;
	const { commands, sessions } = createParts({
		...{
			store,
			clock,
			log,
			model,
			tools: [],
			ids: seededIds(9),
			sandbox: noSandboxes(clock),
			failpoints: noFailpoints,
		},
		secrets: new SecretBox(Buffer.alloc(32, 1)),
		roots: { given: [], current: `${directory}/work`, dataDir: `${directory}/data` },
	});
	const start = async (command: string): Promise<Running> => {
		using lease = await sessions.leaseOwn(session);
		const ended = Promise.withResolvers<EndedCommand>();
		let print: (text: string) => void = () => undefined;
		const call = { session: lease.session, runId: "run_1", callId: "c1" };
		const { n } = await commands.start(call, command, ({ signal, onOutput }) => {
			print = (text) => onOutput(Buffer.from(text));
			signal.addEventListener("abort", () => ended.resolve({ code: null, timedOut: false }));
			return ended.promise;
		});
		return {
			n,
			prints: (text) => print(text),
			async ends() {
				ended.resolve({ code: 0, timedOut: false });
				await commands.stop(session, n);
			},
		};
	};
	const read = async (n: number) => (await commands.output(session, n, atOnce)).text;
	return { t, session, commands, start, read };
}

async function runOthers(
	{ start, read }: Pick<Awaited<ReturnType<typeof open>>, "start" | "read">,
	count: number,
	isRead = false,
): Promise<number[]> {
	const numbers: number[] = [];
	for (let i = 0; i < count; i++) {
		const command = await start(`short ${i}`);
		command.prints("short output\n");
		await command.ends();
		if (isRead) await read(command.n);
		numbers.push(command.n);
	}
	return numbers;
}

test("the output of the command that ended last is kept, however long it ran", async () => {
	const opened = await open();
	await using _ = opened.t;
	const long = await opened.start("long");
	const [first = 0, second = 0] = await runOthers(opened, backgroundLimits.ended);
	long.prints("built\n");
	await long.ends();
	expect(await opened.read(long.n)).toBe("built\n");
	expect(await opened.read(first)).toBeUndefined();
	expect(await opened.read(second)).toBe("short output\n");
});

test("a command whose output was read is forgotten before one with unread output", async () => {
	const opened = await open();
	await using _ = opened.t;
	const [unread = 0] = await runOthers(opened, 1);
	const [known = 0] = await runOthers(opened, 1, true);
	await runOthers(opened, backgroundLimits.ended - 1);
	expect(await opened.read(known)).toBeUndefined();
	expect(await opened.read(unread)).toBe("short output\n");
});

test("all reads that wait are woken, and only by output that can be read", async () => {
	const { t, session, commands, start, read } = await open();
	await using _ = t;
	const command = await start("serve");
	const woken: (string | undefined)[] = [];
	const wait = { waitMs: 5_000, signal: untilStopped };
	const first = commands.output(session, command.n, wait).then(({ text }) => woken.push(text));
	expect(await read(command.n)).toBe("");
	// The beginning of a secret waits for its end.
	command.prints("ghp_16C7e42F292c6912E7710c838347Ae178B4a");
	await t.settle();
	expect(woken).toEqual([]);
	command.prints("\n");
	await first;
	expect(woken).toEqual(["[redacted]\n"]);
});

test("a wait that is cancelled rejects", async () => {
	const { t, session, commands, start } = await open();
	await using _ = t;
	const { n } = await start("serve");
	const cancel = new AbortController();
	const reading = commands.output(session, n, { waitMs: 5_000, signal: cancel.signal });
	cancel.abort(new Error("cancelled"));
	await expect(reading).rejects.toThrow("cancelled");
});
