import { dirname } from "node:path";

/**
 * Programs that a repository's own settings can name are not to start while git only looks. Their switches:
 * https://git-scm.com/docs/git-config. `false` does nothing and fails.
 */
const QUIET = settings({
	"core.fsmonitor": "false",
	"core.hooksPath": "/dev/null",
	"safe.bareRepository": "explicit",
	"submodule.recurse": "false",
	"gc.auto": "0",
	"maintenance.auto": "false",
	"color.ui": "false",
	"column.ui": "never",
});
const READ_ONLY = settings({
	"log.showSignature": "false",
	"gpg.program": "false",
	"gpg.openpgp.program": "false",
	"gpg.x509.program": "false",
	"gpg.ssh.program": "false",
	"status.submoduleSummary": "false",
	"diff.submodule": "short",
	"diff.suppressBlankEmpty": "false",
});
/** Work in the background would be cut off with the call, and leave its locks behind. */
const UNATTENDED = settings({ "gc.auto": "0", "maintenance.auto": "false" });

/**
 * `read`: no program of the repository or of its settings runs, nothing is written, no other machine is reached.
 * `change`: the same but for what git itself writes, and for filters. `run`: as anybody runs git, but unattended.
 * `outside`: like that, but beyond the sandbox, where nothing that commands in it could have planted may run.
 */
export type Care = "read" | "change" | "run" | "outside";

/** What stands before the command of git. `filters` are the names of those that would convert files on the way. */
export function carefulOptions(care: Care, filters: readonly string[]): string[] {
	if (care === "run") return ["--no-pager", ...UNATTENDED];
	if (care === "change" || care === "outside") return ["--no-pager", ...QUIET];
	const off = filters.flatMap((name) =>
		settings({
			[`filter.${name}.clean`]: "",
			[`filter.${name}.smudge`]: "",
			[`filter.${name}.process`]: "",
			[`filter.${name}.required`]: "false",
		}),
	);
	return ["--no-pager", ...QUIET, ...READ_ONLY, ...off];
}

/** Variables for git: https://git-scm.com/docs/git#_environment_variables */
export function carefulEnvironment(care: Care, roots: readonly string[]): Record<string, string> {
	return {
		GIT_TERMINAL_PROMPT: "0",
		// Takes every text as it is proposed.
		GIT_EDITOR: ":",
		GIT_SEQUENCE_EDITOR: ":",
		// A repository that begins above the roots is none of ours.
		GIT_CEILING_DIRECTORIES: roots.map((root) => dirname(root)).join(":"),
		...(care === "read" && { GIT_OPTIONAL_LOCKS: "0" }),
		// Objects that are missing here are not fetched by the way, by whatever program their place names.
		...(care === "outside" && { GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file" }),
		...((care === "read" || care === "change") && { GIT_ALLOW_PROTOCOL: "", GIT_NO_LAZY_FETCH: "1" }),
	};
}

function settings(values: Readonly<Record<string, string>>): string[] {
	return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
