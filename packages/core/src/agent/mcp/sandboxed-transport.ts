import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type Clock, defined, ParleyError, parseJson } from "@parley/base";
import type { ProgramInput, Sandbox } from "../../vocabulary/sandbox.ts";
import { Allowance, serverLimits } from "./allowance.ts";
import { LastLines } from "./last-lines.ts";
import { MessageLines } from "./message-lines.ts";
import { mcpConnectionTexts } from "./texts.ts";

export interface ServerProgram {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Whether the server may write files in at least one directory. */
	readonly writes: boolean;
	readonly sandbox: Sandbox;
	readonly clock: Clock;
	/** Returns the value as a message of the protocol. Throws if the value is not a valid message. */
	readonly read: (value: unknown) => JSONRPCMessage;
}

const { maxMessageBytes, maxNodes, bytes, messages } = serverLimits;
/** Maximum bytes that wait until the server reads them. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Maximum output lines that are not messages. Some servers print a greeting. */
const maxOtherLines = 100;
/**
 * Time limit of the program in milliseconds, because each command in the sandbox needs a time limit. After this time,
 * the server starts again at its next use.
 */
const lifeMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Connection to a server in a sandbox, by lines on its standard input and output. A server that sends too many bytes,
 * messages or other lines is stopped.
 */
export class SandboxedTransport implements Transport {
	/**
	 * Fields by which the library recognises a local program. For a local program, the library also accepts servers with
	 * older protocol versions.
	 */
	readonly pid = null;
	readonly stderr = null;
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	onmessage?: Transport["onmessage"];
	/** Settles when the program has ended. */
	ended: Promise<void> = Promise.resolve();
	/** Reason why the program was stopped or ended. Undefined before that. */
	problem: string | undefined;
	readonly #program: ServerProgram;
	readonly #lines = new MessageLines(maxMessageBytes, (line) => this.#read(line));
	readonly #errors = new LastLines();
	readonly #bytes: Allowance;
	readonly #messages: Allowance;
	readonly #stop = new AbortController();
	#input: ProgramInput | undefined;
	#others = 0;
	#closed = false;

	constructor(program: ServerProgram) {
		this.#program = program;
		this.#bytes = new Allowance(bytes, program.clock);
		this.#messages = new Allowance(messages, program.clock);
	}

	/** Returns the last lines of the program's standard error. */
	get log(): readonly string[] {
		return this.#errors.lines;
	}

	/** Starts the program. Rejects if the program cannot be started. */
	async start(): Promise<void> {
		const { name, sandbox, command, args, cwd, environment, writes } = this.#program;
		const started = Promise.withResolvers<void>();
		const run = sandbox.run({
			executable: command,
			args,
			cwd,
			environment,
			power: writes ? "work" : "read",
			timeoutMs: lifeMs,
			maxOutputBytes: 1_024,
			// Name of the server's connections in the log and in the audit log.
			callId: `mcp:${name}`,
			signal: this.#stop.signal,
			onOutput: (chunk) => this.#take(chunk),
			dialogue: {
				started: (input) => {
					this.#input = input;
					started.resolve();
				},
				onErrors: (chunk) => this.#errors.receive(chunk),
			},
		});
		this.ended = run.then(
			({ code, signal }) =>
				this.#end(mcpConnectionTexts.endedWith(signal ?? mcpConnectionTexts.exitCode(code))),
			(reason: unknown) => {
				const { message } = ParleyError.from(reason);
				this.#end(message);
				started.reject(new ParleyError(message, { code: "unavailable", cause: reason }));
			},
		);
		await started.promise;
	}

	async send(message: JSONRPCMessage): Promise<void> {
		const input = this.#input;
		if (input === undefined || this.#closed)
			throw new ParleyError(mcpConnectionTexts.ended, { code: "unavailable" });
		if (input.waiting > maxWaitingBytes)
			throw new ParleyError(mcpConnectionTexts.noInput, { code: "unavailable" });
		await input.write(Buffer.from(`${JSON.stringify(message)}\n`));
	}

	/** Stops the program and waits for its end. */
	async close(): Promise<void> {
		this.#input?.end();
		this.#stop.abort();
		await this.ended;
	}

	#take(chunk: Uint8Array): void {
		if (this.#closed || this.problem !== undefined) return;
		try {
			if (!this.#bytes.spend(chunk.length)) throw flood(mcpConnectionTexts.manyBytes);
			this.#lines.receive(chunk);
		} catch (reason) {
			this.#refuse(ParleyError.from(reason).message);
		}
	}

	#read(line: string): void {
		const message = this.#messageIn(line);
		if (message === undefined) return;
		if (!this.#messages.spend(1)) throw flood(mcpConnectionTexts.manyMessages);
		this.onmessage?.(message);
	}

	#messageIn(line: string): JSONRPCMessage | undefined {
		try {
			return this.#program.read(parseJson(line, { maxNodes }));
		} catch (cause) {
			this.#others += 1;
			if (this.#others <= maxOtherLines) return undefined;
			throw flood(mcpConnectionTexts.otherLines, cause);
		}
	}

	#refuse(problem: string): void {
		this.problem = problem;
		this.#stop.abort();
	}

	#end(reason: string): void {
		if (this.#closed) return;
		this.#closed = true;
		this.problem ??= reason;
		this.onclose?.();
	}
}

function flood(problem: string, cause?: unknown): ParleyError {
	return new ParleyError(problem, { code: "resource_exhausted", ...defined({ cause }) });
}
