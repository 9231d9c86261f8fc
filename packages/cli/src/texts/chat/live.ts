/** Texts of the live rows below the transcript of a chat. */
export const liveTexts = {
	working: "working",
	cancels: "Ctrl-C cancels",
	cancelling: "cancelling …",
	leaves: "press Ctrl-C again to leave",
	sendingAnswer: "sending the answer…",
	questionIsOpen: "a question is open: send your line or clear it (Ctrl-U) to answer",
	running: ({ name }: { readonly name: string }): string => `running ${name}`,
	runningCalls: ({ count }: { readonly count: number }): string => `running ${count} tools`,
	seconds: ({ seconds }: { readonly seconds: number }): string =>
		seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`,
	tokens: ({ tokens }: { readonly tokens: string }): string => `${tokens} tokens`,
	toTurn: ({ message }: { readonly message: string }): string => `  to the running turn: ${message}`,
	queued: ({ place, message }: { readonly place: number; readonly message: string }): string =>
		`  queued (${place}): ${message}`,
	sending: ({ message }: { readonly message: string }): string => `  sending: ${message}`,
	moreWaiting: ({ count }: { readonly count: number }): string => `  and ${count} more`,
};

/** Texts in the last row of the screen. */
export const statusTexts = {
	context: ({ percent }: { readonly percent: number }): string => `${percent} % context`,
	sandbox: ({ state }: { readonly state: string }): string => `sandbox ${state}`,
};

/** Texts about thinking and tool calls that a key shows completely. */
export const detailTexts = {
	hint: "Ctrl-O shows all",
	thought: ({ time }: { readonly time: string }): string => `· thought for ${time}`,
	thoughtBriefly: "· thought",
	thinking: "Thinking",
	call: ({ name }: { readonly name: string }): string => `Tool call: ${name}`,
	failed: ({ name }: { readonly name: string }): string => `Tool call: ${name} (failed)`,
	arguments: "Arguments:",
	result: "Result:",
	error: "Error:",
	none: "No tool call or thinking yet.",
	noSuch: ({ entry, count }: { readonly entry: string; readonly count: number }): string =>
		count === 1
			? `Unknown entry ${entry}: use /open 1, which shows the only entry.`
			: `Unknown entry ${entry}: use a number from 1 (the latest entry) to ${count}.`,
	position: ({ last, rows }: { readonly last: number; readonly rows: number }): string =>
		`row ${last} of ${rows}`,
	keys: "↑ ↓ PgUp PgDn Home End move · q closes",
};

/** Texts about questions in a chat. */
export const chatQuestionTexts = {
	follows: "another question follows this one",
	asks: ({ name }: { readonly name: string }): string => `${name} asks:`,
	closed: ({ reason }: { readonly reason: string }): string => `the question is closed: ${reason}`,
	otherClosed: ({ label, reason }: { readonly label: string; readonly reason: string }): string =>
		`${label} This question is closed: ${reason}`,
};
