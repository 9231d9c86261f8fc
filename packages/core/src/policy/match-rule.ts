import { basename, resolve } from "node:path";
import { definedItems } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import { ruleNameOf, type ToolPlan } from "../vocabulary/tool.ts";
import {
	type CommandWords,
	findCommands,
	isKeyword,
	isShell,
	isWrapper,
	type ParsedCommands,
} from "./commands/judge-command.ts";
import { matchesName, namedPaths } from "./commands/places.ts";
import { splitPlainly, UNKNOWN } from "./commands/words.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { KnownTool } from "./read-policy.ts";

/** Whether the rule may apply to the call. True in case of doubt. */
export function mayConcern(rule: PolicyRule, facts: CallFacts): boolean {
	const { classes, commands, paths, hosts } = rule;
	if (!isOfTool(rule, facts)) return false;
	if (classes && !classes.some((name) => facts.plan.classes.includes(name))) return false;
	if (commands && !(facts.runs && commands.some((prefix) => mayRun(prefix, facts.parsed)))) return false;
	if (paths && !paths.some((pattern) => mayTouch(pattern, facts))) return false;
	return !hosts || hosts.some((pattern) => mayReach(pattern, facts));
}

/**
 * Returns the rules in `rules` that together allow the complete call. Returns an empty list if no rule allows one of
 * the call's commands, or if the commands are not certain. `needed`: classes of the call that require approval.
 */
export function findAllowing(
	rules: readonly PolicyRule[],
	facts: CallFacts,
	needed: readonly string[],
): readonly PolicyRule[] {
	const fitting = rules.filter((rule) => isOfTool(rule, facts) && covers(rule, facts, needed));
	const unconditional = fitting.find(({ commands }) => commands === undefined);
	if (unconditional) return [unconditional];
	const parts = facts.runs && fitting.length > 0 ? facts.plain : undefined;
	if (!parts || parts.length === 0) return [];
	const found = parts.map((words) =>
		fitting.find(({ commands = [] }) => commands.some((prefix) => allowsCommand(prefix, words))),
	);
	return found.every((rule) => rule !== undefined) ? [...new Set(found)] : [];
}

function isOfTool({ tools }: PolicyRule, { name }: CallFacts): boolean {
	return !tools || tools.some((pattern) => matchesName(name, pattern));
}

function covers({ classes, paths, hosts }: PolicyRule, facts: CallFacts, needed: readonly string[]): boolean {
	// An unsandboxed command is not confined. Therefore only a rule that names the class `exec-unsandboxed` can allow
	// the command.
	const lifted: readonly string[] = classes ?? needed.filter((name) => name !== "exec-unsandboxed");
	if (needed.some((name) => !lifted.includes(name))) return false;
	const { host, roots } = facts;
	if (paths && !(facts.realPaths.length > 0 && !facts.runs && areWithin(facts.realPaths, paths, roots)))
		return false;
	return !hosts || (host !== undefined && !facts.runs && hosts.some((one) => matchesName(host, one)));
}

function areWithin(
	paths: readonly string[],
	patterns: readonly PathPattern[],
	roots: readonly string[],
): boolean {
	return paths.every((path) => patterns.some((one) => one.fits(path, roots)));
}

type PathPattern = NonNullable<PolicyRule["paths"]>[number];

function mayTouch(pattern: PathPattern, facts: CallFacts): boolean {
	const { paths, plan, roots } = facts;
	if (paths.some((path) => pattern.mayMatch(path, roots))) return true;
	if (plan.below && paths.some((path) => pattern.mayMatchBelow(path, roots))) return true;
	if (!facts.runs) return false;
	return !facts.parsed.isComplete || [...facts.parsed.paths].some((path) => pattern.mayMatch(path, roots));
}

function mayReach(pattern: string, facts: CallFacts): boolean {
	if (facts.host !== undefined && matchesName(facts.host, pattern)) return true;
	if (!facts.runs) return false;
	const { commands, isComplete } = facts.parsed;
	return !isComplete || commands.some(({ words }) => words.some((word) => namesHost(word, pattern)));
}

/**
 * Whether the word names a host that matches the pattern, for example in `https://HOST/`, `USER@HOST` or `HOST:PORT`.
 * After `://` or `@`, `*` in the pattern matches any characters. There, every pattern matches a host that is known only
 * at run time. In other places, only the exact name matches.
 */
function namesHost(word: string, pattern: string): boolean {
	const lower = word.toLowerCase();
	const hosts = [...lower.matchAll(/(?::\/\/|@)(?:[^\s/@]*@)?([^\s/:@?#]+)/g)].map(([, host = ""]) => host);
	if (hosts.some((host) => host.includes(UNKNOWN) || matchesName(host, pattern))) return true;
	return lower.split(/[\s/:@=,?#]/).includes(pattern);
}

interface CallPlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly forbidden: readonly string[];
}

/** A call to judge. If `args` and `context` are absent, only the plan of the call is known. */
export interface JudgedCall {
	readonly tool: KnownTool;
	readonly plan: ToolPlan;
	readonly args?: unknown;
	readonly context?: CallPlaces;
}

/** Facts about a call. Rules test the facts. Expensive facts are computed on first use. */
export class CallFacts {
	readonly name: string;
	readonly plan: ToolPlan;
	readonly roots: readonly string[];
	readonly #call: JudgedCall;
	#parsed: ParsedCommands | undefined;

	constructor(call: JudgedCall) {
		this.name = ruleNameOf(call.tool);
		this.plan = call.plan;
		this.roots = call.context?.roots ?? [];
		this.#call = call;
	}

	/** Whether the tool runs programs and the arguments of the call are known. */
	get runs(): boolean {
		return this.#call.tool.command !== undefined && this.#call.args !== undefined;
	}

	/** Returns the real paths of the files and directories that the plan of the call names. */
	get realPaths(): readonly string[] {
		return definedItems([this.plan.binding["path"], ...(this.plan.furtherPaths ?? [])]);
	}

	/** Returns the real paths, and the absolute form of the `path` argument if the model wrote one. */
	get paths(): readonly string[] {
		const { args, context } = this.#call;
		// `Object` accepts every value. A value other than an object has no property `path`.
		const written: unknown = Object(args).path;
		return definedItems([
			...this.realPaths,
			typeof written === "string" && context ? resolve(context.cwd, written) : undefined,
		]);
	}

	get host(): string | undefined {
		const url = this.plan.binding["url"];
		return url === undefined ? undefined : URL.parse(url)?.hostname.replace(/\.$/, "");
	}

	/**
	 * Returns the words of each command that the call runs. Returns undefined if the call runs no command, or if the
	 * words are not certain.
	 */
	get plain(): readonly (readonly string[])[] | undefined {
		const command = this.#command();
		return typeof command === "string" ? splitPlainly(command) : command && [command];
	}

	/** Returns all programs that the call may run, and all paths that the call's command may name. */
	get parsed(): ParsedCommands {
		this.#parsed ??= this.#find();
		return this.#parsed;
	}

	#command(): string | readonly string[] | undefined {
		const { tool, args } = this.#call;
		return args === undefined ? undefined : tool.command?.(args);
	}

	#find(): ParsedCommands {
		const command = this.#command() ?? [];
		const { cwd, roots, forbidden } = this.#call.context ?? { cwd: "/", roots: [], forbidden: [] };
		const home = homeDirectory();
		if (typeof command === "string") return findCommands(command, { cwd, roots, forbidden, home });
		// No shell expands these words.
		const paths = new Set(command.flatMap((word) => namedPaths(word, cwd, home)));
		return { commands: [{ words: command, hidden: false }], paths, isComplete: true };
	}
}

const assignment = /^[A-Za-z_]\w*\+?=/;

/** Shell builtins that change the meaning of later commands, or the working directory. */
const changesShell = new Set(
	"cd pushd popd alias unalias export declare typeset readonly local set unset shopt hash enable".split(" "),
);

/** Whether an `allow` rule with the prefix `prefix` covers the command `words`. */
function allowsCommand(prefix: readonly string[], words: readonly string[]): boolean {
	if (prefix.some((word, index) => word !== words[index])) return false;
	if (changesShell.has(basename(words[0] ?? "").toLowerCase())) return false;
	// If the program runs other programs, the rule must contain all words, because further words could name any program.
	return !needsCompleteWords(words) || prefix.length === words.length;
}

/**
 * Whether a rule for a command must contain all words of the command, because the command's program may run other
 * programs.
 */
export function needsCompleteWords([program = "", next = ""]: readonly string[]): boolean {
	const name = basename(program).toLowerCase();
	// Options of git before the subcommand can name programs too.
	return isWrapper(name) || (name === "git" && next.startsWith("-"));
}

/** Whether one of the commands may run the program that `prefix` names, with the arguments in `prefix`. */
function mayRun(prefix: readonly string[], { commands, isComplete }: ParsedCommands): boolean {
	// A command that was not read completely may run any program.
	if (!isComplete) return true;
	return commands.some((command) =>
		command.words.some(
			(_, index) => isProgram(command, index) && mayBegin(prefix, command.words.slice(index)),
		),
	);
}

function isProgram({ words, hidden }: CommandWords, index: number): boolean {
	const first = words.findIndex((word) => !isKeyword(word) && !assignment.test(word));
	return hidden || index === first || words.slice(first, index).some((word) => isWrapper(nameOf(word)));
}

function mayBegin(
	[program = "", ...rest]: readonly string[],
	[word = "", ...args]: readonly string[],
): boolean {
	if (assignment.test(word)) return false;
	if (word.includes(UNKNOWN) || readsCommands(word, args)) return true;
	const name = nameOf(word);
	// A git subcommand may also be installed as a separate program, such as `git-push`.
	if (name.startsWith("git-"))
		return mayBegin([program, ...rest], ["git", name.slice("git-".length), ...args]);
	return name === nameOf(program) && mayFollow(rest, args);
}

/** Whether the arguments may contain the words after the program in a prefix, in the order of the prefix. */
function mayFollow([next, ...rest]: readonly string[], args: readonly string[]): boolean {
	if (next === undefined) return true;
	// After an option, any words may be in between, because they may be values of options. An unknown word matches every
	// word.
	const last = args[0]?.startsWith("-") || args[0]?.includes(UNKNOWN) ? args.length : 1;
	const at = args.slice(0, last).findIndex((word) => word === next || word.includes(UNKNOWN));
	return at !== -1 && mayFollow(rest, args.slice(at + 1));
}

/**
 * Whether the word is a shell that may read commands from its input, because all arguments of the shell are short
 * options.
 */
function readsCommands(word: string, args: readonly string[]): boolean {
	return isShell(nameOf(word)) && args.every((arg) => /^-[^-]?/.test(arg) && !arg.startsWith("--"));
}

function nameOf(program: string): string {
	return basename(program)
		.toLowerCase()
		.replace(/\.(?:exe|cmd|bat)$/, "");
}
