import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { ManualClock, seededIds } from "@parley/base/testing";
import { createWebFetch } from "@parley/core";
import { createToolContext } from "@parley/core/testing";

interface Seen {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
}

export type Answers = Readonly<Record<string, (response: ServerResponse) => void>>;

/** A web site on a local port. The test's resolver resolves `site.test` and `www.site.test` to it. */
export class Site implements AsyncDisposable {
	readonly requests: Seen[] = [];
	connections = 0;
	/** Resolved host names, in order. */
	readonly lookedUp: string[] = [];
	/** Results of successive lookups by host name. The last result is repeated. */
	readonly names = new Map<string, readonly (readonly string[])[]>([
		["site.test", [["127.0.0.1"]]],
		["www.site.test", [["127.0.0.1"]]],
		["inside.test", [["10.0.0.1"]]],
	]);
	readonly clock = new ManualClock();
	readonly port: number;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();

	private constructor(server: Server) {
		this.#server = server;
		const address = server.address();
		this.port = typeof address === "object" && address ? address.port : 0;
		server.on("connection", (socket) => {
			this.connections += 1;
			this.#sockets.add(socket);
			socket.on("close", () => this.#sockets.delete(socket));
			socket.on("error", () => undefined);
		});
	}

	/** Starts an HTTP server with these answers. The server responds with 404 to paths without an answer. */
	static async http(answers: Answers): Promise<Site> {
		const listener: RequestListener = ({ method = "", url: path = "", headers }, response) => {
			site.requests.push({ method, path, headers });
			const answer = answers[path] ?? ((missing) => missing.writeHead(404).end("nothing here"));
			answer(response);
		};
		const site = new Site(await listening(createServer(listener)));
		return site;
	}

	/** Starts a TCP server without HTTP. The test handles its connections. */
	static async tcp(serve: (socket: Socket) => void): Promise<Site> {
		return new Site(await listening(createTcpServer(serve)));
	}

	url(path = "/", host = "site.test"): string {
		return `http://${host}:${this.port}${path}`;
	}

	/** Plans and runs one call, like an approved call. */
	async fetch(
		args: Record<string, unknown>,
		signal?: AbortSignal,
	): Promise<{ text: string; failed: boolean }> {
		const tool = createWebFetch({
			clock: this.clock,
			ids: seededIds(1),
			reach: { ports: [this.port], allows: (address) => address === "127.0.0.1" },
			lookup: async (name) => this.#lookup(name),
		});
		const context = createToolContext("/", signal ? { signal } : {});
		const parsed = tool.parameters().parse(args);
		return tool.run(parsed, await tool.plan(parsed, context), context);
	}

	/**
	 * Returns the text of a page, without the marker lines that the tool adds around it. For any other result, returns
	 * `no page: ` and the result.
	 */
	async text(path: string, more: Record<string, unknown> = {}): Promise<string> {
		const { text } = await this.fetch({ url: this.url(path), ...more });
		return /--- begin (page_\w+)\n([\s\S]*)\n--- end \1/.exec(text)?.[2] ?? `no page: ${text}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#lookup(name: string): readonly string[] {
		const before = this.lookedUp.filter((known) => known === name).length;
		this.lookedUp.push(name);
		const known = this.names.get(name);
		if (!known) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
		return known[Math.min(before, known.length - 1)] ?? [];
	}
}

async function listening<T extends Server>(server: T): Promise<T> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return server;
}
