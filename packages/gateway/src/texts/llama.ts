/** State and errors of the local model server. */
export const llamaTexts = {
	otherHealth: ({ status }: { readonly status: number }) =>
		`answers GET /health with ${status}, unlike a llama-server`,
	slow: ({ seconds }: { readonly seconds: number }) => `does not answer within ${seconds} s`,
	noHttp: ({ reason }: { readonly reason: string | undefined }) =>
		`does not answer in HTTP (${reason ?? "no answer"})`,
	notLoaded: ({ minutes, last }: { readonly minutes: number; readonly last: string }) =>
		`it has not loaded its model after ${minutes} minutes${last}; use a smaller model`,
	stopping: "the gateway is stopping",
	noAnswer: ({ url, reason }: { readonly url: string; readonly reason: string }) =>
		`the local model server at ${url} does not answer: ${reason}`,
	ended: ({
		command,
		end,
		last,
	}: {
		readonly command: string;
		readonly end: string;
		readonly last: string;
	}) => `${command} ended ${end}${last}; check llama.command and llama.args`,
	exitCode: ({ code }: { readonly code: number | null }) => `with exit code ${code}`,
	otherServerStopped: "the server, which another program started, no longer answers; start it again",
	loading: "is loading its model",
	notReady: "does not answer yet",
	otherProgram: ({ host, answer }: { readonly host: string; readonly answer: string }) =>
		`${host} is in use by another program, which ${answer}: stop that program, or change llama.endpoint`,
	noProgram: ({ command, where }: { readonly command: string; readonly where: string }) =>
		`llama.command ${command} cannot be started: there is no executable program with this name${where}. ` +
		"Install llama.cpp, or set the path of its llama-server.",
	longAnswer: "answers GET /health with more than 1 MiB, unlike a llama-server",
} as const;
