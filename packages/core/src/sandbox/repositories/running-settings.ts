import { dirname, resolve } from "node:path";
import type { CommandOutcome } from "../../sandbox.ts";
import { isWithin } from "../../tools/paths.ts";
import { readStart } from "./git-directory.ts";

/** Settings are a few hundred bytes; nobody looks through more. */
const MAX_BYTES = 256 * 1024;

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
/** These need their value to be judged. */
const judged = ["fsmonitor", "worktree"];
/** Names stand in the file as they are, but for their case: what does not show one of these needs no closer look. */
const suspicious = new RegExp(
	String.raw`!|ext::|\b(?:${[...sections, ...keys, ...judged].join("|")})\b`,
	"i",
);

export interface SettingsOf {
	/** The file. */
	readonly path: string;
	/** Where commands may write. */
	readonly roots: readonly string[];
	/** Runs git in a sandbox of its own: without power it reads. */
	git(args: readonly string[], power: "read" | "steer"): Promise<CommandOutcome | undefined>;
}

/**
 * Takes out of a repository's settings what names programs, and resolves with the names of that. Undefined where the
 * settings cannot be read, or cannot be changed.
 */
export async function takeOutRunning(settings: SettingsOf): Promise<readonly string[] | undefined> {
	const text = await readStart(settings.path, MAX_BYTES);
	if (text === undefined || Buffer.byteLength(text) >= MAX_BYTES) return undefined;
	if (!suspicious.test(text)) return [];
	const file = ["config", "--file", settings.path];
	const list = await settings.git([...file, "--no-includes", "--null", "--list"], "read");
	if (list?.code !== 0) return undefined;
	// The window of output has no NUL: it shows this character in its place.
	const entries = list.output.split("\u{fffd}").map((entry) => entry.split(/\n(.*)/s));
	const running = entries.filter(([name = "", value = "true"]) => isRunning(name, value, settings));
	const names = [...new Set(running.map(([name = ""]) => name))];
	for (const name of names) {
		const outcome = await settings.git([...file, "--unset-all", name], "steer");
		if (outcome?.code !== 0) return undefined;
	}
	return names;
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
	return sections.includes(section) || keys.includes(key) || /^(?:!|ext::)/.test(value);
}
