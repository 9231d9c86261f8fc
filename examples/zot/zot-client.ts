import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** One line of the agent: a response if its `type` is `response`, otherwise an event. */
export interface Line {
	readonly type: string;
	readonly id?: string | number;
	readonly [field: string]: unknown;
}

interface Waiting {
	resolve(data: unknown): void;
	reject(reason: Error): void;
}

/**
 * One `zot rpc` process. `request` sends a command and resolves with the data of its response. `prompt` also
 * passes on the events and waits for `done`. Both methods reject with the agent's error, or if the process
 * has ended or cannot be started. The constructor can also throw if the process cannot be started.
 */
export class ZotClient {
	readonly #process: ChildProcess;
	readonly #waiting = new Map<string, Waiting>();
	readonly #ended: Promise<number>;
	#listener: (event: Line) => void = () => undefined;
	/** Rejects the running prompt, if there is one. */
	#interrupt: (reason: Error) => void = () => undefined;
	/** Reason why the agent no longer answers. */
	#failure: Error | undefined;
	#count = 0;

	/** Starts the agent. `program`: its command, with the arguments before `rpc`. */
	constructor(program: readonly [string, ...string[]], flags: readonly string[]) {
		const [command, ...first] = program;
		this.#process = start(command, [...first, "rpc", ...flags]);
		const { stdin, stdout } = this.#process;
		if (!stdin || !stdout) throw new Error("the agent has no input or no output");
		// An error of the input needs no handling: the `close` event of the process reports the reason.
		stdin.on("error", () => undefined);
		createInterface({ input: stdout }).on("line", (text) => {
			const line = readLine(text);
			if (line) this.#receive(line);
		});
		this.#ended = new Promise((resolve) => {
			this.#process.on("error", (error) => this.#fail(unstarted(command, error)));
			this.#process.on("close", (code, signal) => {
				this.#fail(new Error(`the agent has ended (${signal ?? `code ${code}`})`));
				resolve(code ?? 1);
			});
		});
	}

	async request(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
		if (this.#failure) throw this.#failure;
		const id = String(++this.#count);
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			this.#process.stdin?.write(`${JSON.stringify({ id, type, ...fields })}\n`);
		});
	}

	/**
	 * Sends a prompt. Resolves when the agent has completed the prompt, or rejects with the agent's error. Only one
	 * prompt may run at a time.
	 */
	async prompt(message: string, onEvent: (event: Line) => void): Promise<void> {
		let failure: string | undefined;
		const done = new Promise<void>((resolve, reject) => {
			this.#interrupt = reject;
			this.#listener = (event) => {
				if (event.type === "error") failure = String(event["message"]);
				onEvent(event);
				if (event.type === "done") resolve();
			};
		});
		await Promise.all([this.request("prompt", { message }), done]);
		if (failure !== undefined) throw new Error(failure);
	}

	/** Closes the agent's stdin, so that the agent exits. Resolves with its exit code, or with 1 after a signal. */
	close(): Promise<number> {
		this.#process.stdin?.end();
		return this.#ended;
	}

	#receive(line: Line): void {
		if (line.type !== "response") {
			this.#listener(line);
			return;
		}
		const waiting = this.#waiting.get(String(line.id));
		this.#waiting.delete(String(line.id));
		if (line["success"] === true) waiting?.resolve(line["data"]);
		else waiting?.reject(new Error(String(line["error"])));
	}

	#fail(reason: Error): void {
		this.#failure ??= reason;
		for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
		this.#waiting.clear();
		this.#interrupt(this.#failure);
	}
}

function start(command: string, args: readonly string[]): ChildProcess {
	try {
		// `spawn` throws some errors, and emits others as an event.
		return spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
	} catch (error) {
		throw unstarted(command, error);
	}
}

function unstarted(command: string, cause: unknown): Error {
	const why = cause instanceof Error ? cause.message : String(cause);
	return new Error(`the agent cannot be started: ${command}: ${why}`, { cause });
}

/** Parses a line, or returns undefined for an unreadable line, because the agent continues after it. */
function readLine(text: string): Line | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
