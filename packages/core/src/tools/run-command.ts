import { access, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { judgeCommand } from "../commands/judge-command.ts";
import type { CommandOutcome } from "../sandbox.ts";
import { type ActionClass, defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../tool.ts";
import { fileError } from "./file-error.ts";
import { mixedScriptNotes, visible } from "./visible.ts";

/** A longer one is not read by the person who is asked. */
const MAX_SHOWN_BYTES = 16 * 1024;
const MAX_OUTPUT_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;

const parameters = z.strictObject({
	cmd: z.string().min(1).describe("The command line, for the shell (bash where there is one)."),
	timeout_ms: z
		.int()
		.min(1_000)
		.max(600_000)
		.default(DEFAULT_TIMEOUT_MS)
		.describe("Milliseconds after which it is ended."),
});
type Arguments = z.infer<typeof parameters>;

/** Runs a shell command in the session's working directory; its background processes end with it. */
export const runCommand = defineTool<Arguments>({
	name: "run_command",
	description:
		"Runs a command line in the working directory and returns what it wrote and its exit code. Use it to build, " +
		"test, search, list directories and use version control. Every call starts a new shell without input: " +
		"directories and variables are not kept, nothing can be typed, and processes in the background end with the " +
		"call. Not for reading or writing text files: read_file and write_file show people more. Of long output the " +
		"beginning and the end are kept.",
	parameters,
	effect: "effectful",
	plan,
	run,
});

async function plan({ cmd }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const label = `run ${visible(cmd)}`;
	refuseUnshowable(cmd, label);
	const { mode } = context.sandbox;
	const judgement = await judgeCommand(cmd, {
		cwd: context.cwd,
		home: homedir(),
		roots: context.roots,
		forbidden: context.forbidden,
	});
	const classes: ActionClass[] = [mode === "off" ? "exec-unsandboxed" : "exec-sandboxed"];
	if (judgement.irreversible.length > 0) classes.push("irreversible");
	if (judgement.control.length > 0) classes.push("control");
	if (judgement.secret.length > 0) classes.push("secret");
	return {
		label,
		classes,
		preview: "",
		binding: await surroundings(context),
		notes: [
			`in ${context.cwd}`,
			mode === "off" ? "sandbox: off — it runs with your own rights" : `sandbox: ${mode}`,
			...[...judgement.irreversible, ...judgement.control, ...judgement.secret].map(visible),
			...mixedScriptNotes(cmd),
		],
	};
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const now = await surroundings(context);
	const different = Object.keys(now).filter((fact) => now[fact] !== approved.binding[fact]);
	if (different.length > 0) {
		return { text: `changed since it was approved: ${different.join(", ")}; nothing was run`, failed: true };
	}
	const outcome = await context.sandbox.run({
		executable: await findShell(),
		// Without `--` a command that begins with a dash would be read as options of the shell.
		args: ["-c", "--", args.cmd],
		cwd: context.cwd,
		timeoutMs: args.timeout_ms,
		maxOutputBytes: MAX_OUTPUT_BYTES,
		signal: context.signal,
	});
	return describe(outcome, args, context.signal.aborted);
}

function refuseUnshowable(cmd: string, label: string): void {
	const refuse = (why: string): never => {
		throw new ParleyError(`the command cannot be approved: ${why}`, { code: "invalid_argument" });
	};
	if (cmd.includes("\0") || !cmd.isWellFormed()) refuse("it holds a NUL or is not well-formed text");
	const bytes = Buffer.byteLength(label);
	if (bytes <= MAX_SHOWN_BYTES) return;
	refuse(`it takes ${bytes} bytes to show, at most ${MAX_SHOWN_BYTES}; write it to a file and run that`);
}

/** Facts that a decision about a command rests on. */
async function surroundings({ cwd, sandbox }: ToolContext): Promise<Record<string, string>> {
	try {
		const program = await realpath(await findShell());
		const shell = await stat(program, { bigint: true });
		const directory = await realpath(cwd);
		const { dev, ino } = await stat(directory, { bigint: true });
		return {
			directory: `${directory} ${dev}:${ino}`,
			executable: `${program} ${shell.dev}:${shell.ino}`,
			sandbox: sandbox.mode,
		};
	} catch (reason) {
		throw fileError(`cannot run a command in ${JSON.stringify(cwd)}`, reason);
	}
}

async function findShell(): Promise<string> {
	try {
		await access("/bin/bash");
		return "/bin/bash";
	} catch {
		// Every POSIX system has the other.
		return "/bin/sh";
	}
}

function describe(outcome: CommandOutcome, { timeout_ms }: Arguments, aborted: boolean): ToolResult {
	const output = outcome.output === "" ? "(no output)" : outcome.output;
	const ending = endingOf(outcome, timeout_ms, aborted);
	if (ending === undefined) return { text: output, failed: false };
	return { text: `${output}${output.endsWith("\n") ? "" : "\n"}[${ending}]`, failed: true };
}

function endingOf(outcome: CommandOutcome, timeoutMs: number, aborted: boolean): string | undefined {
	if (outcome.timedOut) return `timed out after ${timeoutMs / 1_000} s`;
	if (aborted && outcome.code !== 0) return "cancelled";
	if (outcome.code === null) return `ended by ${outcome.signal}`;
	return outcome.code === 0 ? undefined : `exit code ${outcome.code}`;
}
