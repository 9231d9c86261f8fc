import { access, readdir, writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { only, typesOf, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const approvals = { flags: ["--rpc-approvals"] };

verifiesOn(
	"zot",
	["zot.approve", "zot.approve-no", "zot.approve-unknown"],
	"a call that requires approval runs if it is approved, and otherwise reports the reason",
	async () => {
		await using agent = await ZotClient.start(approvals);
		agent.send({ id: "1", type: "prompt", message: "run: touch one\nrun: touch two" });
		const ask = await agent.until("ask");
		const [call] = only(agent.frames, "tool_call");
		expect(ask).toMatchObject({
			...{ tool: "bash", args: { command: "touch one" }, call_id: call?.id, request_id: "1" },
		});
		const unknown = await agent.ask({ id: "u", type: "approve", ask: "ask-77", allow: true });
		expect(unknown).toMatchObject({ success: false, error: "no pending approval with id ask-77" });
		// Other servers of this protocol expect the id of the question in the `id` field of the command.
		expect(await agent.ask({ id: ask.id, type: "approve", allow: true })).toMatchObject({ success: true });
		const second = await agent.until("ask");
		expect(second.id).not.toBe(ask.id);
		const no = { id: "n", type: "approve", ask: second.id, allow: false, reason: "not in this garden" };
		expect(await agent.ask(no)).toMatchObject({ success: true });
		await agent.until("done");
		const results = only(agent.frames, "tool_result");
		expect(results.map(({ is_error }) => is_error)).toEqual([false, true]);
		expect(results[1]?.content).toMatchObject([{ text: expect.stringContaining("not in this garden") }]);
		expect(await agent.ask({ ...no, id: "m" })).toMatchObject({ success: false });
		expect(await readdir(agent.path("work"))).toEqual(["one"]);
	},
);

verifiesOn(
	"zot",
	["zot.approve-together", "zot.approve-again"],
	"three commands of one reply require approval before the first answer, and one whose files changed requires it again",
	async () => {
		await using agent = await ZotClient.start(approvals);
		await writeFile(agent.path("work", "run.sh"), "echo good\n");
		const commands = ["git --version", "echo 'echo bad' > run.sh", "sh run.sh"];
		agent.send({ id: "1", type: "prompt", message: commands.map((cmd) => `run: ${cmd}`).join("\n& ") });
		const questions = [];
		for (const command of commands) {
			const ask = await agent.until("ask");
			expect(ask.args).toEqual({ command });
			questions.push(ask);
		}
		expect(only(agent.frames, "tool_result")).toEqual([]);
		for (const ask of questions.toReversed()) {
			expect(await agent.ask({ type: "approve", id: ask.id, allow: true })).toMatchObject({ success: true });
		}
		const repeated = await agent.until("ask");
		expect(repeated).toMatchObject({ call_id: questions[2]?.call_id, args: { command: "sh run.sh" } });
		expect(questions.map(({ id }) => id)).not.toContain(repeated.id);
		await agent.ask({ type: "approve", id: repeated.id, allow: true });
		await agent.until("done");
		const results = only(agent.frames, "tool_result");
		expect(results.map(({ is_error }) => is_error)).toEqual([false, false, false]);
		expect(results[2]?.content).toMatchObject([{ text: "bad\n" }]);
	},
);

verifiesOn("zot", ["zot.approve-abort"], "an abort ends a prompt whose question is open", async () => {
	await using agent = await ZotClient.start(approvals);
	agent.send({ id: "1", type: "prompt", message: "run: touch made" });
	const ask = await agent.until("ask");
	expect(await agent.data({ id: "a", type: "abort" })).toBeUndefined();
	expect(typesOf(await agent.turn()).filter((type) => type !== "response")).toEqual([
		...["tool_result", "turn_start", "turn_end aborted", "done"],
	]);
	const late = await agent.ask({ id: "l", type: "approve", ask: ask.id, allow: true });
	expect(late).toMatchObject({ success: false });
	await expect(access(agent.path("work", "made"))).rejects.toThrow("ENOENT");
});

verifiesOn(
	"zot",
	["zot.floor", "zot.no-approvals"],
	"a call that always requires approval is refused without approvals, and requested with them",
	async () => {
		const why =
			/^denied without an answer: this call always requires approval \(.*reads or changes keys or passwords.*\), and this client does not answer approvals: start with --rpc-approvals$/;
		await using silent = await ZotClient.start();
		await writeFile(silent.path("work", ".env"), "A=1\n");
		silent.send({ id: "1", type: "prompt", message: "run: touch made\nread: .env" });
		await silent.until("done");
		const [executed, refused] = only(silent.frames, "tool_result");
		expect(executed?.is_error).toBe(false);
		expect(refused).toMatchObject({
			...{ is_error: true, content: [{ text: expect.stringMatching(why) }] },
		});
		expect(only(silent.frames, "ask")).toEqual([]);
		expect(silent.lines.join("\n")).not.toContain("A=1");
		// Without `--rpc-approvals`, a call that requires approval is denied even while stdin is open.
		expect(await silent.end('{"id":"2","type":"prompt","message":"read: .env"}')).toMatchObject({ code: 0 });
		expect(only(silent.frames, "tool_result")[2]?.content).toMatchObject([
			{ text: expect.stringMatching(why) },
		]);

		await using interactive = await ZotClient.start(approvals);
		await writeFile(interactive.path("work", ".env"), "A=1\n");
		interactive.send({ id: "1", type: "prompt", message: "read: .env" });
		const ask = await interactive.until("ask");
		expect(ask).toMatchObject({ tool: "read" });
		await interactive.data({ id: "y", type: "approve", ask: ask.id, allow: true });
		await interactive.until("done");
		expect(only(interactive.frames, "tool_result")).toMatchObject([{ is_error: false }]);
	},
);
