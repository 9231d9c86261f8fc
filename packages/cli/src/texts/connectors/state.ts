/** State of a connector in `parley status` and `parley doctor`. */
export const connectorStateTexts = {
	silent: ({ pid }: { readonly pid: number }) =>
		`process ${pid} runs, but has not reported its state for a while`,
	ended: ({ pid }: { readonly pid: number }) => `process ${pid} ended without a report`,
	starting: ({ pid }: { readonly pid: number }) => `starting (process ${pid})`,
	// `span` is the time since the state began. `load` describes open work, or is "".
	connected: ({ span, pid, load }: { readonly span: string; readonly pid: number; readonly load: string }) =>
		`connected for ${span} (process ${pid})${load}`,
	waiting: ({
		span,
		reason,
		load,
	}: {
		readonly span: string;
		readonly reason: string;
		readonly load: string;
	}) => `waiting for ${span}${reason}${load}`,
	refused: ({ reason }: { readonly reason: string }) => `is not running${reason}`,
	failed: ({ reason }: { readonly reason: string }) => `ended${reason}`,
	notWorking: ({ reason }: { readonly reason: string }) => `does not work${reason}`,
	refusedFix: ({ platform }: { readonly platform: string }) =>
		`fix the problem, then start Parley again; \`parley ${platform} doctor\` shows details`,
	failedFix: ({ platform }: { readonly platform: string }) =>
		`\`parley start\` restarts its connectors automatically; \`parley ${platform} doctor\` shows details`,
	waitingFix: ({ platform }: { readonly platform: string }) =>
		`it continues automatically; \`parley ${platform} doctor\` shows details`,
	decisionFix: ({ platform }: { readonly platform: string }) =>
		`\`parley ${platform} posts\` lists the posts that need a decision`,
	events: ({ count }: { readonly count: number }) => `events to handle: ${count}`,
	posts: ({ count }: { readonly count: number }) => `posts to send: ${count}`,
	undecidedPosts: ({ count }: { readonly count: number }) => `held posts: ${count}`,
} as const;

/** Findings about the connector on this machine. */
export const connectorCheckTexts = {
	noneFix: ({ variables, platform }: { readonly variables: string; readonly platform: string }) =>
		`set ${variables}, then start the gateway with \`parley start\`, or run \`parley ${platform}\` beside a running gateway`,
	state: ({ words }: { readonly words: string }) => `connector: ${words}`,
	none: ({ data, platform }: { readonly data: string; readonly platform: string }) =>
		`no ${platform} connector is running on the data directory ${data}`,
} as const;
