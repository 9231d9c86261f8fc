import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, createLogger, Redactor, readSqliteFile, systemClock } from "@parley/base";
import { type Gateway, startGateway } from "@parley/gateway";
import WebSocket from "ws";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";

const publicUrl = "https://parley.example";

/**
 * A gateway that has registered the secrets, a scripted model, and a record of the gateway's log, frames and HTTP
 * responses.
 */
export class RedactionSetup implements AsyncDisposable {
	readonly directory: string;
	readonly model: FakeAnthropic;
	readonly client: OzzieClient;
	readonly log: string[] = [];
	readonly frames: string[] = [];
	/** Headers and bodies of HTTP responses. */
	readonly answers: string[] = [];
	readonly #gateway: Gateway;

	private constructor(
		parts: Pick<RedactionSetup, "directory" | "model" | "client"> & { gateway: Gateway; log: string[] },
	) {
		this.directory = parts.directory;
		this.model = parts.model;
		this.client = parts.client;
		this.log = parts.log;
		this.#gateway = parts.gateway;
		this.client.socket.on("message", (data) => this.frames.push(data.toString()));
	}

	static async open(
		secrets: readonly string[],
		files: Readonly<Record<string, string>>,
	): Promise<RedactionSetup> {
		const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-redaction-")));
		await mkdir(join(directory, "work"));
		for (const [name, text] of Object.entries(files)) await writeFile(join(directory, "work", name), text);
		const model = await FakeAnthropic.start({ apiKey: "another-registered-key-0123456789" });
		const [redactor, log]: [Redactor, string[]] = [new Redactor(), []];
		for (const secret of secrets) redactor.add(secret);
		const gateway = await startGateway({
			config: {
				listen: [{ host: "127.0.0.1", port: 0 }],
				...{ data: join(directory, "data"), root: [join(directory, "work")] },
				...{ provider: "anthropic", baseUrl: model.url, apiKey: model.apiKey, model: "claude-sonnet-5-5" },
				...{ auth: "none", logLevel: "debug", allowedHosts: [], titles: false, publicUrl },
			},
			...{ clock: systemClock, ids: createIds(), redactor, version: "0.0.0", currentDirectory: directory },
			log: createLogger({
				level: "debug",
				redactor,
				destination: { write: (line: string) => log.push(line) },
			}),
		});
		const client = await OzzieClient.connect(gateway.urls[0] ?? "");
		return new RedactionSetup({ directory, model, client, gateway, log });
	}

	get url(): string {
		return this.#gateway.urls[0] ?? "";
	}

	/** Sends a message, and answers each prompt of its run with `answer`, by default with an approval. */
	async ask(content: string, answer: object = { value: true }): Promise<void> {
		await this.client.call("send_message", { content });
		for (;;) {
			const { event, payload } = await this.client.event();
			if (event === "assistant.message") return;
			if (event !== "prompt.request") continue;
			await this.client.call("prompt_response", { token: payload["token"], ...answer });
		}
	}

	/** Sends an HTTP request and records the response. Returns its status and body, for example `404 {"error":"…"}`. */
	async get(path: string, init: RequestInit = {}): Promise<string> {
		const response = await fetch(this.url + path, init);
		const text = await response.text();
		this.answers.push(JSON.stringify([...response.headers]), text);
		return `${response.status} ${text}`;
	}

	/** Sends a request over the WebSocket. Returns the error, or `ok` with the payload. */
	async probe(method: string, params: object): Promise<string> {
		const response = await this.client.request(method, params);
		return response.ok ? `ok ${JSON.stringify(response.payload)}` : response.error;
	}

	/** Submits a value twice on the page of a password prompt, and returns the URL of the page. */
	async typeIntoPage(token: unknown, value: string): Promise<string> {
		const { url } = await this.client.call("secret_page", { token });
		const address = String(url).replace(publicUrl, this.url);
		this.answers.push(await (await fetch(address)).text());
		const body = new URLSearchParams({ value });
		this.answers.push(await (await fetch(address, { method: "POST", body })).text());
		this.answers.push(await (await fetch(address, { method: "POST", body })).text());
		return address;
	}

	/** Returns the bodies of all model requests, unchanged. */
	get requests(): string[] {
		return this.model.requests.map(({ bytes }) => bytes.toString("utf8"));
	}

	/** Stops the gateway. Returns each stored file by its name, and the rows of each table by the table's name. */
	async leftovers(): Promise<Record<string, string>> {
		await this.client.leave();
		await this.#gateway.stop(1_000);
		const contents: Record<string, string> = {};
		const data = join(this.directory, "data");
		for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
			if (!entry.isFile()) continue;
			const path = join(entry.parentPath, entry.name);
			contents[path.slice(data.length)] =
				(await readFile(path)).toString("latin1") + (await readFile(path, "utf8"));
		}
		// The database file contains a long text only in pieces, one per page. A row contains the complete text.
		return { ...contents, ...(await rowsOf(join(data, "parley.sqlite"))) };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { socket } = this.client;
		if (socket.readyState === WebSocket.OPEN) await this.leftovers();
		await this.model.close();
		await rm(this.directory, { recursive: true, force: true });
	}
}

type AnyTables = Record<string, Record<string, unknown>>;

async function rowsOf(file: string): Promise<Record<string, string>> {
	return readSqliteFile<AnyTables, Record<string, string>>(file, async (db) => {
		const contents: Record<string, string> = {};
		for (const { name } of await db.introspection.getTables()) {
			// The internal tables of the full-text index contain no readable text.
			if (/_(?:data|idx|docsize|config)$/.test(name)) continue;
			const rows = await db.selectFrom(name).selectAll().execute();
			contents[`table ${name}`] = rows.map((row) => Object.values(row).map(String).join("\n")).join("\n");
		}
		return contents;
	});
}
