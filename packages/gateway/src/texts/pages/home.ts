/** Texts of the home page, in HTML. */
export const homePageTexts = {
	ok: "This gateway works.",
	degraded: "This gateway has a problem. Its operator can run <code>parley doctor</code>.",
	draining: "This gateway is stopping. Try again in a minute.",
	/** Returns the HTML of the body. `origin`, `webSocket` and `target` must be escaped. */
	body: ({
		state,
		origin,
		webSocket,
		target,
	}: {
		readonly state: string;
		readonly origin: string;
		readonly webSocket: string;
		readonly target: string;
	}) =>
		`<p>Parley is a self-hosted AI agent for teams. Its gateway serves clients at this address. ${state}</p>
<dl>
<dt>In a terminal on the machine of the gateway</dt><dd><code>parley chat</code></dd>
<dt>In a terminal on another machine</dt><dd><code>PARLEY_URL=${origin} PARLEY_TOKEN=YOUR-TOKEN parley chat</code></dd>
<dt>Ozzie clients</dt><dd><code>${webSocket}</code></dd>
<dt>gRPC clients: roz, kontekst</dt><dd><code>${target}</code></dd>
<dt>Clients of the Model Context Protocol</dt><dd><code>${origin}/mcp</code></dd>
</dl>
<p>Ask the operator of the gateway for a token. In Discord and Slack, mention the bot instead.</p>`,
} as const;
