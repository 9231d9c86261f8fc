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
import { runCommandTexts } from "./texts.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;

const parameters = () =>
	z.strictObject({
		cmd: z.string().min(1).describe(runCommandTexts.command),
		timeout_ms: z
			.int()
			.min(1_000)
			.max(600_000)
			.default(DEFAULT_TIMEOUT_MS)
			.describe(runCommandTexts.timeoutMs),
		background: z.boolean().default(false).describe(runCommandTexts.background),
		network: z.boolean().default(false).describe(runCommandTexts.network),
		secrets: z
			.record(
				z
					.string()
					.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, runCommandTexts.variableName)
					.refine((name) => !isSteering(name), runCommandTexts.variableControls),
				z.string().regex(/^secret:[\w-]{1,100}$/, runCommandTexts.secretHandle),
			)
			.default({})
			.describe(runCommandTexts.secrets),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Runs a shell command in the session's working directory, either until it ends or in the background of the
 * session.
 */
export const runCommand = defineTool<Arguments>({
	name: "run_command",
	description: runCommandTexts.description,
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
	const label = `${background ? runCommandTexts.inBackground : "run"} ${visible(cmd)}`;
	refuseUnshowable([cmd], label);
	const sandbox = sandboxFor(args, context);
	if (background) refuseBackground(sandbox, context);
	const leavesSandbox = sandbox.mode !== context.sandbox.mode;
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
	if (judgement.control.length > 0 || leavesSandbox) classes.push("control");
	const secretEntries = Object.entries(secrets);
	if (judgement.secret.length > 0 || secretEntries.length > 0) classes.push("secret");
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
			leavesSandbox ? runCommandTexts.networkUnsandboxed : undefined,
			...[...judgement.irreversible, ...judgement.control, ...judgement.secret].map(visible),
			...secretEntries.map(([name, handle]) => runCommandTexts.passwordIn(name, visible(handle))),
			...mixedScriptNotes(cmd),
		]),
	};
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const sandbox = sandboxFor(args, context);
	const different = await changesSince(approved, args.cmd, { ...context, sandbox });
	if (different.length > 0) {
		return {
			text: runCommandTexts.changed(different),
			failed: true,
		};
	}
	const unusable = Object.keys(args.secrets).find((name) => args.secrets[name]?.includes("\0"));
	if (unusable !== undefined) {
		return {
			text: runCommandTexts.secretWithNul(unusable),
			failed: true,
		};
	}
	const command = {
		executable: await findShell(),
		// Without `--`, the shell would read a command that begins with a dash as options.
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

const backgroundNote = runCommandTexts.continues(backgroundLimits.timeoutMs / 3_600_000);

function refuseBackground({ mode }: Sandbox, { background }: ToolContext): void {
	// Only a sandbox ends a command reliably when the gateway ends.
	if (mode === "off") {
		throw new ParleyError(runCommandTexts.backgroundNeedsSandbox, {
			code: "failed_precondition",
		});
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
	// `background.start` stores the output for `command_output`, so the sandbox stores at most 1 KiB.
	const started = await background.start(cmd, (options) =>
		sandbox.run({ ...command, ...options, maxOutputBytes: 1_024 }),
	);
	const { n } = started;
	return {
		text: runCommandTexts.started(n),
		failed: false,
	};
}

async function changesSince({ binding }: ToolPlan, cmd: string, context: ToolContext): Promise<string[]> {
	const surroundings = await surroundingsOf(context);
	// Without an approval, no person has seen file facts, so they are not compared.
	const bound = "files" in binding ? await boundToCommand(cmd, context, { earlier: binding }) : undefined;
	return differences(binding, { ...surroundings, ...bound?.binding });
}

/**
 * Returns the sandbox for the command. Throws `failed_precondition` if the sandbox refuses commands, and
 * `permission_denied` if a network is requested but unavailable.
 */
function sandboxFor({ network }: Arguments, { sandbox }: ToolContext): Sandbox {
	if (sandbox.refusal !== undefined) {
		throw new ParleyError(runCommandTexts.notRun(sandbox.refusal), { code: "failed_precondition" });
	}
	const chosen = network ? (sandbox.egress ?? sandbox.network) : sandbox;
	if (chosen) return chosen;
	throw new ParleyError(runCommandTexts.noNetworkInSession, {
		code: "permission_denied",
	});
}

interface Limits {
	readonly timeoutMs: number;
	readonly aborted: boolean;
}

/** Returns the output of a command. If the command failed, the reason follows, for example the exit code. */
export function describeOutcome(outcome: CommandOutcome, limits: Limits): ToolResult {
	const output = outcome.output === "" ? runCommandTexts.noOutput : outcome.output;
	const ending = endingOf(outcome, limits);
	if (ending === undefined) return { text: output, failed: false };
	return { text: `${output}${output.endsWith("\n") ? "" : "\n"}[${ending}]`, failed: true };
}

function endingOf(outcome: CommandOutcome, { timeoutMs, aborted }: Limits): string | undefined {
	if (outcome.timedOut) return runCommandTexts.timedOut(timeoutMs / 1_000);
	if (aborted && outcome.code !== 0) return "cancelled";
	if (outcome.code === null) return runCommandTexts.endedBy(outcome.signal);
	return outcome.code === 0 ? undefined : runCommandTexts.exitCode(outcome.code);
}

interface CommandConfinement {
	readonly mode: SandboxKind;
	readonly hosts?: readonly string[];
	readonly exposed?: boolean;
}

/** Returns a note about the permissions of a command, for approvers. */
export function sandboxNote({ mode, hosts }: CommandConfinement): string {
	if (mode === "off") {
		return runCommandTexts.sandboxOff;
	}
	if (mode === "container") {
		return runCommandTexts.sandboxContainer;
	}
	const network = hosts ? runCommandTexts.networkTo(hosts) : runCommandTexts.noNetwork;
	return runCommandTexts.sandbox(mode, network);
}

/**
 * Returns the sandbox note if the command is confined without a network and not `exposed`, otherwise an empty
 * list.
 */
export function usualSandboxNote(sandbox: CommandConfinement): string[] {
	const isUsual =
		sandbox.mode !== "off" && sandbox.mode !== "container" && !sandbox.hosts && !sandbox.exposed;
	return isUsual ? [sandboxNote(sandbox)] : [];
}

export function execClasses({ mode, exposed = false }: CommandConfinement): ActionClass[] {
	const exec = mode === "off" || exposed ? "exec-unsandboxed" : "exec-sandboxed";
	return mode === "container" ? [exec, "egress"] : [exec];
}

/** Maximum bytes of a label, so that an approver can read the command. */
const MAX_SHOWN_BYTES = 16 * 1024;

/**
 * Throws `invalid_argument` for a command that cannot start, or that approvers cannot see exactly. Such a command cannot
 * be approved.
 */
export function refuseUnshowable(words: readonly string[], label: string): void {
	const refuse = (reason: string): never => {
		throw new ParleyError(runCommandTexts.cannotApprove(reason), { code: "invalid_argument" });
	};
	if (words.some((word) => word.includes("\0") || !word.isWellFormed())) {
		refuse(runCommandTexts.notText);
	}
	const bytes = Buffer.byteLength(label);
	if (bytes <= MAX_SHOWN_BYTES) return;
	refuse(runCommandTexts.tooLong(bytes, MAX_SHOWN_BYTES));
}
