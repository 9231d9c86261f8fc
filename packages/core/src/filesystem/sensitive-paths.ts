import { looseForm } from "./paths.ts";

/**
 * Patterns for the loose form of an absolute path. A pattern that names a directory also covers all below it.
 * They only lead to more asking, so that a name too many does little harm.
 */
const secret: readonly RegExp[] = [
	// Settings that hold keys, and stores of credentials of common programs.
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
	// What a browser, a mail program or a wallet keeps; key rings; what was typed into shells.
	name(String.raw`\.(?:mozilla|thunderbird|electrum|bitcoin|ethereum)|library/keychains|keyrings`),
	name(String.raw`\.config/(?:google-chrome|chromium|brave|bravesoftware|microsoft-edge|vivaldi|opera)[^/]*`),
	name(
		String.raw`(?:application support|snap|\.var/app)/(?:[^/]*\.)?(?:google|chrome|chromium|firefox|brave)[^/]*`,
	),
	name(String.raw`\.[a-z_]*history`),
	// Environment, memory and descriptors of running processes, this gateway's own among them.
	/^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/,
	/^\/proc\/kcore$/,
];

const control: readonly RegExp[] = [
	// What runs when git does: hooks, filters, aliases, other directories.
	name(String.raw`\.git|\.githooks|\.husky|\.gitconfig|\.gitmodules|\.config/git|pre-commit-config\.yaml`),
	// What runs in continuous integration.
	name(
		String.raw`\.github/(?:workflows|actions)|\.gitlab-ci\.ya?ml|\.circleci|\.buildkite|\.woodpecker[^/]*`,
	),
	name(
		String.raw`\.drone\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile`,
	),
	// What starts by itself on this machine.
	name(
		String.raw`crontabs?|anacrontab|cron\.(?:d|hourly|daily|weekly|monthly)|spool/cron|systemd|init\.d|rc\.d|rc\.local|launchagents|launchdaemons|autostart`,
	),
	/\.(?:service|timer|socket|mount|automount|path)$/,
	// What every shell and editor runs.
	name(
		String.raw`\.(?:bash|zsh|ksh|csh|tcsh|fish|sh)(?:rc|env|_profile|_login|_logout)|\.z(?:profile|login|logout)`,
	),
	name(
		String.raw`\.(?:profile|login|logout|inputrc|xprofile|xinitrc|xsession[^/]*|pam_environment|envrc|direnvrc)`,
	),
	name(String.raw`\.config/(?:fish|direnv|environment\.d)|\.vimrc|\.nvim|\.config/nvim|\.emacs(?:\.d)?`),
	name(String.raw`\.vscode|\.devcontainer(?:\.json)?|\.idea`),
	// What steers this gateway and other agents.
	name(
		String.raw`parley\.config\.jsonc?|\.parley|\.claude(?:\.json)?|\.codex|\.cursor|\.gemini|\.aider[^/]*|\.mcp\.json`,
	),
];

/** Whether the file is of those that hold keys, passwords or sessions. Takes absolute paths, as written and real. */
export function isSecret(...paths: readonly string[]): boolean {
	return paths.some((path) => matches(secret, path));
}

/** Whether writing the file changes what runs later: on this machine, in the repository's automation, or in Parley. */
export function isControl(...paths: readonly string[]): boolean {
	return paths.some((path) => matches(control, path));
}

function matches(patterns: readonly RegExp[], path: string): boolean {
	const loose = looseForm(path);
	return patterns.some((pattern) => pattern.test(loose));
}

/** Whole names, or several joined by `/`, at any depth. */
function name(alternatives: string): RegExp {
	return new RegExp(`/(?:${alternatives})(?:/|$)`);
}
