import { plural } from "../../text/amounts.ts";

/** Warnings about the directories that tools may use, and results of a policy file check. */
export const rootTexts = {
	noPolicyFile: ({ path }: { readonly path: string }) =>
		`✓ ${path} does not exist: only the built-in rules apply`,
	policyFile: ({
		path,
		rules,
		layer,
		ignored,
	}: {
		readonly path: string;
		readonly rules: number;
		readonly layer: string;
		readonly ignored: number;
	}) => `✓ ${path}: ${plural(rules, "rule")} of the ${layer}${ignored === 0 ? "" : `, ${ignored} ignored`}`,
	currentDirectoryIsRoot:
		"the current directory is /, so tools could read every file of this machine; choose a directory with `--root DIR`, or confirm with `--root /`",
	rootIsRoot:
		"the root / lets tools read every file of this machine that this user can read; choose a smaller directory with `--root DIR`",
	confirmRoot:
		"The root / contains all files of this machine. Agents could read everything that this user can read. A project directory is safer. Type yes to start anyway, or no to leave.",
	notStarted:
		"The gateway was not started. Choose a directory with `--root DIR`, or allow / for all starts: parley projects allow /",
} as const;

/** Errors of `parley rpc`. */
export const rpcTexts = {
	inputIsDirectory: "standard input is a directory; use a pipe or a file with one command per line",
} as const;
