import type { Sandbox } from "../sandbox.ts";

/**
 * What of a person's own settings of git commands see in the sandbox: who commits, and how files are read and written.
 * Never what names programs (but for the filter of large files) or holds credentials.
 */
const shared = [
	...[
		"user\\.name",
		"user\\.email",
		"init\\.defaultbranch",
		"core\\.autocrlf",
		"core\\.eol",
		"pull\\.rebase",
	],
	...["merge\\.conflictstyle", "diff\\.algorithm", "filter\\.lfs\\.(clean|smudge|process|required)"],
];
const TIMEOUT_MS = 2_000;

/** The settings as a file of git; empty where there are none. Never rejects. */
export async function sharedGitSettings(unsandboxed: Sandbox, cwd: string): Promise<string> {
	const command = {
		executable: "git",
		args: ["config", "--global", "--null", "--get-regexp", `^(${shared.join("|")})$`],
		cwd,
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 64 * 1024,
		signal: new AbortController().signal,
	};
	// No git, no settings: then commands have none.
	const outcome = await unsandboxed.run(command).catch(() => undefined);
	if (outcome?.code !== 0) return "";
	// The window of output has no NUL: it shows this character in its place.
	const entries = outcome.output.split("\u{fffd}").filter((entry) => entry.includes("\n"));
	return entries.map((entry) => settingOf(entry)).join("");
}

/** Who commits for people of a chat platform: not the operator. */
export const chatGitSettings = settingOf("user.name\nParley") + settingOf("user.email\nparley@localhost");

function settingOf(entry: string): string {
	const name = entry.slice(0, entry.indexOf("\n"));
	const value = entry.slice(entry.indexOf("\n") + 1);
	const [section = "", ...rest] = name.split(".");
	const key = rest.pop() ?? "";
	const inner = rest.length > 0 ? ` "${rest.join(".")}"` : "";
	return `[${section}${inner}]\n\t${key} = ${quoted(value)}\n`;
}

/** https://git-scm.com/docs/git-config#_syntax */
function quoted(value: string): string {
	const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
	return `"${escaped}"`;
}
