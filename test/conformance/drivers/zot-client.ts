import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { afterPatience } from "@parley/base/testing";
import { type ProcessEnd, patienceMs } from "../../gateway-process.ts";
import type { FakeAnthropic } from "../../simulators/anthropic/fake-anthropic.ts";
import { Watch } from "../../watch.ts";
import { readZotFrame, type ZotFrame, type ZotResponse, type ZotType } from "./zot-frame.ts";
import { ZotOrder } from "./zot-order.ts";

export const zotBinary = fileURLToPath(new URL("../../../packages/cli/bin/zot.mjs", import.meta.url));

export type Of<Type extends ZotType> = Extract<ZotFrame, { type: Type }>;

export interface ZotOptions {
	/** Simulator of the provider for the model `claude-sonnet-4-5`. By default, the agent uses the offline model. */
	readonly service?: FakeAnthropic;
	readonly flags?: readonly string[];
	readonly environment?: Readonly<Record<string, string>>;
	/** Models in models.json. By default, none. */
	readonly models?: readonly object[];
	/** MCP servers in the configuration, by name. By default, none. */
	readonly servers?: object;
}

/**
 * The agent in its own process, controlled through stdin and stdout. A read rejects after a line of stdout with an
 * invalid form or order. Disposal stops the process.
 */
export class ZotClient implements AsyncDisposable {
	/** All valid lines in order. `lines` also contains invalid lines. */
	readonly frames: ZotFrame[] = [];
	readonly lines: string[] = [];
	readonly exited: Promise<ProcessEnd>;
	/** Test directory. `work` is the working directory of the process, and `home` its home directory. */
	readonly directory: string;
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly #watch = new Watch();
	readonly #order = new ZotOrder();
	/** The first response with each id. */
	readonly #responses = new Map<string | number, ZotResponse>();
	#stderr = "";
	#open = true;
	#failure: Error | undefined;
	#read = 0;
	#rest = "";

	private constructor(directory: string, { service, flags = [], environment }: ZotOptions) {
		this.directory = directory;
		const model = service
			? [
					...["--provider", "anthropic", "--model", "claude-sonnet-4-5"],
					...["--base-url", service.url, "--api-key", service.apiKey],
				]
			: ["--provider", "offline"];
		this.#child = spawn(
			process.execPath,
			[zotBinary, "rpc", "--data", this.path("data"), ...model, ...flags],
			{
				...{ cwd: this.path("work"), stdio: ["pipe", "pipe", "pipe"] },
				env: {
					...{ PATH: process.env["PATH"], HOME: this.path("home"), TMPDIR: this.path("tmp") },
					...{ PARLEY_SANDBOX: "off", ...environment },
				},
			},
		);
		this.#child.stdout.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
		this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
			this.#stderr += text;
		});
		// Writes fail if the process has exited. `exited` reports the exit.
		this.#child.stdin.on("error", () => undefined);
		this.exited = once(this.#child, "close").then(([code, signal]) => {
			this.#open = false;
			this.#watch.notify();
			return { code, signal };
		});
	}

	static async start(options: ZotOptions = {}): Promise<ZotClient> {
		const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-zot-")));
		for (const name of ["work", "home", "tmp", "data"]) await mkdir(join(directory, name), { mode: 0o700 });
		if (options.models) {
			await writeFile(join(directory, "data", "models.json"), JSON.stringify({ models: options.models }));
		}
		if (options.servers) {
			const content = JSON.stringify({ servers: options.servers });
			await writeFile(join(directory, "data", "mcp.json"), content);
		}
		return new ZotClient(directory, options);
	}

	path(...names: readonly string[]): string {
		return join(this.directory, ...names);
	}

	get stderr(): string {
		return this.#stderr;
	}

	set reads(reads: boolean) {
		if (reads) this.#child.stdout.resume();
		else this.#child.stdout.pause();
	}

	async residentBytes(): Promise<number> {
		const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8");
		return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
	}

	/** Writes all commands as one chunk. */
	send(...commands: readonly object[]): void {
		this.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
	}

	write(bytes: string | Uint8Array): void {
		this.#child.stdin.write(bytes);
	}

	/**
	 * Resolves with the next matching frame of this type. Skips other frames. Rejects if the process exits before it
	 * writes such a frame.
	 */
	async until<Type extends ZotType>(type: Type, fits: (frame: Of<Type>) => boolean = () => true) {
		for (;;) {
			const frame = await this.next();
			if (frame.type === type && fits(frame as Of<Type>)) return frame as Of<Type>;
		}
	}

	async next(): Promise<ZotFrame> {
		const index = this.#read;
		await this.#when("a further line comes", () => this.frames.length > index);
		const frame = this.frames[index];
		if (!frame) throw new Error(`the process has ended without a further line\n${this.#stderr}`);
		this.#read += 1;
		return frame;
	}

	/** Resolves with all unread lines up to and including the next `done`. */
	async turn(): Promise<ZotFrame[]> {
		const from = this.#read;
		await this.until("done");
		return this.frames.slice(from, this.#read);
	}

	/** Sends a command and resolves with its response. Marks no line as read. The id must be unique. */
	async ask(command: { readonly id: string; readonly type: string; readonly [key: string]: unknown }) {
		this.send(command);
		return this.response(command.id);
	}

	/** Resolves with the response to the command with this id. Marks no line as read. */
	async response(id: string | number): Promise<ZotResponse> {
		await this.#when(`the response ${id} comes`, () => this.#responses.has(id));
		const response = this.#responses.get(id);
		if (response === undefined) throw new Error(`there is no response ${id}\n${this.#stderr}`);
		return response;
	}

	async data(command: Parameters<ZotClient["ask"]>[0]): Promise<unknown> {
		const response = await this.ask(command);
		if (!response.success) throw new Error(`${command.type} failed: ${response.error}`);
		return response.data;
	}

	/** Writes `text`, closes stdin and waits for the exit. Rejects if the last line or the last run is incomplete. */
	async end(text = ""): Promise<ProcessEnd> {
		this.#child.stdin.end(text);
		return this.ended();
	}

	/** Waits for the exit without closing stdin. Rejects like `end`. */
	async ended(): Promise<ProcessEnd> {
		await this.#when("the process ends", () => false);
		const { code, signal } = await this.exited;
		if (this.#rest !== "") throw new Error(`the last line is not whole: ${this.#rest}`);
		if (!this.#order.atRest) throw new Error(`the process ended (${code}, ${signal}) without its last done`);
		return { code, signal };
	}

	kill(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// On SIGTERM, the process stops its tools before it exits.
		this.#child.kill("SIGTERM");
		const cancel = afterPatience(patienceMs, () => void this.#child.kill("SIGKILL"));
		await this.exited;
		cancel();
		await rm(this.directory, { recursive: true, force: true });
	}

	/** Waits until `isTrue` returns true or the process has exited. Throws if the client has failed. */
	async #when(condition: string, isTrue: () => boolean): Promise<void> {
		const isSettled = (): boolean => this.#failure !== undefined || !this.#open || isTrue();
		await this.#watch.until(condition, isSettled);
		if (this.#failure) throw this.#failure;
	}

	#receive(text: string): void {
		const parts = `${this.#rest}${text}`.split("\n");
		this.#rest = parts.pop() ?? "";
		for (const line of parts) this.#receiveLine(line);
		this.#watch.notify();
	}

	#receiveLine(line: string): void {
		this.lines.push(line);
		try {
			const frame = readZotFrame(parseJson(line));
			this.frames.push(frame);
			if (frame.type === "response" && frame.id !== undefined && !this.#responses.has(frame.id)) {
				this.#responses.set(frame.id, frame);
			}
			this.#order.receive(frame);
		} catch (reason) {
			const before = this.lines.slice(-20).join("\n");
			this.#failure ??= new Error(`a line that may not come: ${line}\nlast of:\n${before}`, {
				cause: reason,
			});
		}
	}
}

/**
 * Returns the types of the lines in order, with the stop reason of each `turn_end`. Consecutive deltas of one type
 * are one item.
 */
export function typesOf(frames: readonly ZotFrame[]): string[] {
	const types = frames.map((frame) => (frame.type === "turn_end" ? `turn_end ${frame.stop}` : frame.type));
	const pieces = ["text_delta", "thinking_delta", "tool_use_args"];
	return types.filter((type, at) => !pieces.includes(type) || types[at - 1] !== type);
}

export function only<Type extends ZotType>(frames: readonly ZotFrame[], type: Type): Of<Type>[] {
	// The cast is safe because the filter compares the type.
	return frames.filter((frame) => frame.type === type) as Of<Type>[];
}

export function streamed(frames: readonly ZotFrame[]): string {
	return only(frames, "text_delta")
		.map(({ delta }) => delta)
		.join("");
}
