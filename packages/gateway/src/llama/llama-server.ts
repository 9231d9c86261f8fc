import { type Clock, defined, delay, type Logger, ParleyError, type Timer } from "@parley/base";
import {
	findOperatorProgram,
	ModelError,
	type RunningOperatorProgram,
	startOperatorProgram,
} from "@parley/core";
import type { LlamaSettings } from "../config/llama-settings.ts";
import { llamaTexts } from "../texts/llama.ts";
import { type LlamaHealth, probeLlama, readWindow } from "./llama-health.ts";

/** Milliseconds of the pause after the first failure. Each further failure doubles the pause. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Minimum milliseconds that a server must run so that its next restart has the shortest pause. */
const HEALTHY_MS = 5 * 60_000;
/** Milliseconds between two checks of a server that is not ready. */
const POLL_MS = 250;
/** Milliseconds between two log lines about the load of a model. */
const REPORT_MS = 15_000;
/** Milliseconds between two checks of a ready server that the gateway did not start. */
const FOREIGN_POLL_MS = 2_000;
/** Maximum milliseconds of a pause in which requests wait. During a longer pause, requests fail immediately. */
const SHORT_PAUSE_MS = 4_000;
/** Maximum milliseconds that a request waits until a model is loaded. */
const LONGEST_LOAD_MS = 15 * 60_000;

/**
 * State of the local model server:
 * - `external`: the operator runs the server.
 * - `idle`: the server starts with the first request.
 * - `starting`: the server runs and does not answer yet.
 * - `loading`: the server loads its model.
 * - `ready`: the server answers.
 * - `found`: another process already serves the address, and is used.
 * - `pausing`: the server ended or could not start, and starts again after a pause.
 * - `stopped`: the gateway stops.
 */
export type LlamaState =
	| "external"
	| "idle"
	| "starting"
	| "loading"
	| "ready"
	| "found"
	| "pausing"
	| "stopped";

/** State of the local model server, for operators. */
export interface LlamaStatus {
	readonly endpoint: string;
	readonly modelDir: string;
	readonly state: LlamaState;
	/** Time at which the state began, in milliseconds since the epoch. */
	readonly since: number;
	/** Process id of the server that the gateway started. 0 if no such server is running. */
	readonly pid: number;
	/** Number of starts after the first start. */
	readonly restarts: number;
	/** Reason why the server does not answer, or the last line of the server's output while the server loads a model. */
	readonly reason?: string;
	/** Source of the last token counts: the server's tokenizer, or an estimate. Absent before the first count. */
	readonly tokens?: "counted" | "estimated";
}

export interface LlamaServerOptions {
	readonly settings: LlamaSettings;
	/** Working directory of the program, if the settings have no `model_dir`. */
	readonly currentDirectory: string;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * The configured local model server. If the settings have a command, starts the program, restarts it when it ends,
 * and stops it with the gateway. If another server already answers at the address, uses that server instead.
 */
export class LlamaServer {
	readonly #options: LlamaServerOptions;
	readonly #stopping = new AbortController();
	#state: LlamaState;
	#since: number;
	#reason: string | undefined;
	#program: RunningOperatorProgram | undefined;
	#starts = 0;
	#pauseMs = 0;
	#window: number | undefined;
	#lastLine = "";
	#tokens: LlamaStatus["tokens"];
	#supervision: Promise<void> | undefined;
	#changed = Promise.withResolvers<void>();

	private constructor(options: LlamaServerOptions) {
		this.#options = options;
		this.#state = options.settings.command === undefined ? "external" : "idle";
		this.#since = options.clock.now();
	}

	/**
	 * Opens the server, and starts it if `autostart` is set. Rejects with `invalid_argument` if the program does not
	 * exist.
	 */
	static async open(options: LlamaServerOptions): Promise<LlamaServer> {
		const { command, autostart, environment } = options.settings;
		if (command !== undefined) await findCommand(command, environment);
		const server = new LlamaServer(options);
		if (autostart) server.#begin();
		return server;
	}

	get status(): LlamaStatus {
		const { endpoint, modelDir = "" } = this.#options.settings;
		return {
			endpoint,
			modelDir,
			state: this.#state,
			since: this.#since,
			pid: this.#program?.pid ?? 0,
			restarts: Math.max(0, this.#starts - 1),
			...defined({ reason: this.#reason, tokens: this.#tokens }),
		};
	}

	/** Returns the context window in tokens, or undefined if the server has not reported it. */
	get window(): number | undefined {
		return this.#window;
	}

	/** Records whether the server's tokenizer counted the tokens of the last request. */
	noteCount(isCounted: boolean): void {
		this.#tokens = isCounted ? "counted" : "estimated";
	}

	/** Whether the server is ready now, according to a check of at most 1.5 s. Never rejects. */
	async isHealthy(): Promise<boolean> {
		const { settings, clock } = this.#options;
		return (await probeLlama(settings, clock)).state === "ready";
	}

	/**
	 * Starts an idle server, and resolves when requests can be sent. Rejects with a `ModelError` if the server
	 * does not start, or after a wait of 15 minutes. If `signal` aborts, rejects with the signal's reason.
	 */
	async ready(signal: AbortSignal): Promise<void> {
		this.#begin();
		const { clock, settings } = this.#options;
		const late = new AbortController();
		const timer = clock.after(LONGEST_LOAD_MS, () => late.abort());
		const ended = AbortSignal.any([signal, late.signal, this.#stopping.signal]);
		const end = whenAborted(ended);
		try {
			while (!isUsable(this.#state)) {
				signal.throwIfAborted();
				if (ended.aborted || (this.#state === "pausing" && this.#pauseMs > SHORT_PAUSE_MS)) {
					const message = llamaTexts.noAnswer({ url: settings.endpoint, reason: this.#whyNotReady() });
					throw new ModelError(message, { fault: "unreachable" });
				}
				await Promise.race([this.#changed.promise, end]);
			}
		} finally {
			timer.cancel();
		}
	}

	/** Stops the program, and kills it if it is still running after 1.5 s. Resolves when the program has ended. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#program?.stop();
		await this.#supervision;
		this.#set("stopped");
	}

	#whyNotReady(): string {
		if (this.#stopping.signal.aborted) return llamaTexts.stopping;
		if (this.#state === "pausing" && this.#reason !== undefined) return this.#reason;
		const last = this.#reason === undefined ? "" : `: ${this.#reason}`;
		return llamaTexts.notLoaded({ minutes: LONGEST_LOAD_MS / 60_000, last });
	}

	#begin(): void {
		if (this.#options.settings.command === undefined || this.#stopping.signal.aborted) return;
		this.#supervision ??= this.#run();
	}

	async #run(): Promise<void> {
		const { clock, log, settings } = this.#options;
		const { signal } = this.#stopping;
		for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
			const startedAt = clock.monotonic();
			const reason = await this.#serveOnce().catch((error: unknown) => ParleyError.from(error).message);
			if (signal.aborted) return;
			if (clock.monotonic() - startedAt >= HEALTHY_MS) pauseMs = FIRST_PAUSE_MS;
			this.#pauseMs = pauseMs;
			this.#set("pausing", reason);
			log.warn("the local model server is not running", {
				endpoint: settings.endpoint,
				reason,
				againInMs: pauseMs,
			});
			// An aborted delay only ends the wait. The signal then shows that the gateway stops.
			await delay(clock, pauseMs, signal).catch(() => undefined);
		}
	}

	/**
	 * Starts the program, or uses a server that already answers. Resolves with the reason when the server ends or stops
	 * answering.
	 */
	async #serveOnce(): Promise<string> {
		const { settings, clock, log, currentDirectory } = this.#options;
		const { endpoint, command = "", args, environment, modelDir } = settings;
		const found = await probeLlama(settings, clock, this.#stopping.signal);
		if (found.state === "other") return occupied(endpoint, found.did);
		if (found.state !== "absent") return this.#adoptServer(found);
		if (this.#stopping.signal.aborted) return "";
		this.#lastLine = "";
		this.#starts += 1;
		const program = await startOperatorProgram(
			{
				command,
				args,
				environment,
				cwd: modelDir ?? currentDirectory,
				onLine: (line) => {
					this.#lastLine = line;
					log.debug("local model server", { line });
				},
			},
			clock,
		);
		this.#program = program;
		if (this.#stopping.signal.aborted) program.stop();
		this.#set("starting");
		log.info("the local model server is starting", { endpoint, pid: program.pid, command });
		const over = new AbortController();
		const loading = this.#watchLoading(over.signal);
		const { code, signal } = await program.ended;
		over.abort();
		await loading;
		this.#program = undefined;
		const end = signal === null ? llamaTexts.exitCode({ code }) : `by ${signal}`;
		const last = this.#lastLine === "" ? "" : `: ${this.#lastLine}`;
		return llamaTexts.ended({ command: JSON.stringify(command), end, last });
	}

	/** Uses the server of another process. Resolves with the reason when this server is no longer ready or loading. */
	async #adoptServer(first: LlamaHealth): Promise<string> {
		const { settings, clock, log } = this.#options;
		const { endpoint } = settings;
		const { signal } = this.#stopping;
		log.info("using a server that the gateway did not start", { endpoint });
		for (let health = first; ["ready", "loading"].includes(health.state); ) {
			if (health.state === "ready" && this.#state !== "found") await this.#learnWindow();
			this.#set(health.state === "ready" ? "found" : "loading");
			await delay(clock, health.state === "ready" ? FOREIGN_POLL_MS : POLL_MS, signal).catch(() => undefined);
			health = await probeLlama(settings, clock, signal);
		}
		return llamaTexts.otherServerStopped;
	}

	async #watchLoading(over: AbortSignal): Promise<void> {
		const { settings, clock, log } = this.#options;
		const { endpoint } = settings;
		const startedAt = clock.monotonic();
		const report = (): void => {
			const seconds = Math.round((clock.monotonic() - startedAt) / 1_000);
			const state = this.#state === "loading" ? llamaTexts.loading : llamaTexts.notReady;
			log.info(`the local model server ${state}`, { endpoint, seconds, line: this.#lastLine });
			timer = clock.after(REPORT_MS, report);
		};
		let timer: Timer = clock.after(REPORT_MS, report);
		try {
			while (!over.aborted) {
				const { state } = await probeLlama(settings, clock, over);
				if (over.aborted) return;
				if (state === "ready") {
					await this.#learnWindow();
					const ms = Math.round(clock.monotonic() - startedAt);
					if (over.aborted) return;
					this.#set("ready");
					log.info("the local model server is ready", { endpoint, ms, window: this.#window });
					return;
				}
				this.#set(state === "loading" ? "loading" : "starting", this.#lastLine);
				await delay(clock, POLL_MS, over).catch(() => undefined);
			}
		} finally {
			timer.cancel();
		}
	}

	async #learnWindow(): Promise<void> {
		this.#window = await readWindow(this.#options.settings, this.#options.clock);
	}

	#set(state: LlamaState, reason = ""): void {
		if (this.#state !== state) this.#since = this.#options.clock.now();
		this.#state = state;
		this.#reason = reason === "" ? undefined : reason;
		const { resolve } = this.#changed;
		this.#changed = Promise.withResolvers();
		resolve();
	}
}

function isUsable(state: LlamaState): boolean {
	return state === "ready" || state === "found" || state === "external";
}

function occupied(endpoint: string, did: string): string {
	const { host } = new URL(endpoint);
	return llamaTexts.otherProgram({ host, answer: did });
}

async function findCommand(command: string, environment: LlamaSettings["environment"]): Promise<void> {
	try {
		await findOperatorProgram(command, environment);
	} catch (cause) {
		const place = command.includes("/") ? "" : " in PATH";
		throw new ParleyError(llamaTexts.noProgram({ command: JSON.stringify(command), where: place }), {
			code: "invalid_argument",
			cause,
		});
	}
}

function whenAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
