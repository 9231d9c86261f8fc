import { access } from "node:fs/promises";
import { homedir } from "node:os";
import * as z from "zod";
import { judgeCommand } from "../commands/judge-command.ts";
import { type ActionClass, defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../tool.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { fileError } from "./file-error.ts";
import { identityOf } from "./identity.ts";
import { refuseUnshowable } from "./refuse-unshowable.ts";
import { mixedScriptNotes, visible } from "./visible.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;

/** What the shell, the dynamic linker and our own bookkeeping go by. */
const steering = /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PARLEY_.*|LD_.*|DYLD_.*)$/;

const parameters = z.strictObject({
	cmd: z.string().min(1).describe("The command line, for the shell (bash where there is one)."),
	timeout_ms: z
		.int()
		.min(1_000)
		.max(600_000)
		.default(DEFAULT_TIMEOUT_MS)
		.describe("Milliseconds after which it is ended."),
	secrets: z
		.record(
			z
				.string()
				.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "names of variables are letters, digits and _")
				.refine((name) => !steering.test(name), "this variable steers the shell or what it starts"),
			z.string().regex(/^secret:[\w-]{1,100}$/, "takes a handle (secret:…) that ask_user gave, nothing else"),
		)
		.default({})
		.describe(
			'Passwords as environment variables: {"TOKEN": "secret:…"} with a handle of ask_user; the command says $TOKEN.',
		),
});
type Arguments = z.infer<typeof parameters>;

/** Runs a shell command in the session's working directory; its background processes end with it. */
export const runCommand = defineTool<Arguments>({
	name: "run_command",
	description:
		"Runs a command line in the working directory and returns what it wrote and its exit code. Use it to build, to " +
		"test, and for what no other tool does. Every call starts a new shell without input: directories and variables " +
		"are not kept, nothing can be typed, and processes in the background end with the call. Of long output the " +
		"beginning and the end are kept. A password never belongs into the command line: ask for it with ask_user and hand " +
		"its handle over in secrets. Not for reading, writing, listing or searching text files and not for single " +
		"commands of git: the tools made for these ask less and show people more.",
	parameters,
	secrets: ["secrets"],
	effect: "effectful",
	plan,
	run,
});

async function plan({ cmd, secrets }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const label = `run ${visible(cmd)}`;
	refuseUnshowable([cmd], label);
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
	const given = Object.entries(secrets);
	if (judgement.secret.length > 0 || given.length > 0) classes.push("secret");
	return {
		label,
		classes,
		preview: "",
		binding: await surroundings(context),
		notes: [
			`in ${context.cwd}`,
			mode === "off" ? "sandbox: off — it runs with your own rights" : `sandbox: ${mode}`,
			...[...judgement.irreversible, ...judgement.control, ...judgement.secret].map(visible),
			...given.map(([name, handle]) => `the variable ${name} holds the password behind ${visible(handle)}`),
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
	const unusable = Object.keys(args.secrets).find((name) => args.secrets[name]?.includes("\0"));
	if (unusable !== undefined) {
		return { text: `secrets.${unusable}: a variable cannot hold this password: it has a NUL`, failed: true };
	}
	const outcome = await context.sandbox.run({
		executable: await findShell(),
		// Without `--` a command that begins with a dash would be read as options of the shell.
		args: ["-c", "--", args.cmd],
		cwd: context.cwd,
		environment: args.secrets,
		timeoutMs: args.timeout_ms,
		maxOutputBytes: MAX_OUTPUT_BYTES,
		signal: context.signal,
	});
	return describeOutcome(outcome, { timeoutMs: args.timeout_ms, aborted: context.signal.aborted });
}

/** Facts that a decision about a command rests on. */
async function surroundings({ cwd, sandbox }: ToolContext): Promise<Record<string, string>> {
	try {
		return {
			directory: await identityOf(cwd),
			executable: await identityOf(await findShell()),
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
