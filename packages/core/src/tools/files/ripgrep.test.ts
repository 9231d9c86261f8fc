import { expect, test } from "vitest";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import { findRipgrep, runRipgrep } from "./tree-files.ts";

const ended: CommandOutcome = { code: 0, signal: null, output: "", timedOut: false };

test("ripgrep of the package runs without user configuration", async () => {
	const commands: Command[] = [];
	const sandbox: Sandbox = {
		mode: "off",
		profile: "test",
		environment: {},
		network: undefined,
		run: async (command) => {
			commands.push(command);
			return ended;
		},
	};
	const { signal } = new AbortController();
	const start = { args: ["--files"], cwd: "/garden", maxOutputBytes: 10 };
	expect(await runRipgrep(start, { sandbox, signal })).toBe(ended);
	expect(commands).toEqual([
		{
			executable: await findRipgrep(),
			args: ["--no-config", "--no-messages", "--color=never", "--files"],
			cwd: "/garden",
			power: "read",
			timeoutMs: 20_000,
			maxOutputBytes: 10,
			signal,
		},
	]);
	await expect(runRipgrep(start, { sandbox, signal: AbortSignal.abort() })).rejects.toMatchObject({
		code: "cancelled",
	});
});

test("a platform without ripgrep gets an alternative", async () => {
	await expect(findRipgrep(() => Promise.reject(new Error("Could not find it")))).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/^ripgrep, which this tool needs, has no build for .*: use run_command$/),
	});
});
