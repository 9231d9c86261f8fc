import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, definedItems, ParleyError } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import { isWithin, looseForm } from "../../filesystem/paths.ts";
import { isControl } from "../../filesystem/sensitive-paths.ts";
import { judgeCommand } from "../../policy/commands/judge-command.ts";
import { isSecretName, namedPaths } from "../../policy/commands/places.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { execClasses } from "../commands/run-command.ts";
import {
	changesSettings,
	type GitWords,
	isPlainChange,
	lossReason,
	oneOf,
	type Reading,
	reachesNetwork,
	readGitWords,
	readingOf,
} from "./git-forms.ts";
import { type Care, type Repository, runGit } from "./repository.ts";
import { gitEffectTexts } from "./texts.ts";

/**
 * Judgement of a git call: the restrictions under which git runs, and the classes that determine whether the call needs
 * approval.
 */
export interface GitJudgement extends ReasonedClasses {
	readonly care: Care;
	readonly words: readonly string[];
	/**
	 * Whether the output may contain file diffs in which secrets must be hidden. False for a call that is not a
	 * known read.
	 */
	readonly patches: boolean;
}

interface ReasonedClasses {
	readonly classes: readonly ActionClass[];
	/** Reasons for the classes, for approvers. */
	readonly notes: readonly string[];
}

interface Place {
	/** Real absolute path in which the call runs. */
	readonly directory: string;
	/** Undefined if the command runs outside a repository and needs no repository. */
	readonly repository: Repository | undefined;
}

/** Reasons for each class. A class of `floor` without a reason does not apply. */
type Reasons = Partial<Record<ActionClass, readonly string[]>>;

/**
 * Judges the effect of a git call. Throws `invalid_argument` if the call only reads and names a path outside the
 * repository.
 */
export async function judgeGit(
	args: readonly string[],
	place: Place,
	context: ToolContext,
): Promise<GitJudgement> {
	const words = readGitWords(args);
	const reading = place.repository && readingOf(words);
	if (reading === undefined) return judgeChange(args, words, place, context);
	refuseOutside(words, place);
	const secret = await secretReasons(words, reading.objects, place, context);
	const control = gatewayReasons(place, context);
	const reasons = {
		read: [],
		...defined({
			secret: secret.length > 0 ? secret : undefined,
			control: control.length > 0 ? control : undefined,
		}),
	};
	return { care: "read", words: reading.words, ...shape(reasons), patches: reading.patches };
}

function refuseOutside({ plain }: GitWords, { directory, repository }: Place): void {
	// `git diff` would compare two files outside the repository.
	const outside = plain.find(
		(word) => isPathLike(word) && !isWithin(resolve(directory, word), repository?.top ?? "/"),
	);
	if (outside === undefined) return;
	throw new ParleyError(gitEffectTexts.outsideRepository(outside), {
		code: "invalid_argument",
	});
}

/** Whether the word, read as a path, may be outside the directory of the call. */
function isPathLike(word: string): boolean {
	return word.startsWith("/") || word.split("/").includes("..");
}

async function secretReasons(
	{ all, plain }: GitWords,
	objects: Reading["objects"],
	{ directory }: Place,
	context: ToolContext,
): Promise<string[]> {
	const named = all.flatMap((word) => namedPaths(word, directory, homeDirectory())).find(isSecretName);
	if (named !== undefined) return [gitEffectTexts.namesSecret(named)];
	if (objects === undefined) return [];
	// For a range such as `A..B`, both revisions are checked. For an exclusion such as `^A`, `A` is checked.
	for (const word of plain.flatMap((range) => range.replace(/^\^/, "").split(/\.{2,3}/))) {
		if (await isUnnamed(word, objects, { directory, context })) {
			return [gitEffectTexts.printsSecret(word)];
		}
	}
	return [];
}

/**
 * Whether the word names an object whose kind is not in `objects`, or a path in an object that is not a commit. The
 * content may be secret, and no file name in the call shows this.
 */
async function isUnnamed(
	word: string,
	objects: readonly string[],
	{ directory, context }: { readonly directory: string; readonly context: ToolContext },
): Promise<boolean> {
	const [revision = "", ...path] = word.split(":");
	if (revision === "") return false;
	const { code, output } = await runGit(["cat-file", "-t", `${revision}^{}`], directory, context);
	// If git fails here, either the word is a path, or git reports the error when the call runs. In `COMMIT:PATH`, the
	// path names the content.
	return code === 0 && !(path.length > 0 ? ["commit"] : objects).includes(output.trim());
}

async function judgeChange(
	args: readonly string[],
	words: GitWords,
	place: Place,
	context: ToolContext,
): Promise<GitJudgement> {
	const { repository, directory } = place;
	const { programs } = repository ?? { programs: [] };
	const plain = repository !== undefined && isPlainChange(words);
	const { leavesSandbox, exec, egress, planted } = confinementOf(words, place, context);
	const relevant = withoutMessages(args);
	const places = {
		cwd: directory,
		home: homeDirectory(),
		roots: context.roots,
		forbidden: context.forbidden,
		workspace: context.workspace,
	};
	// After `env`, every word may be a program. A call that is not plain may run any program that its words name.
	const line = shellLine(definedItems([plain ? undefined : "env", "git", ...relevant]));
	const judgement = await judgeCommand(line, places);
	const lost = lossReason(words, await existing(words, directory));
	const outside = outsideReasons(relevant, directory, context);
	const named = programs.length > 0 ? [gitEffectTexts.runsPrograms(programs)] : undefined;
	const reasons: Reasons = {
		...defined({
			[exec]: plain ? named : [],
			write: plain ? [] : undefined,
			egress: egress ? [] : undefined,
			"outside-write": outside.length > 0 ? outside : undefined,
		}),
		irreversible: definedItems([lost, ...judgement.irreversible]),
		control: [
			...planted,
			...controlReasons(words, place),
			...gatewayReasons(place, context),
			...judgement.control,
		],
		secret: judgement.secret,
	};
	const care = leavesSandbox ? "outside" : plain && programs.length === 0 ? "change" : "run";
	return { care, words: args, ...shape(reasons), patches: false };
}

function confinementOf(words: GitWords, { repository }: Place, { sandbox }: ToolContext) {
	const network = reachesNetwork(words);
	// Bubblewrap has no network, so a call that needs the network leaves the sandbox.
	const leavesSandbox = network && sandbox.mode === "bubblewrap";
	const [exec = "exec-sandboxed"] = execClasses(leavesSandbox ? { mode: "off" } : sandbox);
	const planted = leavesSandbox ? plantedReasons(words, repository) : [];
	return { leavesSandbox, exec, egress: network || sandbox.mode === "container", planted };
}

const floor: readonly ActionClass[] = ["irreversible", "control", "secret"];

function shape(reasons: Reasons): ReasonedClasses {
	const entries = Object.entries(reasons).filter(
		([name, reason]) => reason.length > 0 || !floor.some((entry) => entry === name),
	);
	return {
		// The cast is safe because the keys have the type of `Reasons`.
		classes: entries.map(([name]) => name as ActionClass),
		notes: [...new Set(entries.flatMap(([, reason]) => reason))],
	};
}

const MESSAGE = /^(?:-[a-zA-Z]*m|--message)$/;

/** Returns the arguments without texts of messages, which name no files. */
function withoutMessages(args: readonly string[]): readonly string[] {
	if (!/^(?:commit|merge|tag|stash|notes)$/.test(args[0] ?? "")) return args;
	return args
		.filter((_, index) => !MESSAGE.test(args[index - 1] ?? ""))
		.map((word) => word.replace(/^(-m|--message=).*$/s, "$1"));
}

async function existing({ plain }: GitWords, directory: string): Promise<ReadonlySet<string>> {
	const found = await Promise.all(
		plain.map(async (word) => ((await exists(resolve(directory, word))) ? word : undefined)),
	);
	return new Set(found.filter((word) => word !== undefined));
}

async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch {
		// A path that the gateway cannot inspect is treated as missing.
		return false;
	}
}

function outsideReasons(args: readonly string[], directory: string, { roots }: ToolContext): string[] {
	// Arguments may name paths outside the roots, for example an archive, a patch or another repository.
	const parts = args.flatMap((word) => {
		const local = word.replace(/^file:\/\//, "");
		if (local.includes("://")) return [];
		return definedItems([local, local.startsWith("-") ? local.replace(/^--?[a-zA-Z-]+=?/, "") : undefined]);
	});
	const outside = parts.filter(
		(part) => isPathLike(part) && !roots.some((root) => isWithin(resolve(directory, part), root)),
	);
	return [...new Set(outside.map((part) => gitEffectTexts.outsideRoots(part)))];
}

function controlReasons(words: GitWords, { directory }: Place): string[] {
	if (changesSettings(words)) return [gitEffectTexts.changesLater];
	if (!/^(?:checkout|restore|mv|rm|apply|am)$/.test(words.command)) return [];
	const changed = words.plain.find((word) => isControl(resolve(directory, word)));
	return changed === undefined ? [] : [gitEffectTexts.controlsLater(changed)];
}

function gatewayReasons({ repository }: Place, { forbidden }: ToolContext): string[] {
	if (repository === undefined) return [];
	const top = looseForm(repository.top);
	// Git could read or change files of the gateway in the working tree.
	const isInside = forbidden.some((path) => isWithin(looseForm(path), top));
	return isInside ? [gitEffectTexts.ownFiles] : [];
}

/** Options of commands that use the network, by command. A call with only these options names no program. */
const forms: Readonly<Record<string, RegExp>> = {
	fetch: oneOf(
		"--all -p --prune -t --tags -n --no-tags -f --force --depth=.* --unshallow --deepen=.* -q --quiet -v --verbose --dry-run",
	),
	pull: oneOf(
		"--ff-only --ff --no-ff --rebase --no-rebase -r --autostash --no-autostash -p --prune -t --tags -q --quiet -v --verbose --no-edit",
	),
	push: oneOf(
		"-u --set-upstream --tags --follow-tags -f --force --force-with-lease(?:=.*)? -d --delete --all --mirror -n --dry-run -q --quiet -v --verbose --porcelain --atomic",
	),
	clone: oneOf(
		"-q --quiet -v --verbose --depth=.* -b --branch(?:=.*)? --single-branch --no-tags --bare --mirror -n --no-checkout",
	),
	"ls-remote": oneOf("-h --heads --branches -t --tags --refs -q --quiet --symref --get-url --sort=.*"),
	remote: oneOf("-v --verbose -n -p --prune"),
};

interface PlantedSettings {
	readonly programs: readonly string[];
	readonly reaching: readonly string[];
}

/**
 * Returns the reasons why a command outside the sandbox might run programs that sandboxed commands planted.
 * With a reason, the command requires approval even if all tools are accepted.
 */
function plantedReasons({ command, options }: GitWords, repository: PlantedSettings | undefined): string[] {
	const form = Object.hasOwn(forms, command) ? forms[command] : undefined;
	const named = [
		// Hooks are disabled, so they are not a reason.
		...(repository?.programs ?? []).filter((name) => !name.startsWith("hook ")),
		...(repository?.reaching ?? []),
	];
	return definedItems([
		named.length > 0 ? gitEffectTexts.followsSettings(named) : undefined,
		form && options.every((option) => form.test(option)) ? undefined : gitEffectTexts.namesPrograms,
	]);
}

/** Returns a shell line that consists of exactly `words`. Quotes only words that need quotes. */
export function shellLine(words: readonly string[]): string {
	return words.map((word) => (/^[\w@%+=:,./^-]+$/.test(word) ? word : quote(word))).join(" ");
}

function quote(word: string): string {
	return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
