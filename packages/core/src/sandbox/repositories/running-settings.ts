import { dirname, resolve } from "node:path";
import type { CommandOutcome } from "../../sandbox.ts";
import { isWithin } from "../../tools/paths.ts";
import { readStart } from "./git-directory.ts";

/** Settings are a few hundred bytes; nobody looks through more. */
const MAX_BYTES = 256 * 1024;
/** More than these, and the file is nothing but that. */
const MAX_NAMES = 20;

/** What git or the shell says besides is none of the entries. */
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
/** Settings that do so in whatever section. https://git-scm.com/docs/git-config#_variables */
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
/** Many programs' own settings name one each, as `remote.x.annex-shell-command` does. */
const runningKey = /command(?:-options)?$/;
/** These need their value to be judged. */
const judged = ["fsmonitor", "worktree"];
/** Names stand in the file as they are, but for their case: what does not show one of these needs no closer look. */
const suspicious = new RegExp(
	String.raw`!|ext::|command|\b(?:${[...sections, ...keys, ...judged].join("|")})\b`,
	"i",
);

export interface SettingsOf {
	/** The file. */
	readonly path: string;
	/** Where commands may write. */
	readonly roots: readonly string[];
	/** Where a copy goes before anything is taken out. */
	readonly copy: string;
	/** Runs lines of a shell in a sandbox of its own: without power they read. */
	git(script: string, args: readonly string[], power: "read" | "steer"): Promise<CommandOutcome | undefined>;
}

/**
 * Takes out of a repository's settings what names programs, and resolves with the names of that. Undefined where the
 * settings cannot be read, or cannot be changed.
 */
export async function takeOutRunning(settings: SettingsOf): Promise<readonly string[] | undefined> {
	const text = await readStart(settings.path, MAX_BYTES);
	if (text === undefined || Buffer.byteLength(text) >= MAX_BYTES) return undefined;
	if (!suspicious.test(text)) return [];
	const list = await settings.git(LIST, [settings.path], "read");
	if (list?.code !== 0 || list.timedOut) return undefined;
	// The window of output has no NUL: it shows this character in its place.
	const entries = list.output.split("\u{fffd}").map((entry) => entry.split(/\n(.*)/s));
	const running = entries.filter(([name = "", value = "true"]) => isRunning(name, value, settings));
	const names = [...new Set(running.map(([name = ""]) => name))];
	if (names.length === 0) return [];
	if (names.length > MAX_NAMES) return undefined;
	const outcome = await settings.git(TAKE_OUT, [settings.path, settings.copy, ...names], "steer");
	return outcome?.code === 0 && !outcome.timedOut ? names : undefined;
}

/** Names of sections and keys come in small letters. */
function isRunning(
	name: string,
	value: string,
	{ path, roots }: Pick<SettingsOf, "path" | "roots">,
): boolean {
	const section = name.slice(0, name.indexOf("."));
	const key = name.slice(name.lastIndexOf(".") + 1);
	// A program, or whether git's own is to watch.
	if (key === "fsmonitor") return !/^(?:true|false|yes|no|on|off|\d+|)$/i.test(value);
	// Of a submodule its place; elsewhere git would write over what is there.
	if (name === "core.worktree") return !roots.some((root) => isWithin(resolve(dirname(path), value), root));
	if (/^url\.(?:ext::|!)/i.test(name) || runningKey.test(key)) return true;
	return sections.includes(section) || keys.includes(key) || /^(?:!|ext::)/.test(value);
}
