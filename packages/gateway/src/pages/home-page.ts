import type { IncomingMessage } from "node:http";
import { page, shown } from "./html-page.ts";

export interface HomePageFacts {
	readonly status: "ok" | "degraded" | "draining";
	/** Address under which the browser reached the gateway, such as `https://parley.example`. */
	readonly address: string;
}

/** Whether a browser opened the address of the gateway. Other programs get the usual answer for this path. */
export function wantsHomePage({ method = "", headers }: IncomingMessage, { pathname }: URL): boolean {
	const reads = method === "GET" || method === "HEAD";
	return reads && pathname === "/" && (headers.accept ?? "").includes("text/html");
}

const states: Readonly<Record<HomePageFacts["status"], string>> = {
	ok: "This gateway works.",
	degraded: "This gateway has a problem. Its operator can run <code>parley doctor</code>.",
	draining: "This gateway is stopping. Try again in a minute.",
};

/** The page needs no credentials, so it has no version, path, session or name of this gateway. */
export function homePage({ status, address }: HomePageFacts): string {
	const { host, port, protocol, origin } = new URL(address);
	const webSocket = `${origin.replace(/^http/, "ws")}/api/ws`;
	const target = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
	return page(
		"Parley",
		`<p>Parley is a self-hosted AI agent for teams. Its gateway serves clients at this address. ${states[status]}</p>
<dl>
<dt>In a terminal on the machine of the gateway</dt><dd><code>parley chat</code></dd>
<dt>In a terminal on another machine</dt><dd><code>PARLEY_URL=${shown(origin)} PARLEY_TOKEN=YOUR-TOKEN parley chat</code></dd>
<dt>Ozzie clients</dt><dd><code>${shown(webSocket)}</code></dd>
<dt>gRPC clients: roz, kontekst</dt><dd><code>${shown(target)}</code></dd>
<dt>Clients of the Model Context Protocol</dt><dd><code>${shown(origin)}/mcp</code></dd>
</dl>
<p>Ask the operator of the gateway for a token. In Discord and Slack, mention the bot instead.</p>`,
	);
}
