import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import type { BackgroundAccess, BackgroundCommand } from "../../vocabulary/commands/background-command.ts";
import type { Sandbox } from "../../vocabulary/sandbox.ts";
import { executeCall, prepareCall } from "../calls/tool-call.ts";
import { backgroundTools } from "./background.ts";
import { runCommand } from "./run-command.ts";

const running: BackgroundCommand = { n: 2, command: "serve", startedAt: 0 };
const boxed: Sandbox = {
	mode: "bubblewrap",
	profile: "test",
	environment: {},
	network: undefined,
	run: () => Promise.reject(new ParleyError("starts in the background only", { code: "internal" })),
};

function access(fields: Partial<BackgroundAccess>): BackgroundAccess {
	const { background } = createToolContext("/");
	return { ...background, ...fields };
}

async function call(name: string, args: object, background: Partial<BackgroundAccess>): Promise<string> {
	const tool = backgroundTools.find((one) => one.name === name);
	if (!tool) throw new Error(name);
	const context = createToolContext("/", { background: access(background) });
	return (await executeCall(await readyCall(tool, args, context), context)).text;
}

test("output is returned with the state, and the wait is passed on", async () => {
	const waits: number[] = [];
	const output = (text: string | undefined) => ({
		output: async (_: number, waitMs: number) => {
			waits.push(waitMs);
			return { command: running, text };
		},
	});
	expect(await call("command_output", { command: 2, wait_ms: 500 }, output("a\n"))).toBe(
		"a\n[command 2 is running]",
	);
	expect(await call("command_output", { id: 2, wait_seconds: 5 }, output(""))).toBe(
		"(no new output)\n[command 2 is running]",
	);
	expect(await call("command_output", { command: 2 }, output(undefined))).toContain("no longer stored");
	expect(waits).toEqual([500, 5_000, 0]);
});

test.each([
	[{ reason: "exited", code: 0 }, "command 2 ended with exit code 0"],
	[{ reason: "exited", code: null }, "command 2 ended by a signal"],
	[{ reason: "timed_out", code: null }, "command 2 ended after 4 hours, the maximum"],
	[{ reason: "gateway", code: null }, "command 2 ended because Parley was restarted"],
	[{ reason: "failed", code: null }, "command 2 could not be started"],
] as const)("an end %j is reported as %s", async (ending, text) => {
	const stop = async () => ({ ...running, endedAt: 1, ending });
	expect(await call("stop_command", { command: 2 }, { stop })).toBe(text);
});

test("a command in the background is planned as any other, with a note, and its start returns its number", async () => {
	await using workplace = await createWorkplace();
	const started: string[] = [];
	const background = access({
		start: async (command) => {
			started.push(command);
			return { ...running, command };
		},
	});
	const context = createToolContext(workplace.cwd, { sandbox: boxed, background });
	const ready = await readyCall(runCommand, { cmd: "npm run dev", run_in_background: true }, context);
	expect(ready.plan).toMatchObject({
		label: "run in the background: npm run dev",
		classes: ["exec-sandboxed"],
	});
	expect(ready.plan.notes).toContain("it continues in the background until it is stopped, at most 4 hours");
	expect(ready.plan.usualNotes).not.toContain(
		"it continues in the background until it is stopped, at most 4 hours",
	);
	const { text } = await executeCall(ready, context);
	expect([text, started]).toEqual([expect.stringContaining("as command 2"), ["npm run dev"]]);
});

test("without a sandbox, in a task or above the limit, a command in the background is refused", async () => {
	await using workplace = await createWorkplace();
	const refusal = async (sandbox: Sandbox, background: Partial<BackgroundAccess> = {}) => {
		const context = createToolContext(workplace.cwd, { sandbox, background: access(background) });
		const args = { cmd: "serve", background: true };
		return prepareCall([runCommand], { name: "run_command", arguments: args }, context);
	};
	expect(await refusal({ ...boxed, mode: "off" })).toMatchObject({
		kind: "refused",
		text: expect.stringContaining("commands in the background need the sandbox"),
	});
	const check = (): void => {
		throw new ParleyError("too many", { code: "resource_exhausted" });
	};
	expect(await refusal(boxed, { check })).toMatchObject({ kind: "refused", text: "too many" });
});

test.each(["wait", "timeout"])("a wait without a unit is refused: %s", async (name) => {
	const context = createToolContext("/", { background: access({}) });
	const args = { command: 2, [name]: 5 };
	expect(
		await prepareCall(backgroundTools, { name: "command_output", arguments: args }, context),
	).toMatchObject({
		kind: "refused",
		text: expect.stringContaining(name),
	});
});
