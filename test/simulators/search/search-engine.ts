import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

interface Request {
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	readonly headers: IncomingHttpHeaders;
}

export interface Found {
	readonly title: string;
	readonly url: string;
	readonly text: string;
}

/**
 * Simulator of two search APIs. Both return the results in `found`.
 * - Brave Search: `GET /res/v1/web/search`, with its key and limits.
 * - SearXNG: `GET /search` with `format=json`.
 */
export class SearchEngine implements AsyncDisposable {
	readonly requests: Request[] = [];
	/** Handler of all requests, which replaces the APIs if it is set. */
	instead: ((response: ServerResponse) => void) | undefined;
	found: readonly Found[] = [];
	allowsJson = true;
	readonly key = "brave-key-of-the-test";
	readonly url: string;
	readonly #server: ReturnType<typeof createServer>;

	private constructor(server: ReturnType<typeof createServer>) {
		this.#server = server;
		const address = server.address();
		this.url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
		server.on("request", ({ url = "", headers }, response) => {
			const { pathname: path, searchParams } = new URL(url, this.url);
			const request = { path, query: Object.fromEntries(searchParams), headers };
			this.requests.push(request);
			if (this.instead) this.instead(response);
			else if (path === "/res/v1/web/search") this.#brave(request, response);
			else if (path === "/search") this.#searxng(request, response);
			else response.writeHead(404).end();
		});
	}

	static async start(): Promise<SearchEngine> {
		const server = createServer().listen(0, "127.0.0.1");
		await once(server, "listening");
		return new SearchEngine(server);
	}

	#brave({ query, headers }: Request, response: ServerResponse): void {
		const { q = "", count = "20" } = query;
		if (headers["x-subscription-token"] !== this.key) {
			json(response, 422, { type: "ErrorResponse", error: { code: "SUBSCRIPTION_TOKEN_INVALID" } });
			return;
		}
		if (q === "" || q.length > 400 || Number(count) > 20) {
			json(response, 422, { type: "ErrorResponse", error: { code: "VALIDATION" } });
			return;
		}
		const results = this.found.slice(0, Number(count)).map(({ title, url, text }) => {
			return { type: "search_result", title, url, description: text, meta_url: { hostname: "x" } };
		});
		json(response, 200, { type: "search", query: { original: q }, web: { type: "search", results } });
	}

	#searxng({ query }: Request, response: ServerResponse): void {
		if (query["format"] !== "json" || !this.allowsJson) {
			response.writeHead(403, { "content-type": "text/html" }).end("<h1>Forbidden</h1>");
			return;
		}
		const results = this.found.map(({ title, url, text }) => {
			return { title, url, content: text, engine: "x", engines: ["x"], score: 1, category: "general" };
		});
		const rest = { number_of_results: 0, answers: [], corrections: [], infoboxes: [], suggestions: [] };
		json(response, 200, { query: query["q"], results, ...rest, unresponsive_engines: [] });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}
}

function json(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
