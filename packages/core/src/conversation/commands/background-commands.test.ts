import { noFailpoints } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { createParts } from "../../runtime-parts.ts";
import { listCommands } from "../../store/command-rows.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { TestRuntime } from "../../testing/test-runtime.ts";
import { backgroundLimits, type EndedCommand } from "../../vocabulary/commands/background-command.ts";
import { SecretBox } from "../../vocabulary/secrets.ts";

const untilStopped = new AbortController().signal;
const atOnce = { waitMs: 0, signal: untilStopped };

interface Running {
	readonly n: number;
	prints(text: string): void;
	/** Ends the command, and resolves when its end was handled. */
	readonly ends: () => Promise<void>;
}

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
	const start = async (command: string, of = session): Promise<Running> => {
		using lease = await sessions.leaseOwn(of);
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
				await commands.stop(of, n);
			},
		};
	};
	const startAll = async (count: number) => {
		const lease = await sessions.leaseOwn(session);
		const call = { session: lease.session, runId: "run_1", callId: "c1" };
		const ended: EndedCommand = { code: null, timedOut: false };
		const all = Array.from({ length: count }, (_, n) =>
			commands.start(
				call,
				`serve ${n}`,
				({ signal }) =>
					new Promise((resolve) => {
						if (signal.aborted) resolve(ended);
						signal.addEventListener("abort", () => resolve(ended));
					}),
			),
		);
		return { all: Promise.allSettled(all).finally(() => lease[Symbol.dispose]()) };
	};
	const read = async (n: number) => (await commands.output(session, n, atOnce)).text;
	return { t, session, commands, start, startAll, read };
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
	const outputs: (string | undefined)[] = [];
	const wait = { waitMs: 5_000, signal: untilStopped };
	const first = commands.output(session, command.n, wait).then(({ text }) => outputs.push(text));
	expect(await read(command.n)).toBe("");
	// The redactor withholds a possible secret until its end.
	command.prints("ghp_16C7e42F292c6912E7710c838347Ae178B4a");
	await t.settle();
	expect(outputs).toEqual([]);
	command.prints("\n");
	await first;
	expect(outputs).toEqual(["[redacted]\n"]);
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

async function refuseEnds({ store }: TestRuntime): Promise<() => Promise<void>> {
	const condition = sql`before update on background_commands begin select raise(abort, 'disk full'); end`;
	await store.commit((tx) => sql`create trigger no_ends ${condition}`.execute(tx));
	return async () => void (await store.commit((tx) => sql`drop trigger no_ends`.execute(tx)));
}

async function storedEnds({ store }: TestRuntime) {
	const rows = await store.read((db) => db.selectFrom("background_commands").selectAll().execute());
	return rows.map(({ reason }) => reason);
}

test.each(["a read", "a stop", "a list", "the close"])(
	"an end that could not be stored is stored at %s",
	async (event) => {
		const { t, session, commands, start, read } = await open();
		await using _ = t;
		const command = await start("build");
		const allow = await refuseEnds(t);
		await command.ends();
		expect(await storedEnds(t)).toEqual([null]);
		await allow();
		if (event === "a read") await read(command.n);
		if (event === "a stop") await commands.stop(session, command.n);
		if (event === "a list") await commands.recordEnds();
		if (event === "the close") await commands.close();
		expect(await storedEnds(t)).toEqual(["exited"]);
		await commands.close();
	},
);

test("commands that start at the same time count for the limit, and a close waits for them", async () => {
	const { t, commands, startAll } = await open();
	await using _ = t;
	const max = backgroundLimits.perSession;
	const settled = await startAll(max + 1);
	await commands.close();
	expect(await storedEnds(t)).toEqual(Array.from({ length: max }, () => "gateway"));
	expect((await settled.all).map(({ status }) => status).toSorted()).toEqual([
		...Array.from({ length: max }, () => "fulfilled"),
		"rejected",
	]);
});

test("a list that is too short for all commands has the running ones", async () => {
	const { t, commands, start, session } = await open();
	await using _ = t;
	await start("serve");
	for (const command of ["test", "build"]) await (await start(command)).ends();
	const listed = await t.store.read((db) => listCommands(db, session, 2));
	expect(listed.map(({ command }) => command)).toEqual(["build", "serve"]);
	await commands.close();
});

test("all sessions of a gateway together have a maximum of commands", async () => {
	const { t, commands, start } = await open();
	await using _ = t;
	const { all, perSession } = backgroundLimits;
	for (let begun = 0; begun < all; begun += perSession) {
		const session = await t.create();
		for (let n = 0; n < perSession; n++) await start(`serve ${n}`, session);
	}
	await expect(start("serve", await t.create())).rejects.toMatchObject({
		code: "resource_exhausted",
		message: expect.stringContaining("the gateway already has 32 background commands, the maximum"),
	});
	await commands.close();
});
