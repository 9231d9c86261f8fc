import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { definedItems } from "@parley/base";
import { isWithin, resolvePath } from "../../filesystem/paths.ts";
import { isControl } from "../../filesystem/sensitive-paths.ts";
import { irreversibleReason, isDevice, removedPaths } from "./irreversible.ts";
import { type CommandDirectories, isSecretName, namedPaths, namesForbidden, resolveWord } from "./places.ts";
import { commandEffectTexts } from "./texts.ts";
import { type SimpleCommand, splitBlindly, splitCommands, UNKNOWN } from "./words.ts";

/** Reasons why a command always requires approval, as texts for people. All lists are empty for most commands. */
export interface CommandJudgement {
	readonly irreversible: readonly string[];
	readonly control: readonly string[];
	readonly secret: readonly string[];
}

/**
 * Maximum texts that are read for one command: the command, and texts in it that a program may run. A command with more
 * texts always requires approval.
 */
const MAX_TEXTS = 300;
const MAX_WORDS = 300;
/** Maximum removed paths that are checked, because each check needs access to the file system. */
const MAX_REMOVALS = 20;
/**
 * Maximum length of a working directory after `cd`. Longer paths are treated as unknown, because every word of the
 * command is resolved against the working directory.
 */
const MAX_FOLLOWED = 500;
const unread = commandEffectTexts.tooLong;

const controlPrograms = new Set(
	"crontab systemctl launchctl visudo chkconfig update-rc.d loginctl schtasks parley".split(" "),
);
/** Programs that change the files in their arguments. */
const changers = new Set(
	"tee cp mv ln install rsync sed truncate rm unlink shred chmod chown dd patch ed ex touch".split(" "),
);

/**
 * Finds effects of a shell command that always require approval. The effects are irreversible actions, changes of files
 * that control the machine or the gateway, and names of files that contain secrets. A command can hide an effect from
 * `judgeCommand`, so callers must use the result only to require more approvals. Only the sandbox confines a command.
 */
export async function judgeCommand(text: string, places: CommandDirectories): Promise<CommandJudgement> {
	const judge = new Judge(places);
	judge.read(text);
	if (judge.removals.size > MAX_REMOVALS) judge.irreversible.add(commandEffectTexts.removesMany);
	for (const path of [...judge.removals].slice(0, MAX_REMOVALS)) {
		if (await isOutside(path, places)) judge.irreversible.add(commandEffectTexts.removesAll(path));
	}
	return {
		irreversible: [...judge.irreversible],
		control: [...judge.control],
		secret: [...judge.secret],
	};
}

/** Words of one command. If `hidden` is true, any of the words may be a program that the command runs. */
export interface CommandWords {
	readonly words: readonly string[];
	readonly hidden: boolean;
}

/** Programs and paths in a command, according to the text of the command. */
export interface ParsedCommands {
	/** Words of the commands. `UNKNOWN` replaces text that is known only at run time. */
	readonly commands: readonly CommandWords[];
	/** Absolute paths that the words may name, including shell patterns. */
	readonly paths: ReadonlySet<string>;
	/** Whether the command was read completely. False if the command is too long or too deeply nested. */
	readonly isComplete: boolean;
}

/** Returns the programs and paths in a command, including the commands that its programs run. */
export function findCommands(text: string, places: CommandDirectories): ParsedCommands {
	const parsed = { commands: [] as CommandWords[], paths: new Set<string>() };
	const judge = new Judge(places, parsed);
	judge.read(text);
	return { ...parsed, isComplete: !judge.irreversible.has(unread) };
}

/**
 * Whether the path is outside the roots and /tmp. Also true for /tmp itself, the home directory, and the parents of the
 * home directory.
 */
async function isOutside(path: string, places: CommandDirectories): Promise<boolean> {
	const temporary = ["/tmp", await realpath("/tmp")];
	if (path === "/" || isWithin(places.home, path) || temporary.includes(path)) return true;
	const roots = [...places.roots, ...temporary];
	if (!roots.some((root) => isWithin(path, root))) return true;
	if (roots.includes(path)) return false;
	try {
		// `rm` follows links in the parent directories, but not a link that is the argument itself.
		return (await resolvePath(dirname(path), { ...places, roots, forbidden: [] })).root === undefined;
	} catch {
		// An unresolvable path may be outside the roots.
		return true;
	}
}

class Judge {
	readonly irreversible = new Set<string>();
	readonly control = new Set<string>();
	readonly secret = new Set<string>();
	/** Absolute paths that are removed recursively. */
	readonly removals = new Set<string>();
	readonly #places: CommandDirectories;
	readonly #parsed: { readonly commands: CommandWords[]; readonly paths: Set<string> } | undefined;
	/**
	 * Texts to read, each with the working directory at its start. `hidden`: whether any word of the text may be a
	 * program that the text runs.
	 */
	readonly #waiting = new Map<string, { readonly cwd: string | undefined; readonly hidden: boolean }>();
	#cwd: string | undefined;

	constructor(
		places: CommandDirectories,
		parsed?: { readonly commands: CommandWords[]; readonly paths: Set<string> },
	) {
		this.#places = places;
		this.#parsed = parsed;
		this.#cwd = places.cwd;
	}

	read(text: string): void {
		this.#waiting.set(text, { cwd: this.#places.cwd, hidden: false });
		let read = 0;
		// The iteration also visits entries that are added during the iteration. Each entry is visited once.
		for (const [next, { cwd, hidden }] of this.#waiting) {
			read += 1;
			if (read > MAX_TEXTS) {
				this.irreversible.add(unread);
				return;
			}
			this.#readText(next, cwd, hidden);
		}
	}

	#readText(text: string, cwd: string | undefined, hidden: boolean): void {
		this.#cwd = cwd;
		const commands = splitCommands(text, { HOME: this.#places.home });
		const feedsShell = commands.some(({ words }) => words.some((word) => isShell(programOf(word) ?? "")));
		for (const command of commands) this.#readCommand(command, hidden || feedsShell);
		this.#cwd = cwd;
		for (const words of splitBlindly(withoutRedirections(text))) {
			this.#readWords(words, hidden || feedsShell);
			// Only words with a slash are checked, because any other word may be ordinary text.
			for (const word of words) if (word.includes("/")) this.#judgeSecret(word);
		}
	}

	#readCommand({ words, outputs, inputs }: SimpleCommand, hidden: boolean): void {
		for (const output of outputs) this.#judgeOutput(output);
		for (const word of [...words, ...outputs, ...inputs]) this.#judgeSecret(word);
		for (const path of [...outputs, ...inputs]) this.#judgeName(path);
		if (!this.#readWords(words, hidden)) return;
		const texts = [...words, ...inputs].filter((word) => /[\s;&|()`$<>]/.test(word));
		// `eval` and similar commands join their arguments before reading them.
		if (!hidden && words.length > 2) texts.push(words.slice(1).join(" "));
		for (const text of texts) {
			if (!this.#waiting.has(text)) this.#waiting.set(text, { cwd: this.#cwd, hidden: true });
		}
	}

	/** Judges the words of one command. Returns whether the command's program may run other programs. */
	#readWords(words: readonly string[], hidden: boolean): boolean {
		for (const word of words) this.#judgeName(word);
		const runsOthers = hidden || isWrapper(programOf(words[0] ?? "") ?? "");
		if (runsOthers && words.length > MAX_WORDS) this.irreversible.add(unread);
		const read = runsOthers ? words.slice(0, MAX_WORDS) : words;
		const last = runsOthers ? read.length : Math.min(1, read.length);
		this.#parsed?.commands.push({ words: read, hidden });
		for (let index = 0; index < last; index += 1) this.#judgeProgram(read, index);
		this.#follow(words);
		return runsOthers;
	}

	#judgeProgram(words: readonly string[], index: number): void {
		const program = programOf(words[index] ?? "");
		const args = words.slice(index + 1);
		const git = /^git-(.+)$/.exec(program ?? "")?.[1];
		const reason =
			git === undefined ? irreversibleReason(program, args) : irreversibleReason("git", [git, ...args]);
		if (reason !== undefined) this.irreversible.add(`${program ?? "a program"} ${reason}`);
		if (program === undefined || changers.has(program)) {
			for (const arg of args) this.#judgeChange(arg);
		}
		if (program !== undefined && controlPrograms.has(program)) {
			this.control.add(commandEffectTexts.controlsMachine(program));
		}
		this.#judgeRemoval(program, words, index);
	}

	#judgeRemoval(program: string | undefined, words: readonly string[], index: number): void {
		const before = words.slice(0, index);
		// `xargs rm` removes the paths that `xargs` reads. `env -C DIRECTORY` and `sudo -D DIRECTORY` change the working
		// directory.
		const isFed = before.some((word) => /^(?:xargs|parallel)$/.test(programOf(word) ?? ""));
		const isMoved = before.some((word) => /^(?:-[CD]|--ch(?:dir|root)|chroot$)/.test(word));
		for (const path of removedPaths(
			program,
			definedItems([...words.slice(index + 1), isFed ? UNKNOWN : undefined]),
		)) {
			const place = resolveWord(path, isMoved ? undefined : this.#cwd, this.#places.home);
			if (place !== undefined) this.removals.add(place);
			else this.irreversible.add(commandEffectTexts.removesUnknown);
		}
	}

	#follow(words: readonly string[]): void {
		const program = programOf(words[0] ?? "");
		if (program !== "cd" && program !== "pushd" && program !== "popd") return;
		const target = words.slice(1).find((word) => !/^-[LPe@]+$/.test(word) && word !== "--") ?? "~";
		const isKnown = program !== "popd" && !/^[-+]\d*$/.test(target);
		const place = isKnown ? resolveWord(target, this.#cwd, this.#places.home) : undefined;
		this.#cwd = place !== undefined && place.length > MAX_FOLLOWED ? undefined : place;
	}

	#judgeOutput(output: string): void {
		if (isDevice(output)) this.irreversible.add(commandEffectTexts.writesTo(output));
		this.#judgeChange(output);
	}

	#judgeChange(word: string): void {
		const place = resolveWord(word.replace(/^(?:of=|--?[a-z-]+=)/, ""), this.#cwd, this.#places.home);
		if (place !== undefined && isControl(place)) this.control.add(commandEffectTexts.mayChange(place));
	}

	#judgeSecret(word: string): void {
		const named = namedPaths(word, this.#cwd, this.#places.home).find(isSecretName);
		if (named === undefined) return;
		this.secret.add(commandEffectTexts.namesSecret(named.replaceAll(UNKNOWN, "…")));
	}

	#judgeName(word: string): void {
		const { home } = this.#places;
		if (this.#parsed) {
			// Covers an option that is joined with its path: `make -C../other`.
			for (const text of new Set([word, word.replace(/^-[A-Za-z](?=.)/, "")]))
				for (const path of namedPaths(text, this.#cwd, home)) this.#parsed.paths.add(path);
		}
		if (namesForbidden(word, this.#cwd, this.#places)) this.control.add(commandEffectTexts.namesGatewayFiles);
	}
}

/** Returns the name of the program in lower case, or undefined if the name is known only at run time. */
function programOf(word: string): string | undefined {
	const name = basename(word).toLowerCase();
	return name.includes(UNKNOWN) || /[*?[]/.test(name) ? undefined : name;
}

function withoutRedirections(text: string): string {
	return text.replaceAll(/\d*(?:&>>?|>>|>[|&]?|<{1,3}&?)[ \t]*[^\s;&|()<>`$]*/g, " ");
}

const shells = new Set("sh bash zsh dash ksh mksh ash fish csh tcsh pwsh".split(" "));

const keywords = "then do else elif if while until time coproc function case ! [[".split(" ");

/**
 * Programs and shell keywords that run the following words as a command, or as a script in the shell or another
 * language.
 */
const wrappers = new Set(
	[
		...keywords,
		"sudo doas su runuser pkexec env command builtin exec nohup nice ionice chrt taskset timeout gtimeout stdbuf",
		"setsid setarch chroot unshare nsenter flock strace ltrace gdb busybox toybox systemd-run caffeinate arch rlwrap",
		"unbuffer script expect watch entr xargs parallel find fd ssh mosh tmux screen at batch trap eval source .",
		"npx bunx pnpx npm pnpm yarn bun corepack uv uvx pipx poetry pdm hatch rye conda mamba mise asdf direnv nix",
		"nix-shell docker podman kubectl dotenv doppler aws-vault nodemon make just task",
		"awk gawk mawk osascript deno tclsh",
	]
		.join(" ")
		.split(" "),
);
const interpreters = /^(?:python|pypy|perl|ruby|node|php|lua|tclsh|Rscript)[\d.]*$/i;

/** Whether the word is a shell keyword that precedes a program. */
export function isKeyword(word: string): boolean {
	return keywords.includes(word);
}

export function isShell(program: string): boolean {
	return shells.has(program);
}

/** Whether the program runs files of a language other than shell. */
export function isInterpreter(program: string): boolean {
	return interpreters.test(program) || /^(?:[gm]?awk|osascript|deno|bun|expect|tsx|ts-node)$/.test(program);
}

/** Whether the program runs other programs from its arguments. */
export function isWrapper(program: string): boolean {
	return shells.has(program) || wrappers.has(program) || interpreters.test(program);
}
