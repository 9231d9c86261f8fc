import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { noFailpoints } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import type { ModelEvent } from "../vocabulary/model.ts";
import type { Prompt, PromptResponse } from "../vocabulary/prompt.ts";
import { defineTool } from "../vocabulary/tool.ts";

const command = (id: string, cmd: string): ModelEvent => calls(id, "run_command", { cmd });

class Setup implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(t: TestRuntime, model: ScriptedModel, session: string, log: EventLog) {
		this.t = t;
		this.model = model;
		this.session = session;
		this.log = log;
	}

	static async start(
		reply: readonly ModelEvent[],
		files: Readonly<Record<string, string>> = {},
	): Promise<Setup> {
		const model = new ScriptedModel(reply, [says("done")]);
		const t = await TestRuntime.open({ model });
		const session = await t.create();
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		const setup = new Setup(t, model, session, log);
		for (const [name, content] of Object.entries(files)) await setup.put(name, content);
		await t.send(session, "go");
		return setup;
	}

	async restart(change: () => Promise<void> = async () => undefined): Promise<Setup> {
		const { model, session } = this;
		const { directory, clock } = this.t;
		await this.t.stop();
		await change();
		const t = await TestRuntime.open({ model, directory, clock });
		await t.runtime.start();
		return new Setup(t, model, session, await EventLog.join(t.runtime, session, { afterSeq: 0 }));
	}

	path(name: string): string {
		return join(this.t.directory, "work", name);
	}

	async put(name: string, content: string): Promise<void> {
		await mkdir(dirname(this.path(name)), { recursive: true });
		await writeFile(this.path(name), content);
	}

	async prompts(count: number): Promise<Prompt[]> {
		const prompts: Prompt[] = [];
		while (prompts.length < count) prompts.push((await this.log.next("prompt.requested")).prompt);
		return prompts;
	}

	answer(prompt: Prompt | undefined, response: PromptResponse = { value: true }): Promise<boolean> {
		return this.t.runtime.answer(unkeyed(), prompt?.token ?? "", response);
	}

	async results(): Promise<unknown> {
		await this.log.next("assistant.message");
		this.log.check();
		return this.model.requests[1]?.messages.at(-1)?.content;
	}

	async progress(): Promise<void> {
		await this.log.next("tool.progress");
	}

	get approvals(): number {
		return this.log.recorded.filter((type) => type === "prompt.requested").length;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

const reason = "asked again: files changed since the first question, while other calls of this reply ran";
const unnamed = `${reason}; the gateway was restarted and cannot name the files`;

test("approvals of all commands of a reply are requested together, and suffice if no earlier command changes a file", async () => {
	const reply = [command("a", "ls"), command("b", "cat run.sh"), command("c", "sh run.sh > out.log")];
	await using g = await Setup.start(reply, { "run.sh": "echo ran\n" });
	const prompts = await g.prompts(3);
	expect(prompts.map(({ approval }) => approval?.reply)).toMatchObject([
		{ place: 1, count: 3 },
		{ place: 2, count: 3 },
		{ place: 3, count: 3 },
	]);
	for (const prompt of prompts.toReversed()) await g.answer(prompt);
	expect(await g.results()).toMatchObject([{ failed: false }, { failed: false }, { failed: false }]);
	expect(g.approvals).toBe(3);
	expect(await readFile(g.path("out.log"), "utf8")).toBe("ran\n");
});

test("a command requires another approval, which names the files, if a command before it changed them", async () => {
	const reply = [
		command("a", "echo 'echo bad' > run.sh; mkdir lib; touch lib/x.js"),
		command("b", "sh run.sh"),
	];
	await using g = await Setup.start(reply, { "run.sh": "echo good\n" });
	const [first, second] = await g.prompts(2);
	await g.answer(second);
	await g.answer(first);
	const [third] = await g.prompts(1);
	expect(third?.approval).toMatchObject({ callId: "b", reply: { place: 1, count: 1 } });
	expect(third?.approval?.notes[0]).toBe(`${reason}: run.sh, lib/x.js`);
	expect(third?.approval?.warnings?.[0]).toBe(`${reason}: run.sh, lib/x.js`);
	expect(first?.approval?.notes.join()).not.toContain("asked again");
	await g.answer(third);
	expect(await g.results()).toMatchObject([{ failed: false }, { failed: false, text: "bad\n" }]);
});

test("a denial of the second approval applies, although the first one was given", async () => {
	const reply = [command("a", "echo 'touch ran' > run.sh"), command("b", "sh run.sh")];
	await using g = await Setup.start(reply, { "run.sh": "echo good\n" });
	const [first, second] = await g.prompts(2);
	await g.answer(second);
	await g.answer(first);
	const [third] = await g.prompts(1);
	await g.answer(third, { cancelled: true, reason: "not that file" });
	expect(await g.results()).toMatchObject([
		{ failed: false },
		{ failed: true, text: expect.stringContaining("not that file") },
	]);
	expect(existsSync(g.path("ran"))).toBe(false);
});

test("an open approval is closed and requested again immediately if the files of its command changed", async () => {
	const many = "for n in 1 2 3 4 5 6 7; do echo 'echo bad' | tee $n.js > run.sh; done";
	const reply = [command("a", many), command("b", "sh run.sh")];
	await using g = await Setup.start(reply, { "run.sh": "echo good\n" });
	const [first, second] = await g.prompts(2);
	await g.answer(first);
	await expect(g.log.next("prompt.closed")).resolves.toMatchObject({
		token: second?.token,
		reason: "files changed: the call is asked again",
	});
	const [third] = await g.prompts(1);
	expect(third?.approval?.notes[0]).toBe(`${reason}: run.sh, 1.js, 2.js, 3.js, 4.js, and 3 more`);
	await expect(g.answer(second)).resolves.toBe(false);
	await g.answer(third);
	expect(await g.results()).toMatchObject([{ failed: false }, { failed: false }]);
	expect(g.approvals).toBe(3);
});

test("commands whose files changed before the first of them ran are refused, and their approval is not requested again", async () => {
	await using g = await Setup.start([command("a", "ls"), command("b", "sh run.sh")], {
		"run.sh": "echo good\n",
	});
	const [first, second] = await g.prompts(2);
	await g.put("run.sh", "touch ran\n");
	await g.answer(second);
	await g.answer(first);
	const text = expect.stringMatching(
		/^changed since it was approved: files \(run\.sh\).*; the call did not run, so repeat it if you still need it$/,
	);
	expect(await g.results()).toMatchObject([
		{ failed: true, text },
		{ failed: true, text },
	]);
	expect(g.approvals).toBe(2);
	expect(existsSync(g.path("ran"))).toBe(false);
});

test.for([{ isAnswered: true }, { isAnswered: false }])(
	"a command is refused if another process swaps its file before the first command runs: $isAnswered",
	async ({ isAnswered }) => {
		// The first command is not bound to the file, so it runs.
		const reply = [command("a", "touch a.js"), command("b", "sh .cache/run.sh")];
		await using g = await Setup.start(reply, { ".cache/run.sh": "echo good\n" });
		const [first, second] = await g.prompts(2);
		await g.put(".cache/run.sh", "touch ran\n");
		if (isAnswered) await g.answer(second);
		await g.answer(first);
		expect(await g.results()).toMatchObject([
			{ failed: false },
			{
				failed: true,
				text: expect.stringMatching(
					/^changed since it was approved: named .*run\.sh\); the call did not run, so repeat it if you still need it$/,
				),
			},
		]);
		expect(g.approvals).toBe(2);
		expect(existsSync(g.path("ran"))).toBe(false);
		if (!isAnswered) await expect(g.answer(second)).resolves.toBe(false);
	},
);

test("a command is refused if another process swaps its file while its second approval is open", async () => {
	const reply = [command("a", "touch a.js"), command("b", "sh run.sh")];
	await using g = await Setup.start(reply, { "run.sh": "echo good\n" });
	const [first] = await g.prompts(2);
	await g.answer(first);
	const [third] = await g.prompts(1);
	await g.put("run.sh", "touch ran\n");
	await g.answer(third);
	expect(await g.results()).toMatchObject([
		{ failed: false },
		{ failed: true, text: expect.stringContaining("changed since it was approved: files (run.sh)") },
	]);
	expect(existsSync(g.path("ran"))).toBe(false);
});

test("a denied command changes nothing, so the command after it keeps its approval", async () => {
	await using g = await Setup.start([command("a", "touch a.js"), command("b", "ls")]);
	const [first, second] = await g.prompts(2);
	await g.answer(second);
	await g.answer(first, { cancelled: true });
	expect(await g.results()).toMatchObject([{ failed: true }, { failed: false }]);
	expect(g.approvals).toBe(2);
});

test.for([{ isAnswered: true }, { isAnswered: false }])(
	"after a restart a command requires another approval if a command that ran before it changed its files: $isAnswered",
	async ({ isAnswered }) => {
		const reply = [command("a", "touch a.js"), command("b", "sleep 60"), command("c", "sh run.sh")];
		const earlier = await Setup.start(reply, { "run.sh": "echo good\n" });
		const [first, , last] = await earlier.prompts(3);
		if (isAnswered) await earlier.answer(last);
		await earlier.answer(first);
		const [renewed] = await earlier.prompts(1);
		expect(renewed?.approval?.callId).toBe("b");
		await using g = await earlier.restart();
		const open = await g.prompts(5);
		expect(open.map(({ approval }) => approval?.callId)).toEqual(["a", "b", "c", "b", "c"]);
		expect(open[4]?.approval?.notes[0]).toBe(unnamed);
		await g.answer(renewed, { cancelled: true });
		await g.answer(open[4]);
		expect(await g.results()).toMatchObject([
			{ failed: false },
			{ failed: true },
			{ failed: false, text: "good\n" },
		]);
		expect(g.approvals).toBe(5);
	},
);

test("after a restart commands are refused if their files changed and none of them had run", async () => {
	const earlier = await Setup.start([command("a", "ls"), command("b", "sh run.sh")], {
		"run.sh": "echo good\n",
	});
	const [first, second] = await earlier.prompts(2);
	await earlier.answer(second);
	await using g = await earlier.restart(() => earlier.put("run.sh", "touch ran\n"));
	await g.answer(first);
	const text = expect.stringMatching(
		/^changed since it was approved: files.*; the call did not run, so repeat it if you still need it$/,
	);
	expect(await g.results()).toMatchObject([
		{ failed: true, text },
		{ failed: true, text },
	]);
	expect(g.approvals).toBe(2);
	expect(existsSync(g.path("ran"))).toBe(false);
});

test("a command that requires another approval keeps the arguments of a person", async () => {
	const reply = [command("a", "touch a.js"), command("b", "sh run.sh")];
	await using g = await Setup.start(reply, { "run.sh": "echo model\n", "other.sh": "echo person\n" });
	const [first, second] = await g.prompts(2);
	await g.answer(second, { value: true, arguments: { cmd: "sh other.sh" } });
	await g.answer(first);
	const [third] = await g.prompts(1);
	expect(third?.approval).toMatchObject({ callId: "b", arguments: { cmd: "sh other.sh" } });
	expect(third?.approval?.notes[0]).toBe(`${reason}: a.js`);
	await g.answer(third);
	expect(await g.results()).toMatchObject([
		{ failed: false },
		{ failed: false, text: expect.stringContaining("person\n") },
	]);
});

test("the approval of a command after a write of the same reply is requested once, after the write", async () => {
	const write = calls("a", "write_file", { path: "run.sh", content: "echo written\n" });
	await using g = await Setup.start([write, command("b", "sh run.sh")]);
	const [first] = await g.prompts(1);
	expect(g.approvals).toBe(1);
	await g.answer(first);
	const [second] = await g.prompts(1);
	expect(second?.approval?.notes.join()).not.toContain("asked again");
	await g.answer(second);
	expect(await g.results()).toMatchObject([{ failed: false }, { failed: false, text: "written\n" }]);
});

/** Returns a command that runs `before` and then waits until the test writes to `pipe.log`. */
function waiting(before: string): string {
	return `${before}; echo ready; cat pipe.log`;
}

function makePipe(g: Setup): Promise<void> {
	expect(spawnSync("mkfifo", [g.path("pipe.log")]).status).toBe(0);
	return Promise.resolve();
}

test("other arguments are refused while an earlier command changes the files, and accepted with the next approval", async () => {
	const reply = [command("a", waiting("touch a.js")), command("b", "sh run.sh")];
	await using g = await Setup.start(reply, { "run.sh": "echo model\n", "other.sh": "echo person\n" });
	await makePipe(g);
	const [first, second] = await g.prompts(2);
	await g.answer(first);
	await g.progress();
	const other = { value: true, arguments: { cmd: "sh other.sh" } };
	await expect(g.answer(second, other)).rejects.toThrow(
		"facts of the call changed since the question was asked: files; if earlier calls changed the files, you are asked again when those calls have ended",
	);
	await g.put("pipe.log", "go\n");
	const [third] = await g.prompts(1);
	await g.answer(third, other);
	expect(await g.results()).toMatchObject([
		{ failed: false },
		{ failed: false, text: expect.stringContaining("person\n") },
	]);
});

test.for([
	{ after: "changed", needsNewApproval: true },
	{ after: "original", needsNewApproval: false },
])(
	"an approval that is given while an earlier call changes the files applies only to the files of its request: $after",
	async ({ after, needsNewApproval }) => {
		let world = "original";
		const ran: string[] = [];
		const seen = { changed: Promise.withResolvers<void>(), began: Promise.withResolvers<void>() };
		const release = Promise.withResolvers<void>();
		const first = probeTool("first", {
			classes: ["write"],
			async run() {
				world = "changed";
				seen.began.resolve();
				await release.promise;
				world = after;
				return "";
			},
		});
		/** A tool that is bound to `world`, as a command is bound to files. */
		const second = defineTool<{ text: string }>({
			name: "second",
			description: "Runs in the world.",
			parameters: () => z.strictObject({ text: z.string() }),
			effect: "effectful",
			async plan() {
				const bind = async () => {
					if (world === "changed") seen.changed.resolve();
					return { binding: { files: world }, notes: [] };
				};
				return { label: "second", classes: ["write"], preview: "", binding: {}, notes: [], bind };
			},
			run: async ({ text }) => ({ text: `${ran.push(text)}`, failed: false }),
		});
		const stored = Promise.withResolvers<void>();
		const seenAnswer = Promise.withResolvers<void>();
		let answers = 0;
		const reach = async (name: string): Promise<void> => {
			if (name !== "answered" || answers++ > 0) return;
			stored.resolve();
			await seenAnswer.promise;
		};
		const reply = [calls("a", "first"), calls("b", "second", { text: "model" })];
		const model = new ScriptedModel(reply, [says("done")]);
		await using t = await TestRuntime.open({
			model,
			tools: [first, second],
			failpoints: { ...noFailpoints, reach },
		});
		const session = await t.create();
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		await t.send(session, "go");
		const one = (await log.next("prompt.requested")).prompt.token;
		const two = (await log.next("prompt.requested")).prompt.token;
		const answer = t.runtime.answer(unkeyed(), two, { value: true, arguments: { text: "person" } });
		await stored.promise;
		await t.runtime.answer(unkeyed(), one, { value: true });
		await seen.began.promise;
		seenAnswer.resolve();
		await answer;
		await seen.changed.promise;
		release.resolve();
		if (needsNewApproval) {
			const { token } = (await log.next("prompt.requested")).prompt;
			await t.runtime.answer(unkeyed(), token, { value: true });
		}
		await log.next("assistant.message");
		log.check();
		expect(ran).toEqual(needsNewApproval ? ["person"] : []);
		expect(model.requests[1]?.messages.at(-1)?.content[1]).toMatchObject(
			needsNewApproval
				? { failed: false }
				: {
						text: "changed since it was approved: files; the call did not run, so repeat it if you still need it",
					},
		);
	},
);

test("a session that is trusted in the meantime needs no second approval", async () => {
	await using g = await Setup.start([command("a", waiting("touch a.js")), command("b", "ls *.js")]);
	await makePipe(g);
	const [first] = await g.prompts(2);
	await g.answer(first);
	await g.progress();
	await g.t.runtime.acceptAll(unkeyed(), g.session);
	await g.put("pipe.log", "go\n");
	expect(await g.results()).toMatchObject([{ failed: false }, { failed: false, text: "a.js\n" }]);
	expect(g.approvals).toBe(2);
});
