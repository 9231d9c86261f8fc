import type { Logger } from "@parley/base";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordRequest } from "../vocabulary/discord-port.ts";
import { errorCodes } from "../vocabulary/limits.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { Refused } from "./refused.ts";

/**
 * Error codes for a request in a thread, if the thread must be reopened first:
 * topics/threads#active-archived-threads
 */
const ofClosed: ReadonlySet<number | undefined> = new Set([
	errorCodes.archivedThread,
	errorCodes.lockedThread,
]);

const Thread = z.object({ thread_metadata: z.object({ locked: z.boolean() }) });

export interface ThreadRequest {
	readonly request: DiscordRequest;
	readonly route: "create" | "edit" | "delete";
	readonly channel: string;
	/** Whether the post is complete. If not, further edits follow. */
	readonly isLast: boolean;
}

/**
 * Sends requests in threads that may be archived. In an archived thread, Discord refuses edits. In a locked thread,
 * it also refuses posts. The bot may reopen an archived thread, and with Manage Threads also a locked one. A
 * reopened locked thread is archived again after the last request, when no other request in the thread is running.
 */
export class ClosedThreads {
	readonly #caller: Caller;
	readonly #log: Logger;
	/** Locked threads that this process has reopened and not archived again. */
	readonly #opened = new Set<string>();
	/** Number of running requests, by channel. */
	readonly #running = new Map<string, number>();

	constructor(caller: Caller, log: Logger) {
		this.#caller = caller;
		this.#log = log;
	}

	/**
	 * Sends a request. If Discord refuses it because the thread is archived or locked, reopens the thread and sends the
	 * request again. Rejects with `closed` if the bot may not reopen the thread.
	 */
	async ask({ request, route, channel, isLast }: ThreadRequest): Promise<ApiResponse> {
		this.#count(channel, 1);
		const response = await this.#sendReopening(request, route, channel).finally(() =>
			this.#count(channel, -1),
		);
		const isIdle = isLast && !this.#running.has(channel);
		if (isIdle && this.#opened.delete(channel)) await this.#archive(channel);
		return response;
	}

	#count(channel: string, change: 1 | -1): void {
		const count = (this.#running.get(channel) ?? 0) + change;
		if (count > 0) this.#running.set(channel, count);
		else this.#running.delete(channel);
	}

	async #sendReopening(
		request: DiscordRequest,
		route: ThreadRequest["route"],
		channel: string,
	): Promise<ApiResponse> {
		try {
			return await this.#caller.ask(request, route, channel);
		} catch (error) {
			if (!(error instanceof Refused) || !ofClosed.has(error.fault)) throw error;
			await this.#open(channel, error);
		}
		return this.#caller.ask(request, route, channel);
	}

	async #open(channel: string, cause: Refused): Promise<void> {
		try {
			const { body } = await this.#caller.ask(
				{ method: "PATCH", path: `/channels/${channel}`, body: { archived: false } },
				"thread",
				channel,
			);
			if (Thread.safeParse(body).data?.thread_metadata.locked) this.#opened.add(channel);
		} catch (error) {
			if (!(error instanceof Refused) || error.kind !== "rejected") throw error;
			const { status, fault } = cause;
			throw new Refused(deliveryTexts.closedThread({ reason: cause.message }), {
				kind: "closed",
				status,
				fault,
				cause: error,
			});
		}
	}

	async #archive(channel: string): Promise<void> {
		try {
			const request = { method: "PATCH", path: `/channels/${channel}`, body: { archived: true } } as const;
			await this.#caller.ask(request, "thread", channel);
		} catch (error) {
			this.#log.warn("a locked thread that was opened for a post is not archived again", { channel, error });
		}
	}
}
