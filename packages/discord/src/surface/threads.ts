import type { Logger } from "@parley/base";
import { DeliveryError, type OutboxRow, type Posting, type Receipt } from "@parley/connector";
import { cutTo, errorCodes, limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";
import { threadNameProblem } from "./check.ts";
import { channelOf, type Places } from "./places.ts";
import { Refused } from "./refused.ts";

export type ThreadPosting = Extract<Posting, { type: "thread" }>;

const [, , , weekOfMinutes] = limits.threadArchives;
/** Errors after which a card has no thread: threads and direct messages cannot have one, and permissions and limits apply. */
const withoutThread: ReadonlySet<number | undefined> = new Set([
	errorCodes.tooManyThreads,
	errorCodes.wrongChannelType,
	errorCodes.missingPermissions,
]);

/** Threads of cards. A thread that a message begins has that message's id: topics/threads. */
export class Threads {
	readonly #parts: { readonly caller: Caller; readonly places: Places; readonly log: Logger };

	constructor(parts: { readonly caller: Caller; readonly places: Places; readonly log: Logger }) {
		this.#parts = parts;
	}

	/** Opens the thread of a card. If there can be none, its posts go to the channel. */
	async open(row: OutboxRow, { card, name }: ThreadPosting): Promise<Receipt> {
		const { caller, places, log } = this.#parts;
		const message = await places.messageOf(row, card);
		const channel = channelOf(row.conversation);
		const body = { name: cutTo(name, limits.threadName), auto_archive_duration: weekOfMinutes };
		const problem = threadNameProblem(body.name);
		if (problem !== undefined) throw new DeliveryError(problem, { kind: "rejected" });
		try {
			const path = `/channels/${channel}/messages/${message}/threads`;
			const { limits: empty } = await caller.ask({ method: "POST", path, body }, "thread", channel);
			return { remote: message, limits: empty };
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			if (error.fault === errorCodes.threadExists) return { remote: message };
			if (!withoutThread.has(error.fault)) throw error;
			places.hasNoThread(message);
			log.warn("a task has no thread: its posts go to the channel", { card, reason: error.message });
			return { remote: message };
		}
	}

	async find(row: OutboxRow, { card }: ThreadPosting): Promise<Receipt | undefined> {
		const { caller, places } = this.#parts;
		const message = await places.messageOf(row, card);
		try {
			await caller.ask({ method: "GET", path: `/channels/${message}` }, "read", message);
			return { remote: message };
		} catch (error) {
			if (error instanceof Refused && error.fault === errorCodes.unknownChannel) return undefined;
			throw error;
		}
	}
}
