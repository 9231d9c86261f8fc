import { type Clock, defined, delay, type Logger, ParleyError } from "@parley/base";
import { commandOf, endCommand, findCommand, insertCommand, openCommands } from "../../store/command-rows.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import {
	type BackgroundCommand,
	backgroundLimits,
	type CommandEnding,
	type EndedCommand,
	type NewOutput,
	type StartedCommand,
	unknownCommand,
} from "../../vocabulary/commands/background-command.ts";
import type { Session } from "../session.ts";
import type { Lease } from "../sessions.ts";
import { backgroundLimitTexts } from "./texts.ts";
import { UnreadOutput } from "./unread-output.ts";

interface CommandsPorts {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
	/** Leases a session for the gateway. Throws `not_found` if the session was deleted. */
	readonly leaseOwn: (id: string) => Promise<Lease>;
}

export interface StartingCall {
	readonly session: Session;
	readonly runId: string;
	readonly callId: string;
}

/** A stop of a command. If `by` is absent, the agent stopped the command. */
export interface Stopping {
	readonly by?: string;
	/** Records the stop in the audit log, in the transaction of the end. */
	readonly audit?: (tx: Tx) => Promise<void>;
}

interface EndingCommand {
	readonly sessionId: string;
	readonly call: { readonly runId: string; readonly callId: string };
	readonly command: BackgroundCommand;
	readonly stopping: Stopping;
}

/** A command that this process started. */
interface LiveCommand {
	readonly sessionId: string;
	readonly call: { readonly runId: string; readonly callId: string };
	command: BackgroundCommand;
	readonly output: UnreadOutput;
	readonly stop: AbortController;
	/** Reason why `stop` was aborted. Undefined before that. */
	cause: "stopped" | "gateway" | undefined;
	stopping: Stopping;
	/** Whether the end is recorded, or can no longer be recorded. */
	isRecorded: boolean;
	/** Resolves after the end of the command and the first attempt to record the end. */
	ended: Promise<void>;
	/** Functions that wake the reads that wait for output. */
	readonly waiting: Set<() => void>;
}

/**
 * Manages commands that continue after their call has ended. All commands end when the gateway stops. The journal
 * contains the start and the end of each command, so that a session shows ended commands as ended after a restart.
 * Output is only in memory.
 */
export class BackgroundCommands {
	readonly #ports: CommandsPorts;
	readonly #commands = new Map<string, LiveCommand>();
	readonly #starting = new Set<{ readonly sessionId: string; readonly settled: Promise<void> }>();
	#stopped = false;

	constructor(ports: CommandsPorts) {
		this.#ports = ports;
	}

	/** Records the end of commands that a stop or crash of the gateway left open in the journal. */
	async recover(): Promise<void> {
		const { journal, log } = this.#ports;
		for (const row of await journal.store.read(openCommands)) {
			const { session_id: sessionId, run_id: runId, call_id: callId } = row;
			const left = { sessionId, call: { runId, callId }, command: commandOf(row), stopping: {} };
			await this.#record(left, { reason: "gateway", code: null }).catch((error: unknown) => {
				log.error(backgroundLimitTexts.endNotRecorded, { sessionId, n: row.n, error });
			});
		}
	}

	/**
	 * Throws `resource_exhausted` if the session or the gateway has too many running commands, and `unavailable` after
	 * `close`.
	 */
	check(sessionId: string): void {
		if (this.#stopped) throw new ParleyError("draining", { code: "unavailable" });
		const running = [...this.#commands.values()].filter(({ command }) => command.ending === undefined);
		const own = running.filter((one) => one.sessionId === sessionId).map(({ command }) => command.n);
		const { perSession, all } = backgroundLimits;
		const count = own.length + [...this.#starting].filter((one) => one.sessionId === sessionId).length;
		if (count >= perSession) {
			const numberList = own.length > 0 ? ` (numbers: ${own.join(", ")})` : "";
			throw new ParleyError(backgroundLimitTexts.tooMany(count, perSession, numberList), {
				code: "resource_exhausted",
			});
		}
		if (running.length + this.#starting.size < all) return;
		throw new ParleyError(backgroundLimitTexts.tooManyOfGateway(all), {
			code: "resource_exhausted",
		});
	}

	/** Records a command and starts it. Throws in the same cases as `check`. */
	async start(call: StartingCall, command: string, start: StartedCommand): Promise<BackgroundCommand> {
		const { session, runId, callId } = call;
		this.check(session.id);
		const { promise: settled, resolve } = Promise.withResolvers<void>();
		const starting = { sessionId: session.id, settled };
		this.#starting.add(starting);
		try {
			const text = session.redactor.redact(command);
			const at = this.#ports.clock.now();
			const n = await session.commit(async (tx, record) => {
				const named = { runId, callId, command: text };
				const inserted = await insertCommand(tx, { ...named, sessionId: session.id, at });
				await record({ type: "command.started", ...named, n: inserted });
				return inserted;
			});
			return this.#begin(call, { n, command: text, startedAt: at }, start);
		} finally {
			this.#starting.delete(starting);
			resolve();
		}
	}

	#begin({ session, runId, callId }: StartingCall, command: BackgroundCommand, start: StartedCommand) {
		const live: LiveCommand = {
			sessionId: session.id,
			call: { runId, callId },
			command,
			output: new UnreadOutput(backgroundLimits.unreadBytes, session.redactor.stream()),
			stop: new AbortController(),
			cause: undefined,
			stopping: {},
			isRecorded: false,
			ended: Promise.resolve(),
			waiting: new Set(),
		};
		this.#commands.set(keyOf(session.id, command.n), live);
		this.#ports.log.info(backgroundLimitTexts.started, { sessionId: session.id, n: command.n });
		const options = {
			signal: live.stop.signal,
			timeoutMs: backgroundLimits.timeoutMs,
			onOutput(chunk: Uint8Array) {
				live.output.write(chunk);
				// The redactor may still withhold the text.
				if (!live.output.isEmpty) wake(live);
			},
		};
		live.ended = start(options).then(
			(outcome) => this.#end(live, endingOf(outcome, live.cause)),
			(error: unknown) => {
				live.output.write(Buffer.from(`${ParleyError.from(error).message}\n`));
				return this.#end(live, { reason: live.cause ?? "failed", code: null });
			},
		);
		if (this.#stopped) this.#abort(live, "gateway");
		return command;
	}

	/** Records the end of a command and wakes its waiters. Never rejects. */
	async #end(live: LiveCommand, ending: CommandEnding): Promise<void> {
		const endedAt = this.#ports.clock.now();
		live.output.end();
		await this.#tryRecord(live, ending, endedAt);
		live.command = { ...live.command, endedAt, ending };
		wake(live);
		this.#deleteOldest(live);
	}

	/** Records ends that could not be recorded earlier, for example because the disk was full. Never rejects. */
	async recordEnds(): Promise<void> {
		for (const live of this.#commands.values()) {
			const { ending, endedAt } = live.command;
			if (ending !== undefined && !live.isRecorded) await this.#tryRecord(live, ending, endedAt);
		}
	}

	/**
	 * Records the end of a command, or logs the error. If the session was deleted, the end is treated as
	 * recorded.
	 */
	async #tryRecord(live: LiveCommand, ending: CommandEnding, at: number | undefined): Promise<void> {
		const { sessionId, command } = live;
		try {
			await this.#record(live, ending, at);
			live.isRecorded = true;
		} catch (error) {
			live.isRecorded = ParleyError.from(error).code === "not_found";
			const level = live.isRecorded ? "debug" : "error";
			this.#ports.log[level](backgroundLimitTexts.endNotRecorded, {
				sessionId,
				n: command.n,
				error,
			});
		}
	}

	async #record(
		{ sessionId, call, command, stopping }: EndingCommand,
		ending: CommandEnding,
		at = this.#ports.clock.now(),
	): Promise<void> {
		const { log, leaseOwn } = this.#ports;
		using lease = await leaseOwn(sessionId);
		const { n, command: text } = command;
		await lease.session.commit(async (tx, record) => {
			if (!(await endCommand(tx, { sessionId, n }, ending, at))) return;
			const by = defined({ by: ending.reason === "stopped" ? stopping.by : undefined });
			await record({ type: "command.ended", ...call, n, command: text, ending, ...by });
			await stopping.audit?.(tx);
		});
		log.info(backgroundLimitTexts.ended, {
			sessionId,
			n,
			reason: ending.reason,
			...defined({ code: ending.code ?? undefined }),
		});
	}

	/**
	 * Returns the output since the last read. If no output is unread, first waits up to `waitMs` for output or the end of
	 * the command. The text is undefined if the output is no longer in memory. Throws `not_found` for an unknown command,
	 * and rejects if the signal aborts during the wait.
	 */
	async output(
		sessionId: string,
		n: number,
		{ waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
	): Promise<NewOutput> {
		await this.recordEnds();
		const live = this.#commands.get(keyOf(sessionId, n));
		if (!live) return { command: await this.#find(sessionId, n), text: undefined };
		if (live.output.isEmpty && live.command.ending === undefined && waitMs > 0) {
			await this.#waitForChange(live, Math.min(waitMs, backgroundLimits.waitMs), signal);
			signal.throwIfAborted();
		}
		return { command: live.command, text: live.output.take() };
	}

	async #waitForChange(live: LiveCommand, ms: number, signal: AbortSignal): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const wake = new AbortController();
		live.waiting.add(resolve);
		// `delay` rejects only if one of its signals aborts.
		const timer = delay(this.#ports.clock, ms, AbortSignal.any([signal, wake.signal]));
		await Promise.race([promise, timer.catch(() => undefined)]);
		live.waiting.delete(resolve);
		wake.abort();
	}

	/** Stops a command and resolves when the command has ended. Throws `not_found` for an unknown command. */
	async stop(sessionId: string, n: number, stopping: Stopping = {}): Promise<BackgroundCommand> {
		await this.recordEnds();
		const live = this.#commands.get(keyOf(sessionId, n));
		if (!live) return this.#find(sessionId, n);
		if (live.command.ending === undefined && live.cause === undefined) live.stopping = stopping;
		this.#abort(live, "stopped");
		await live.ended;
		return live.command;
	}

	/** Stops all commands of a deleted session, and removes them from memory. */
	async forget(sessionId: string): Promise<void> {
		const own = [...this.#commands].filter(([, live]) => live.sessionId === sessionId);
		for (const [, live] of own) this.#abort(live, "stopped");
		await Promise.all(own.map(([, { ended }]) => ended));
		for (const [key] of own) this.#commands.delete(key);
	}

	/**
	 * Ends all commands, and prevents the start of further commands. Resolves after an attempt to record each end.
	 */
	async close(): Promise<void> {
		this.#stopped = true;
		for (const live of this.#commands.values()) this.#abort(live, "gateway");
		// A command that is still starting ends immediately after its start.
		await Promise.all([...this.#starting].map(({ settled }) => settled));
		await Promise.all([...this.#commands.values()].map(({ ended }) => ended));
		await this.recordEnds();
	}

	async #find(sessionId: string, n: number): Promise<BackgroundCommand> {
		const row = await this.#ports.journal.store.read((db) => findCommand(db, sessionId, n));
		if (row) return commandOf(row);
		throw new ParleyError(unknownCommand(n), { code: "not_found" });
	}

	#abort(live: LiveCommand, cause: "stopped" | "gateway"): void {
		if (live.command.ending !== undefined) return;
		live.cause ??= cause;
		live.stop.abort();
	}

	/** Removes ended commands above the limit from memory. Commands without unread output are removed first. */
	#deleteOldest(last: LiveCommand): void {
		const key = keyOf(last.sessionId, last.command.n);
		// Ended commands are in the map in the order of their ends, so the newest ended command moves to the end of the map.
		if (this.#commands.delete(key)) this.#commands.set(key, last);
		const ended = [...this.#commands].filter(([, { isRecorded }]) => isRecorded);
		const read = ended.filter(([, { output }]) => output.isEmpty);
		const unread = ended.filter(([, { output }]) => !output.isEmpty);
		const excess = Math.max(0, ended.length - backgroundLimits.ended);
		for (const [old] of [...read, ...unread].slice(0, excess)) this.#commands.delete(old);
	}
}

function wake({ waiting }: LiveCommand): void {
	for (const resolve of waiting) resolve();
}

function keyOf(sessionId: string, n: number): string {
	return `${sessionId} ${n}`;
}

function endingOf({ code, timedOut }: EndedCommand, cause: LiveCommand["cause"]): CommandEnding {
	if (cause !== undefined) return { reason: cause, code };
	return { reason: timedOut ? "timed_out" : "exited", code };
}
