/** Texts about a client's connection to the gateway. */
export const connectionTexts = {
	lost: "connection lost, reconnecting …",
	back: "connected again",
	otherDirectory: ({ directory, reason }: { readonly directory: string; readonly reason: string }) =>
		`parley: the session cannot use ${directory}: ${reason}; change to another directory, or start the gateway with --root ${directory}`,
} as const;

/** Texts of events in the chat, in lists and in exports. */
export const eventTexts = {
	backgroundCommand: ({
		number,
		end,
		command,
	}: {
		readonly number: number;
		readonly end: string;
		readonly command: string;
	}) => `background command ${number} ${end}: ${command}`,
	noTitle: "(no title)",
	forkOf: ({ session, at }: { readonly session: string; readonly at: number }) =>
		`Fork of ${session} up to message ${at}`,
	number: ({ number }: { readonly number: number }) => `message ${number}`,
	sessionDeleted: "this session was deleted; /new starts another one",
	costSoFar: ({ cost }: { readonly cost: string }) => `${cost} in this session so far`,
	notAnswered: ({ reason }: { readonly reason: string }) => `not answered: ${reason}`,
	notAnsweredMarkdown: ({ reason }: { readonly reason: string }) => `**Not answered:** ${reason}`,
	tokens: ({
		input,
		output,
		cached,
	}: {
		readonly input: string;
		readonly output: string;
		readonly cached?: string | undefined;
	}) => `${input} tokens in${cached === undefined ? "" : ` (${cached} cached)`}, ${output} out`,
	compacted: ({
		level,
		before,
		after,
	}: {
		readonly level: string;
		readonly before: string;
		readonly after: string;
	}) => `${level}: ${before} to ${after} tokens`,
	compactedWithoutSummary: ({ sizes, error }: { readonly sizes: string; readonly error: string }) =>
		`${sizes}, no summary: ${error}`,
	reduced: ({ before, after }: { readonly before: string; readonly after: string }) =>
		`about ${before} tokens reduced to ${after}`,
	retrying: ({ seconds, attempt }: { readonly seconds: number; readonly attempt: number }) =>
		`; trying again in ${seconds} s, attempt ${attempt}`,
	shortened: ({ before, after }: { readonly before: string; readonly after: string }) =>
		`the model now works from a summary: ${before} → ${after} tokens`,
	nothingToShorten: "the session was not summarised, because it has no new messages",
	shorteningStopped: "the session was not summarised, because the summary was cancelled; try again",
	notShortened: ({ error }: { readonly error: string }) => `the session was not summarised: ${error}`,
	trusted: ({
		channel,
		until,
		calls,
		by,
		reason,
	}: {
		readonly channel: string;
		readonly until: string;
		readonly calls: number;
		readonly by: string;
		readonly reason: string;
	}) =>
		`${channel} is trusted until ${until}, ${calls === 1 ? "1 call" : `${calls} calls`} at most, by ${by}: ${reason}`,
	trustEnded: ({ reason }: { readonly reason: string }) => `the channel is no longer trusted: ${reason}`,
	retry: "(retry of the last reply)",
	head: ({ session }: { readonly session: string }) => `session ${session} · /help lists commands and keys`,
	yesForSession: "yes, for this session",
	withChangedArguments: ({ approvals, call }: { readonly approvals: string; readonly call: string }) =>
		`${approvals}, with changed arguments: ${call}`,
	approvals: ({
		approvals,
		needed,
		by,
	}: {
		readonly approvals: number;
		readonly needed: number;
		readonly by: string;
	}) => `${approvals} of ${needed} approvals (${by})`,
	toolResultsLeftOut: "earlier tool results were removed from the context of the model",
	thinkingLeftOut: "earlier thinking was removed from the context of the model",
	summarised: "earlier messages were summarised for the model",
	shortenedWithoutSummary: ({ error, sizes }: { readonly error: string; readonly sizes: string }) =>
		`earlier messages were shortened for the model without a summary (${error}): ${sizes}`,
	howToReply: ({ id }: { readonly id: string }) => `answer with \`parley task reply ${id}\``,
	howToReplyInChat: ({ session }: { readonly session: string }) =>
		`answer with \`parley chat --session ${session}\``,
	tryingAgain: "; trying again",
	moreLines: ({ count }: { readonly count: number }) => `${count} more lines`,
	workerStarted: ({
		id,
		title,
		agent,
	}: {
		readonly id: string;
		readonly title: string;
		readonly agent: string;
	}) => `${id} ${title}: started by agent ${agent}`,
} as const;
