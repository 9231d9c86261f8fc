import { looseForm } from "./paths.ts";

/**
 * Patterns for the loose form of an absolute path. A pattern for a directory also covers all paths below it. A match
 * causes an additional approval or hides the file from commands, so a pattern that is too broad does little harm.
 */
const secret: readonly RegExp[] = [
	// Settings that contain keys, and credential stores of common programs.
	name(String.raw`\.env[^/]*`),
	name(
		String.raw`\.(?:netrc|npmrc|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|vault-token|git-credentials|boto|s3cfg)`,
	),
	name(
		String.raw`_netrc|credentials\.json|\.(?:cargo|gem)/credentials(?:\.toml)?|secrets?\.(?:json|ya?ml|toml)`,
	),
	name(String.raw`\.docker/config\.json|\.config/(?:gcloud|gh|hub|op|rclone|git/credentials)`),
	name(String.raw`\.(?:ssh|gnupg|aws|azure|kube|password-store|vault|oci|putty|terraform\.d)`),
	// Keys, certificates with keys, password databases.
	/\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn)$/,
	/\/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*(?<!\.pub)$/,
	name("(?:g?shadow|sudoers)-?|ssh_host_[^/]*_key"),
	// Data of browsers, mail programs and wallets; keyrings; shell histories.
	name(String.raw`\.(?:mozilla|thunderbird|electrum|bitcoin|ethereum)|library/keychains|keyrings`),
	name(String.raw`\.config/(?:google-chrome|chromium|brave|bravesoftware|microsoft-edge|vivaldi|opera)[^/]*`),
	name(
		String.raw`(?:application support|snap|\.var/app)/(?:[^/]*\.)?(?:google|chrome|chromium|firefox|brave)[^/]*`,
	),
	name(String.raw`\.[a-z_]*history`),
	// Environment, memory and file descriptors of running processes, including this gateway.
	/^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/,
	/^\/proc\/kcore$/,
];

const control: readonly RegExp[] = [
	// Hooks and settings of git. Settings can name programs, for example in filters and aliases.
	name(String.raw`\.git|\.githooks|\.husky|\.gitconfig|\.gitmodules|\.config/git|pre-commit-config\.yaml`),
	// Settings of continuous integration, which runs programs.
	name(
		String.raw`\.github/(?:workflows|actions)|\.gitlab-ci\.ya?ml|\.circleci|\.buildkite|\.woodpecker[^/]*`,
	),
	name(
		String.raw`\.drone\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile`,
	),
	// Files that start programs automatically on this machine.
	name(
		String.raw`crontabs?|anacrontab|cron\.(?:d|hourly|daily|weekly|monthly)|spool/cron|systemd|init\.d|rc\.d|rc\.local|launchagents|launchdaemons|autostart`,
	),
	/\.(?:service|timer|socket|mount|automount|path)$/,
	// Startup files of shells, and settings of editors and development containers.
	name(
		String.raw`\.(?:bash|zsh|ksh|csh|tcsh|fish|sh)(?:rc|env|_profile|_login|_logout)|\.z(?:profile|login|logout)`,
	),
	name(
		String.raw`\.(?:profile|login|logout|inputrc|xprofile|xinitrc|xsession[^/]*|pam_environment|envrc|direnvrc)`,
	),
	name(String.raw`\.config/(?:fish|direnv|environment\.d)|\.vimrc|\.nvim|\.config/nvim|\.emacs(?:\.d)?`),
	name(String.raw`\.vscode|\.devcontainer(?:\.json)?|\.idea`),
	// Configuration of this gateway and of other agents.
	name(
		String.raw`parley\.config\.jsonc?|\.parley|\.claude(?:\.json)?|\.codex|\.cursor|\.gemini|\.aider[^/]*|\.mcp\.json`,
	),
];

/**
 * Files with instructions for agents. The list is separate from `control`, because a sandboxed command may write these
 * files. They are part of many repositories, and a checkout or merge changes them.
 */
const instructions: readonly RegExp[] = [/\/(?:agents|claude)\.md$/];

/** Whether one of the paths may lead to keys, passwords or other private data. The paths are absolute. */
export function isSecret(...paths: readonly string[]): boolean {
	return paths.some((path) => matches(secret, path));
}

/**
 * Whether a change to one of the files may affect programs that run later: on this machine, in the repository's
 * automation, or in Parley.
 */
export function isControl(...paths: readonly string[]): boolean {
	return paths.some((path) => matches(control, path));
}

/** Whether one of the files has the name of a file that Parley reads as instructions: see `project-notes.ts`. */
export function isInstructions(...paths: readonly string[]): boolean {
	return paths.some((path) => matches(instructions, path));
}

function matches(patterns: readonly RegExp[], path: string): boolean {
	const loose = looseForm(path);
	return patterns.some((pattern) => pattern.test(loose));
}

/**
 * Returns a pattern that matches any of the alternatives as a complete name at any depth. An alternative may consist of
 * several names joined by `/`.
 */
function name(alternatives: string): RegExp {
	return new RegExp(`/(?:${alternatives})(?:/|$)`);
}
