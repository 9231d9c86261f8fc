import type { IncomingMessage } from "node:http";
import { homePageTexts } from "../texts/pages/home.ts";
import { page, shown } from "./html-page.ts";

export interface HomePageFacts {
	readonly status: "ok" | "degraded" | "draining";
	/** Address of the gateway for browsers, such as `https://parley.example`. */
	readonly address: string;
}

/** Whether a request is for the home page: it reads `/` and accepts HTML, as the requests of browsers do. */
export function wantsHomePage({ method = "", headers }: IncomingMessage, { pathname }: URL): boolean {
	const reads = method === "GET" || method === "HEAD";
	return reads && pathname === "/" && (headers.accept ?? "").includes("text/html");
}

const states: Readonly<Record<HomePageFacts["status"], string>> = {
	ok: homePageTexts.ok,
	degraded: homePageTexts.degraded,
	draining: homePageTexts.draining,
};

/**
 * Returns the home page as HTML. The page needs no credentials, so it contains no version, path, session or name of
 * this gateway.
 */
export function homePage({ status, address }: HomePageFacts): string {
	const { host, port, protocol, origin } = new URL(address);
	const webSocket = `${origin.replace(/^http/, "ws")}/api/ws`;
	const target = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
	return page(
		"Parley",
		homePageTexts.body({
			state: states[status],
			origin: shown(origin),
			webSocket: shown(webSocket),
			target: shown(target),
		}),
	);
}
