import { defined, definedItems, ParleyError } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import * as z from "zod";
import { judgeCommand } from "../../policy/commands/judge-command.ts";
import { isSteering } from "../../sandbox/commands/environment.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import { backgroundLimits } from "../../vocabulary/commands/background-command.ts";
import type { Command, CommandOutcome, Sandbox, SandboxKind } from "../../vocabulary/sandbox.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { boundToCommand, differences, findShell, surroundingsOf } from "./surroundings.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;

const parameters = () =>
	z.strictObject({
		cmd: z.string().min(1).describe("The command line, for the shell (bash if it is installed)."),
		timeout_ms: z
			.int()
			.min(1_000)
			.max(600_000)
			.default(DEFAULT_TIMEOUT_MS)
			.describe("Milliseconds after which it is ended."),
		background: z
			.boolean()
			.default(false)
			.describe(
				"Whether the command continues after the call and after this answer, for example a development server or a " +
					"long build. The call returns its number for command_output and stop_command. Only in the sandbox; " +
					"timeout_ms has no effect.",
			),
		network: z
			.boolean()
			.default(false)
			.describe(
				"Whether the command needs other machines. The sandbox has no network. With this option the command reaches " +
					"the hosts that the operator allows, by https through a proxy. If the operator allows none, it runs outside " +
					"of the sandbox, and every call requires approval.",
			),
		secrets: z
			.record(
				z
					.string()
					.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "names of variables are letters, digits and _")
					.refine(
						(name) => !isSteering(name),
						"this variable controls the shell or the programs that it starts",
					),
				z.string().regex(/^secret:[\w-]{1,100}$/, "must be a handle (secret:…) from ask_user"),
			)
			.default({})
			.describe(
				'Passwords as environment variables: {"TOKEN": "secret:…"} with a handle of ask_user; the command says $TOKEN.',
			),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Runs a shell command in the session's working directory to its end, or starts it in the background of the session. */
export const runCommand = defineTool<Arguments>({
	name: "run_command",
	description:
		"Runs a command line in the working directory and returns its output and its exit code. Use it to build, to " +
		"test, and for work that no other tool does. Every call starts a new shell without input: directories and " +
		"variables are not kept, and programs get no input. Processes that the command leaves end with the call: use " +
		"background for a command that must continue. In a sandbox, " +
		"programs cannot listen at or connect to Unix sockets unless the operator allows it: use TCP on 127.0.0.1. If " +
		"the output is long, its beginning and its end are returned. Never write a password into the command line: " +
		"ask for it with ask_user and pass its handle in secrets. Not for reading, writing, listing or searching text " +
		"files and not for single git commands: the tools for these need fewer approvals and show people more.",
	parameters,
	accepts: {
		names: ["bash", "shell"],
		ignored: ["description"],
		parameters: {
			cmd: { names: ["command"] },
			timeout_ms: { names: ["timeout", "timeout_seconds"], unit: "ms" },
			background: { names: ["run_in_background", "is_background"] },
		},
	},
	secrets: ["secrets"],
	effect: "effectful",
	command: ({ cmd }) => cmd,
	plan,
	run,
});

async function plan(args: Arguments, context: ToolContext): Promise<ToolPlan> {
	const { cmd, secrets, network, background } = args;
	const label = `${background ? "run in the background:" : "run"} ${visible(cmd)}`;
	refuseUnshowable([cmd], label);
	const sandbox = sandboxFor(args, context);
	if (background) refuseBackground(sandbox, context);
	const leaves = sandbox.mode !== context.sandbox.mode;
	const judgement = await judgeCommand(cmd, {
		cwd: context.cwd,
		home: homeDirectory(),
		roots: context.roots,
		forbidden: context.forbidden,
		workspace: context.workspace,
		...defined({ readable: sandbox.mode === "bubblewrap" ? context.readable : undefined }),
	});
	const classes = execClasses(sandbox);
	if (network && !classes.includes("egress")) classes.push("egress");
	if (judgement.irreversible.length > 0) classes.push("irreversible");
	if (judgement.control.length > 0 || leaves) classes.push("control");
	const given = Object.entries(secrets);
	if (judgement.secret.length > 0 || given.length > 0) classes.push("secret");
	return {
		label,
		classes,
		preview: "",
		binding: await surroundingsOf({ ...context, sandbox }),
		bind: (options) => boundToCommand(cmd, { ...context, sandbox }, options),
		usualNotes: [`in ${context.cwd}`, ...usualSandboxNote(sandbox)],
		notes: definedItems([
			`in ${context.cwd}`,
			sandboxNote(sandbox),
			background ? backgroundNote : undefined,
			leaves ? "it requests the network, and runs outside the sandbox of this session" : undefined,
			...[...judgement.irreversible, ...judgement.control, ...judgement.secret].map(visible),
			...given.map(([name, handle]) => `the variable ${name} holds the password behind ${visible(handle)}`),
			...mixedScriptNotes(cmd),
		]),
	};
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const sandbox = sandboxFor(args, context);
	const different = await changesSince(approved, args.cmd, { ...context, sandbox });
	if (different.length > 0) {
		return {
			text: `changed since it was approved: ${different.join(", ")}; the call did not run`,
			failed: true,
		};
	}
	const unusable = Object.keys(args.secrets).find((name) => args.secrets[name]?.includes("\0"));
	if (unusable !== undefined) {
		return {
			text: `secrets.${unusable}: a variable cannot contain this password, because it has a NUL`,
			failed: true,
		};
	}
	const command = {
		executable: await findShell(),
		// Without `--` a command that begins with a dash would be read as options of the shell.
		args: ["-c", "--", args.cmd],
		cwd: context.cwd,
		environment: args.secrets,
		callId: context.callId,
	};
	if (args.background) return startInBackground(args, { ...command, sandbox }, context);
	const outcome = await sandbox.run({
		...command,
		timeoutMs: args.timeout_ms,
		maxOutputBytes: MAX_OUTPUT_BYTES,
		signal: context.signal,
		onOutput: (chunk) => context.progress(chunk),
	});
	return describeOutcome(outcome, { timeoutMs: args.timeout_ms, aborted: context.signal.aborted });
}

const backgroundNote = `it continues in the background until it is stopped, at most ${backgroundLimits.timeoutMs / 3_600_000} hours`;

/** Only a sandbox ends a command with the gateway, whatever happens to the gateway. */
function refuseBackground({ mode }: Sandbox, { background }: ToolContext): void {
	if (mode === "off") {
		throw new ParleyError(
			"background: commands in the background need the sandbox, and this one runs without it",
			{
				code: "failed_precondition",
			},
		);
	}
	background.check();
}

async function startInBackground(
	{ cmd }: Arguments,
	{
		sandbox,
		...command
	}: Omit<Command, "timeoutMs" | "maxOutputBytes" | "signal"> & { readonly sandbox: Sandbox },
	{ background }: ToolContext,
): Promise<ToolResult> {
	// The output is read by command_output, so the sandbox keeps almost none of it.
	const started = await background.start(cmd, (options) =>
		sandbox.run({ ...command, ...options, maxOutputBytes: 1_024 }),
	);
	const { n } = started;
	return {
		text: `started in the background as command ${n}: read its output with command_output, and end it with stop_command`,
		failed: false,
	};
}

/** The facts that changed since the plan was made or approved, in words. */
async function changesSince({ binding }: ToolPlan, cmd: string, context: ToolContext): Promise<string[]> {
	const surroundings = await surroundingsOf(context);
	// Without an approval no person has seen facts.
	const bound = "files" in binding ? await boundToCommand(cmd, context, { earlier: binding }) : undefined;
	return differences(binding, { ...surroundings, ...bound?.binding });
}

/**
 * Sandbox of the command. With `network`, it gets access to the operator's hosts, or without such hosts runs outside of the
 * sandbox, which people of channels cannot use.
 */
function sandboxFor({ network }: Arguments, { sandbox }: ToolContext): Sandbox {
	if (sandbox.refusal !== undefined) {
		throw new ParleyError(`not run: ${sandbox.refusal}`, { code: "failed_precondition" });
	}
	const chosen = network ? (sandbox.egress ?? sandbox.network) : sandbox;
	if (chosen) return chosen;
	throw new ParleyError("network: commands of this session run in a sandbox without network", {
		code: "permission_denied",
	});
}

interface Limits {
	readonly timeoutMs: number;
	readonly aborted: boolean;
}

/** Output of a command, with its end if it failed. */
export function describeOutcome(outcome: CommandOutcome, limits: Limits): ToolResult {
	const output = outcome.output === "" ? "(no output)" : outcome.output;
	const ending = endingOf(outcome, limits);
	if (ending === undefined) return { text: output, failed: false };
	return { text: `${output}${output.endsWith("\n") ? "" : "\n"}[${ending}]`, failed: true };
}

function endingOf(outcome: CommandOutcome, { timeoutMs, aborted }: Limits): string | undefined {
	if (outcome.timedOut) return `timed out after ${timeoutMs / 1_000} s`;
	if (aborted && outcome.code !== 0) return "cancelled";
	if (outcome.code === null) return `ended by ${outcome.signal}`;
	return outcome.code === 0 ? undefined : `exit code ${outcome.code}`;
}

interface CommandConfinement {
	readonly mode: SandboxKind;
	readonly hosts?: readonly string[];
	readonly exposed?: boolean;
}

/** Permissions of a command, for approvers. */
export function sandboxNote({ mode, hosts }: CommandConfinement): string {
	if (mode === "off") {
		return "sandbox: off — it has your permissions: files, network and this gateway";
	}
	if (mode === "container") {
		return "sandbox: container — everything in the gateway's container, including this gateway, and the network";
	}
	const network = hosts ? `network only to ${hosts.join(", ")} by https` : "no network";
	return `sandbox: ${mode} — ${network}, and only files in the roots`;
}

/** The note of a sandbox without network access. Any other confinement is unusual. */
export function usualSandboxNote(sandbox: CommandConfinement): string[] {
	const isUsual =
		sandbox.mode !== "off" && sandbox.mode !== "container" && !sandbox.hosts && !sandbox.exposed;
	return isUsual ? [sandboxNote(sandbox)] : [];
}

export function execClasses({ mode, exposed = false }: CommandConfinement): ActionClass[] {
	const exec = mode === "off" || exposed ? "exec-unsandboxed" : "exec-sandboxed";
	return mode === "container" ? [exec, "egress"] : [exec];
}

/** Maximum bytes of a command that an approver can read. */
const MAX_SHOWN_BYTES = 16 * 1024;

/** Refuses a command that cannot be approved, because it cannot start or cannot be shown exactly. */
export function refuseUnshowable(words: readonly string[], label: string): void {
	const refuse = (why: string): never => {
		throw new ParleyError(`the command cannot be approved: ${why}`, { code: "invalid_argument" });
	};
	if (words.some((word) => word.includes("\0") || !word.isWellFormed())) {
		refuse("it contains a NUL or is not well-formed text");
	}
	const bytes = Buffer.byteLength(label);
	if (bytes <= MAX_SHOWN_BYTES) return;
	refuse(`it takes ${bytes} bytes to show, at most ${MAX_SHOWN_BYTES}; write it to a file and run that`);
}
