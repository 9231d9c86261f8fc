import { alternatives } from "@parley/base";

interface ModelAdvice {
	/** Similar names. */
	readonly near: readonly string[];
	readonly host: string;
	/** Models of the host, separated by commas; "" for none. */
	readonly listed: string;
}

function adviceOf({ near, host, listed }: ModelAdvice): string {
	if (near.length > 0) return `did you mean ${alternatives(near)}?`;
	return listed === "" ? `${host} has no models` : `use a model of ${host}: ${listed}`;
}

/** Errors and notes of the agent that runs as a subprocess. */
export const rpcTexts = {
	noTemporaryDirectory: ({
		path,
		reason = "unknown error",
	}: {
		readonly path: string;
		readonly reason: string | undefined;
	}) =>
		`the directory for temporary files, ${path}, cannot be used (${reason}); set TMPDIR to an existing directory that this user can access`,
	offlineModel: ({ model }: { readonly model: string }) =>
		`--model is ${model}, but the provider offline has only the model offline; leave --model out`,
	noCredential: `no credential for anthropic; set ANTHROPIC_API_KEY, pass --api-key, or name a server with --base-url; --provider offline needs none of these`,
	bashWithoutNetwork:
		"`bash` has no network: commands that reach other machines fail, unless this machine has no sandbox",
	noModel: ({ model, ...advice }: { readonly model: string } & ModelAdvice) =>
		`model: there is no model ${model}; ${adviceOf(advice)}`,
	dataDirectoryAsSession: ({ directory }: { readonly directory: string }) =>
		`--session ${directory} is the data directory of a gateway; use a separate directory for each session`,
	otherWorkingDirectory: ({ requested, rootDir }: { readonly requested: string; readonly rootDir: string }) =>
		`--cwd is ${requested}, but the session of --session works in ${rootDir}; leave --cwd out, or name another session with --session`,
	workingDirectoryMissing: ({ rootDir }: { readonly rootDir: string }) =>
		`the session of --session works in ${rootDir}, which is no longer a directory; create the directory, or name another session with --session`,
	reasoning: ({ value, allowed }: { readonly value: string; readonly allowed: string }) =>
		`--reasoning is ${value}; use ${allowed}`,
	maxSteps: ({ value }: { readonly value: string }) => `--max-steps is ${value}; use a positive whole number`,
	unknownTools: ({ names, allowed }: { readonly names: string; readonly allowed: string }) =>
		`--tools contains unknown names: ${names}; allowed: ${allowed}`,
	noWorkingDirectory: ({ path }: { readonly path: string }) =>
		`--cwd ${path} does not exist or is not a directory; name an existing directory`,
	unknownError: "unknown error",
	workingDirectoryUnreadable: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`--cwd ${path} cannot be read (${reason}); name a directory that can be read`,
} as const;
