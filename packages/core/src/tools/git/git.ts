import { defined, definedItems, ParleyError } from "@parley/base";
import * as z from "zod";
import { identityOf } from "../../filesystem/file-error.ts";
import { resolvePath, shownPath } from "../../filesystem/paths.ts";
import { isSecretName } from "../../policy/commands/places.ts";
import { completeLines, mixedScriptNotes, visible } from "../../text/visible.ts";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import {
	type BindOptions,
	defineTool,
	type GrantScope,
	type ToolContext,
	type ToolPlan,
	type ToolResult,
} from "../../vocabulary/tool.ts";
import { fileFacts } from "../commands/programs.ts";
import { describeOutcome, refuseUnshowable, sandboxNote, usualSandboxNote } from "../commands/run-command.ts";
import { boundToRepository, differences, programFacts } from "../commands/surroundings.ts";
import { requireDirectory } from "../files/tree-files.ts";
import { type GitJudgement, judgeGit, shellLine } from "./judge-git.ts";
import {
	type Care,
	carefulEnvironment,
	carefulOptions,
	findRepository,
	type Repository,
} from "./repository.ts";
import { gitTexts } from "./texts.ts";

const MAX_OUTPUT_BYTES = 256 * 1024;
const READ_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 300_000;

/** Commands that may run outside a repository. */
const begins = new Set(["init", "clone", "ls-remote"]);

const parameters = () =>
	z.strictObject({
		args: z
			.array(z.string().max(16 * 1024))
			.min(1)
			.max(500)
			.describe(gitTexts.words),
		path: z.string().default(".").describe(gitTexts.directory),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Runs git. A call that only reads runs no program that the repository names, for example a hook or filter. Such a call
 * needs approval only for secrets and files of the gateway. Other calls need approval according to their effect.
 */
export const git = defineTool<Arguments>({
	name: "git",
	description: gitTexts.description,
	parameters,
	accepts: { ignored: ["description"], parameters: { path: { names: ["cwd", "directory"] } } },
	effect: "effectful",
	command: ({ args }) => ["git", ...args],
	plan,
	run,
});

interface Inspection {
	readonly directory: string;
	readonly judgement: GitJudgement;
	readonly repository: Repository | undefined;
	readonly binding: Readonly<Record<string, string>>;
}

async function plan(args: Arguments, context: ToolContext): Promise<ToolPlan> {
	const label = visible(shellLine(["git", ...args.args]));
	refuseUnshowable(args.args, label);
	const { directory, judgement, repository, binding } = await inspect(args, context);
	const { classes, notes, care } = judgement;
	return {
		label,
		classes,
		preview: "",
		binding,
		...defined({ grant: classes.length === 1 && classes[0] === "write" ? grantOf(args.args) : undefined }),
		usualNotes: definedItems([
			directory === context.cwd ? `in ${shownPath(directory, context.cwd)}` : undefined,
			...usualSandboxNote(sandboxOf(judgement, context)),
		]),
		notes: definedItems([
			`in ${shownPath(directory, context.cwd)}`,
			care === "run" || care === "outside" ? sandboxNote(sandboxOf(judgement, context)) : undefined,
			...notes.map(visible),
			...mixedScriptNotes(args.args.join(" ")),
		]),
		// Hooks and filters can run any file of the repository.
		...defined({
			bind:
				care === "run" && repository
					? (options?: BindOptions) => boundToRepository(repository.top, context, options)
					: undefined,
		}),
	};
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const { directory, judgement, repository, binding } = await inspect(args, context);
	const bound =
		"files" in approved.binding && repository
			? await boundToRepository(repository.top, context, { earlier: approved.binding })
			: undefined;
	const different = differences(approved.binding, { ...binding, ...bound?.binding });
	const unapproved = judgement.classes.some((name) => !approved.classes.includes(name));
	if (different.length > 0 || unapproved) {
		const changes = different.length > 0 ? different.join(", ") : gitTexts.effects;
		return { text: gitTexts.changed(changes), failed: true };
	}
	const { care, words, classes } = judgement;
	const sandbox = sandboxOf(judgement, context);
	const timeoutMs = care === "read" ? READ_TIMEOUT_MS : TIMEOUT_MS;
	const outcome = await sandbox.run({
		executable: "git",
		args: [...carefulOptions(care, repository?.filters ?? []), ...words],
		cwd: directory,
		power: powerOf(care, classes),
		environment: carefulEnvironment(care, context.roots),
		timeoutMs,
		maxOutputBytes: MAX_OUTPUT_BYTES,
		signal: context.signal,
	});
	const shown = care === "read" ? { ...outcome, output: readable(outcome, judgement) } : outcome;
	return describeOutcome(shown, { timeoutMs, aborted: context.signal.aborted });
}

async function inspect({ args, path: text }: Arguments, context: ToolContext): Promise<Inspection> {
	const { path: directory, root } = await resolvePath(text, context);
	const [command = ""] = args;
	const refuse = (reason: string, code: "permission_denied" | "invalid_argument"): never => {
		throw new ParleyError(reason, { code });
	};
	if (root === undefined) {
		refuse(gitTexts.outside(text), "permission_denied");
	}
	if (!/^[a-zA-Z][a-zA-Z0-9-]*$/.test(command)) {
		refuse(gitTexts.noCommand(command), "invalid_argument");
	}
	await requireDirectory(directory, text);
	const repository = await findRepository(directory, context).catch((reason: unknown) => {
		if (begins.has(command) && ParleyError.from(reason).code === "not_found") return undefined;
		throw reason;
	});
	const judgement = await judgeGit(args, { directory, repository }, context);
	const sandbox = sandboxOf(judgement, context);
	return { directory, repository, judgement, binding: await bindingOf(directory, repository, sandbox) };
}

async function bindingOf(
	directory: string,
	repository: Repository | undefined,
	sandbox: Sandbox,
): Promise<Record<string, string>> {
	const places = repository === undefined ? [] : [repository.top, ...repository.directories];
	return {
		directory: await identityOf(directory),
		repository: (await Promise.all(places.map(identityOf))).join(", "),
		programs: repository?.programs.join(", ") ?? "",
		scripts: await fileFacts(repository?.steering ?? []),
		...(await programFacts("git", sandbox)),
	};
}

/**
 * Returns the sandbox for the call. Throws `permission_denied` if the call needs the network and the session
 * may not use it.
 */
function sandboxOf({ care }: GitJudgement, { sandbox }: ToolContext): Sandbox {
	// A bubblewrap sandbox lacks the network that `outside` needs.
	if (care !== "outside") return sandbox;
	if (sandbox.network) return sandbox.network;
	throw new ParleyError(gitTexts.noNetwork, {
		code: "permission_denied",
	});
}

function powerOf(care: Care, classes: GitJudgement["classes"]): NonNullable<Command["power"]> {
	if (care === "read") return "read";
	// Git may change files that control later commands in two cases: no program of the repository runs, or the call has the
	// class `control`, which requires approval.
	return care === "change" || classes.includes("control") ? "steer" : "work";
}

/** Returns the grant scope that covers git calls with the same command and, for `stash`, with the same verb. */
function grantOf([command = "", verb = ""]: readonly string[]): GrantScope {
	return { kind: "argv", tool: "git", prefix: command === "stash" ? [command, verb] : [command] };
}

/**
 * Returns the output up to the first omitted part. Hides possible secrets in file diffs, unless the call was approved as
 * secret. Also hides user names and passwords in the URLs of `remote`.
 */
function readable(outcome: CommandOutcome, { patches, words, classes }: GitJudgement): string {
	const { lines, cut } = completeLines(outcome);
	const open = !patches || classes.includes("secret") ? lines : hideSecrets(lines);
	const shown = words[0] === "remote" ? open.map(hideUserinfo) : open;
	const rest = cut ? [gitTexts.leftOut] : [];
	return [...shown, ...rest].map((line) => `${line}\n`).join("");
}

const HEADER = /^diff --(?:git|cc|combined) (.*)$/s;
/**
 * Content lines of a patch. Other lines begin with other characters, except lines of commit messages, which
 * follow an empty line.
 */
const CONTENT = /^[-+ @\\]/;
const EXTENDED =
	/^(?:index|old mode|new mode|deleted file|new file|copy|rename|similarity|dissimilarity|Binary files) /;

/**
 * Removes from patches the content of files that may contain keys or passwords. `lines` must be the output of git with
 * the prefixes `a/` and `b/`, without colours, graphs or word diffs.
 */
export function hideSecrets(lines: readonly string[]): string[] {
	let hidden = false;
	return lines.flatMap((line) => {
		const names = HEADER.exec(line)?.[1];
		if (names !== undefined) {
			hidden = namesSecret(names);
			return hidden ? [line, gitTexts.secretContent] : [line];
		}
		if (hidden && CONTENT.test(line)) return [];
		hidden &&= EXTENDED.test(line);
		return [line];
	});
}

/** Whether the header of a file diff names a file that may contain secrets. */
function namesSecret(names: string): boolean {
	// Headers have the forms `a/NAME b/NAME`, `"a/NAME" "b/NAME"` and `NAME`. A name may contain spaces, so
	// each piece is checked.
	const pieces = names.split(/[" ]+/).filter((piece) => piece !== "");
	return [names, ...pieces].some((piece) => isSecretName(`/${piece}`));
}

/** Replaces the user name and password of each URL in the line with `…`. */
export function hideUserinfo(line: string): string {
	return line.replaceAll(/(:\/\/)[^/\s]*@/g, "$1…@");
}
