/** Reasons why bubblewrap cannot be used, and instructions for the operator. */
export const bubblewrapTexts = {
	notInstalled: "bubblewrap is not installed",
	otherProgram: (program: string): string =>
		`${program} is not bubblewrap: its version text belongs to another program`,
	tooOld: (version: string, oldest: string): string =>
		`bubblewrap ${version} is too old: ${oldest} is the first supported version`,
	notSetUp: (cause: string): string => `the sandbox could not be set up: ${cause}`,
	laterVersion: "install a later version of bubblewrap",
	container: "or declare that the container is the boundary: --sandbox container",
	preferred: "or let the operator's own sessions run without a sandbox: --sandbox preferred",
	needsLinux: "bubblewrap needs Linux: run the gateway in a Linux container, and use --sandbox container",
	install: "install bubblewrap (bwrap)",
	appArmor:
		"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that allows userns",
	userNamespaces: "sysctl -w kernel.unprivileged_userns_clone=1",
	maxUserNamespaces: "sysctl -w user.max_user_namespaces=15000",
	seccomp: (container: string): string =>
		`start the container with --security-opt seccomp=unconfined, apparmor=unconfined and systempaths=unconfined, ${container}`,
	allowNamespaces: (alternative: string): string => `let this user create user namespaces, ${alternative}`,
} as const;

/** Notes and errors about the roots of a command, for the model, for people and for the log. */
export const rootTexts = {
	workingDirectory: "working directory",
	directoryReplaced: "parley: a directory was replaced while the sandbox was built",
	fileOfRoots: "a file or directory of its roots",
	replacedWhileBuilt: (file: string): string =>
		`cannot run the command: ${file} was replaced or removed while the sandbox was built. The command did not run. ` +
		"Try again when no other command changes this directory.",
	ended: (by: string): string => `it ended with ${by}`,
	notSetUp: (reason: string): string =>
		`cannot run the command: ${reason}. The command did not run. ` +
		"Check the directory of the command, then try again. If that fails, the operator can find the cause with `parley doctor`.",
	roots: "the roots",
	controlFiles: "files in the roots that control later commands",
	leftControlFiles: "a command left files that would control later commands",
	rootReplaced: (root: string): string =>
		`${JSON.stringify(root)}: the root was replaced while the command ran; check its files`,
	notRemoved: "cannot check, rename or remove files that a command left",
	renamed: (paths: string): string =>
		`held back: ${paths} appeared during the command and would control later commands; each was renamed to …held-back-…; ` +
		"write such files with write_file, which asks a person",
	removed: (paths: string): string =>
		`removed: ${paths} would control later git commands; the old file stays beside the new file, as …held-back-…; ` +
		"set such settings with the tool git, which asks a person",
	notUndone: (paths: string): string => `could not be undone: ${paths}`,
	replacedDirectory: (paths: string): string =>
		`not checked: ${paths} in replaced directories; files there control later commands, so check them`,
	notProtected: (count: number): string =>
		`not protected: ${count === 1 ? "1 directory" : `${count} directories`} with repositories or skills, because the roots contain too many; ` +
		"commands could change their hooks, settings and skills. To prevent this, use narrower roots",
	tooMuch:
		"not checked: the roots are too large to search completely for repositories and skills; commands " +
		"could change hooks, settings and skills in deeper directories. To prevent this, use narrower roots",
	unreadable: (paths: string): string =>
		`not checked: ${paths} cannot be read, and may contain hooks and settings that this command made; check them`,
	cannotRename: (path: string, reason: string): string =>
		`${JSON.stringify(path)} appeared during a command, controls later commands and cannot be renamed (${reason}): check it, then remove it`,
	otherDirectory: "another directory replaced it",
} as const;
