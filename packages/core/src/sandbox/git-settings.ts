import type { Sandbox } from "../vocabulary/sandbox.ts";

/**
 * Settings of the operator's git that commands see in the sandbox: the committer, and how files are read and written. No
 * setting names a program (except the filter of large files) or holds a credential.
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

/** Shared settings as the text of a git file; empty if there are none. Never rejects. */
export async function sharedGitSettings(unsandboxed: Sandbox, cwd: string): Promise<string> {
	const command = {
		executable: "git",
		args: ["config", "--global", "--null", "--get-regexp", `^(${shared.join("|")})$`],
		cwd,
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 64 * 1024,
		signal: new AbortController().signal,
	};
	// Without git there are no settings.
	const outcome = await unsandboxed.run(command).catch(() => undefined);
	if (outcome?.code !== 0) return "";
	// The window of output replaces NUL by this character.
	const entries = outcome.output.split("\u{fffd}").filter((entry) => entry.includes("\n"));
	return entries.map((entry) => settingOf(entry)).join("");
}

/** Committer for people of a chat platform, who must not commit as the operator. */
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
