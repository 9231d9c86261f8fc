import { dirname, resolve } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import type { CommandOutcome } from "../../vocabulary/sandbox.ts";
import { readStart } from "./git-directory.ts";

/** Maximum of bytes of a file of settings. Usual ones have a few hundred. */
const MAX_BYTES = 256 * 1024;
/** Maximum of settings that are taken out one by one. With more, the file is moved aside. */
const MAX_NAMES = 20;

/** Lists the settings. Warnings of git and the shell are left out. */
const LIST = 'exec 2>/dev/null; exec git config --file "$1" --no-includes --null --list';
const TAKE_OUT =
	'f=$1; cp -p -- "$1" "$2" || exit 1; shift 2; for n; do git config --file "$f" --unset-all "$n" || exit 1; done';

/** Sections of which every setting names a program, or a file of further settings, or lets others do so. */
const sections = [
	...["alias", "include", "includeif", "hook", "pager", "credential", "protocol", "filter", "sendemail"],
	...[
		"difftool",
		"mergetool",
		"guitool",
		"man",
		"browser",
		"instaweb",
		"imap",
		"trailer",
		"tar",
		"svn-remote",
		"svn",
		"annex",
	],
];
/** Keys that do so in any section. https://git-scm.com/docs/git-config#_variables */
const keys = [
	...["hookspath", "sshcommand", "gitproxy", "askpass", "editor", "pager", "alternaterefscommand"],
	...["external", "command", "textconv", "driver", "difffilter", "program", "defaultkeycommand", "helper"],
	...[
		"templatedir",
		"recentobjectshook",
		"packobjectshook",
		"vcs",
		"uploadpack",
		"receivepack",
		"cmd",
		"path",
	],
	...["clean", "smudge", "process", "browser"],
];
/** Keys of other programs that name a command, such as `remote.x.annex-shell-command`. */
const runningKey = /command(?:-options)?$/;
/** Keys that are judged by their values. */
const judged = ["fsmonitor", "worktree"];
/** Matches each file that can contain such a setting. Git writes names as they are, in any case of letters. */
const suspicious = new RegExp(
	String.raw`!|ext::|command|\b(?:${[...sections, ...keys, ...judged].join("|")})\b`,
	"i",
);

export interface SettingsOf {
	/** The file. */
	readonly path: string;
	/** Directories that commands may change. */
	readonly roots: readonly string[];
	/** Path for a copy of the file as it was. */
	readonly copy: string;
	/** Runs a shell script in a sandbox. With `read` it changes nothing. */
	git(script: string, args: readonly string[], power: "read" | "steer"): Promise<CommandOutcome | undefined>;
}

/**
 * Takes settings that name programs out of a file, and resolves with their names. Undefined if the file cannot be read
 * or changed.
 */
export async function takeOutRunning(settings: SettingsOf): Promise<readonly string[] | undefined> {
	const text = await readStart(settings.path, MAX_BYTES);
	if (text === undefined || Buffer.byteLength(text) >= MAX_BYTES) return undefined;
	if (!suspicious.test(text)) return [];
	const list = await settings.git(LIST, [settings.path], "read");
	if (list?.code !== 0 || list.timedOut) return undefined;
	// The window of output replaces NUL by this character.
	const entries = list.output.split("\u{fffd}").map((entry) => entry.split(/\n(.*)/s));
	const running = entries.filter(([name = "", value = "true"]) => isRunning(name, value, settings));
	const names = [...new Set(running.map(([name = ""]) => name))];
	if (names.length === 0) return [];
	if (names.length > MAX_NAMES) return undefined;
	const outcome = await settings.git(TAKE_OUT, [settings.path, settings.copy, ...names], "steer");
	return outcome?.code === 0 && !outcome.timedOut ? names : undefined;
}

/** Whether a setting names a program. Git prints names of sections and keys in small letters. */
function isRunning(
	name: string,
	value: string,
	{ path, roots }: Pick<SettingsOf, "path" | "roots">,
): boolean {
	const section = name.slice(0, name.indexOf("."));
	const key = name.slice(name.lastIndexOf(".") + 1);
	// The value is a program, or whether git's own monitor watches.
	if (key === "fsmonitor") return !/^(?:true|false|yes|no|on|off|\d+|)$/i.test(value);
	// Submodules use it. Outside the roots, git would overwrite files there.
	if (name === "core.worktree") return !roots.some((root) => isWithin(resolve(dirname(path), value), root));
	if (/^url\.(?:ext::|!)/i.test(name) || runningKey.test(key)) return true;
	return sections.includes(section) || keys.includes(key) || /^(?:!|ext::)/.test(value);
}
