/** Findings of `parley doctor` about the model and its provider. */
export const modelCheckTexts = {
	callsFail: "the reason is unknown",
	failing: ({ reason }: { readonly reason: string }) => `the model calls of the gateway fail: ${reason}`,
	failingFix: "fix the problem, or try again later; `parley status` shows the time of the first failure",
	startsWithGateway: "the local model server starts with the gateway",
	unreachable: ({ host, reason }: { readonly host: string; readonly reason: string }) =>
		`cannot reach ${host}: ${reason}`,
	unreachableFix: ({ url }: { readonly url: string }) =>
		`run \`curl -I ${url}\` to see the reason; check the firewall, the proxy and DNS`,
	noKeyHere: ({ host }: { readonly host: string }) => `${host} answers; this shell has no key to test`,
	keyRejected: ({ host, status }: { readonly host: string; readonly status: number }) =>
		`${host} rejects the key (${status})`,
	keyMissing: ({ host, status }: { readonly host: string; readonly status: number }) =>
		`${host} refuses requests without a key (${status}), and no key is set`,
	keyMissingFix: ({ keyName }: { readonly keyName: string }) =>
		`set ${keyName} to the key, and start the gateway`,
	// For a configured provider without the name of a key variable.
	keyUnnamedFix: ({ provider }: { readonly provider: string }) =>
		`set models.providers.${provider}.key to the name of an environment variable with the key`,
	keyRejectedFix: ({ keyName }: { readonly keyName: string }) =>
		`set ${keyName} to a valid key, and restart the gateway`,
	serverError: ({ host, status }: { readonly host: string; readonly status: number }) =>
		`${host} answers with HTTP ${status}`,
	serverErrorFix: "try again later: the server has a problem",
	noModel: ({ host, model }: { readonly host: string; readonly model: string }) =>
		`${host} has no model ${model}`,
	noModelFix: ({ names, isComplete }: { readonly names: string; readonly isComplete: boolean }) =>
		`set another model with --model or in the configuration; the server has ${names}${isComplete ? "" : ", …"}`,
	furtherUnreachable: ({ provider, reason }: { readonly provider: string; readonly reason: string }) =>
		`cannot reach the provider ${provider}: ${reason}`,
	furtherUnreachableFix: ({ url }: { readonly url: string }) => `run \`curl -I ${url}\` to see the reason`,
	furtherKeyRejected: ({ provider, status }: { readonly provider: string; readonly status: number }) =>
		`the provider ${provider} rejects the key (${status})`,
	furtherKeyRejectedFix: ({ keyName }: { readonly keyName: string | undefined }) =>
		`set ${keyName ?? "its key"} to a valid key, or unset it`,
	answers: ({ host, further }: { readonly host: string; readonly further: readonly string[] }) =>
		further.length === 0 ? `${host} answers` : `${host} answers; other providers: ${further.join(", ")}`,
	offlineWithoutKey: "the offline model is used: ANTHROPIC_API_KEY is not set",
	offline: "the offline model is used",
	noLlama: "no local model server is configured",
	noLlamaProgram: ({ command }: { readonly command: string }) =>
		`llama.command ${command} is not a program that this user can run`,
	noLlamaProgramFix: "install llama.cpp, or set the path of llama-server",
	llamaStarted: ({ url }: { readonly url: string }) => `${url} is started by the gateway`,
	llamaOfOperator: ({ url }: { readonly url: string }) => `${url} is run by the operator`,
	llamaFailsFix:
		"fix the reported problem; `parley gateway --log-level debug` prints the output of the server",
	llamaTokensFix: ({ url }: { readonly url: string }) => `check ${url}/tokenize: it must return token counts`,
} as const;

/** Findings of `parley doctor` about skills and the policy. */
export const skillCheckTexts = {
	invalidFiles: ({ count, shown }: { readonly count: number; readonly shown: string }) =>
		`${count === 1 ? "a skill file" : `${count} skill files`} cannot be used: ${shown}`,
	invalidFilesFix: "fix the reported problems; the next use reads the files again",
	noSkills: "no skills in the data directory",
	skills: ({ count }: { readonly count: number }) => `${count} in the data directory`,
	recentChanges: ({ count, shown }: { readonly count: number; readonly shown: string }) =>
		`commands run without a sandbox, and ${count === 1 ? "a skill" : `${count} skills`} of the data directory changed in the last 7 days: ${shown}`,
	recentChangesFix: "review them with `parley skills show NAME`: an approved command could have written them",
	more: ({ count }: { readonly count: number }) => `and ${count} more`,
	policyFix: "fix the policy file; a running gateway applies the change immediately",
	everyCallDenied: ({ reason = "its policy is invalid" }: { readonly reason: string | undefined }) =>
		`the gateway denies every call: ${reason}`,
	builtInRules: "only the built-in rules",
	policyValid: ({ file }: { readonly file: string }) => `${file} is valid`,
} as const;
