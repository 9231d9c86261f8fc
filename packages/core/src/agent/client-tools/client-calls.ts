import { type Clock, definedItems } from "@parley/base";
import { interrupted } from "../../vocabulary/step.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";
import { clientCallTexts } from "./texts.ts";

/** A call that a client runs. The client's answer names the call by `callId`. */
export interface ClientCall {
	readonly callId: string;
	/** Registered name of the tool. */
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
	/** Milliseconds after which an unanswered call fails. Later answers are ignored. */
	readonly timeoutMs: number;
}

/** Answer of a client. Only `success` decides whether the call failed. The model receives the other fields. */
export interface ClientResult {
	readonly success: boolean;
	readonly text: string;
	readonly exitCode?: number;
	/** Whether the client cut `text`. */
	readonly truncated?: boolean;
	/** Duration by the client's clock. */
	readonly durationMs?: number;
}

const maxResultCharacters = 256 * 1024;

/** Tracks the open calls of one client. Each call ends exactly once. */
export class ClientCalls {
	readonly #clock: Clock;
	readonly #open = new Map<string, (result: ToolResult) => void>();
	#isClosed = false;
	#ignored = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get ignored(): number {
		return this.#ignored;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	/**
	 * Sends the call with `ask` and resolves with the call's result: the answer, or a failure if the time limit passes or
	 * the client leaves. Rejects if the signal aborts or `ask` throws.
	 */
	async run(call: ClientCall, ask: (call: ClientCall) => void, signal: AbortSignal): Promise<ToolResult> {
		if (this.#isClosed) return { text: clientCallTexts.disconnected(call.name), failed: true };
		signal.throwIfAborted();
		const { promise, resolve, reject } = Promise.withResolvers<ToolResult>();
		const timer = this.#clock.after(call.timeoutMs, () => resolve(timedOut(call)));
		const abort = (): void => reject(signal.reason);
		signal.addEventListener("abort", abort, { once: true });
		this.#open.set(call.callId, resolve);
		try {
			ask(call);
			return await promise;
		} finally {
			timer.cancel();
			signal.removeEventListener("abort", abort);
			this.#open.delete(call.callId);
		}
	}

	/** Ends an open call. Returns false, and counts the answer as ignored, if no call with the id `callId` is open. */
	answer(callId: string, result: ClientResult): boolean {
		const settle = this.#open.get(callId);
		this.#open.delete(callId);
		if (settle) settle(resultOf(result));
		else this.#ignored += 1;
		return settle !== undefined;
	}

	/** Fails all open calls. Called when the client leaves. */
	close(): void {
		this.#isClosed = true;
		for (const settle of this.#open.values()) settle(left);
		this.#open.clear();
	}
}

const left: ToolResult = { text: clientCallTexts.left(interrupted), failed: true };

function timedOut({ name, timeoutMs }: ClientCall): ToolResult {
	return { text: clientCallTexts.timedOut(name, timeoutMs), failed: true };
}

function resultOf({ success, text, ...facts }: ClientResult): ToolResult {
	const cutText = bounded(text);
	const notes = notesOf(facts);
	if (notes.length === 0) return { text: cutText, failed: !success };
	const separator = cutText === "" || cutText.endsWith("\n") ? "" : "\n";
	return { text: `${cutText}${separator}[${notes.join(", ")}]`, failed: !success };
}

function bounded(text: string): string {
	if (text.length <= maxResultCharacters) return text.toWellFormed();
	const half = maxResultCharacters / 2;
	const marker = clientCallTexts.leftOut(text.length - maxResultCharacters, maxResultCharacters);
	return `${text.slice(0, half)}\n${marker}\n${text.slice(-half)}`.toWellFormed();
}

function notesOf({ exitCode, truncated, durationMs }: Omit<ClientResult, "success" | "text">): string[] {
	const measured = durationMs !== undefined && Number.isFinite(durationMs) && durationMs >= 0;
	return definedItems([
		exitCode === undefined ? undefined : clientCallTexts.exitCode(exitCode),
		truncated ? clientCallTexts.cut : undefined,
		measured ? clientCallTexts.took(Math.round(durationMs)) : undefined,
	]);
}
