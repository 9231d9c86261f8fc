import { type Clock, defined, delay, type Logger, ParleyError } from "@parley/base";
import * as z from "zod";
import type { DiscordRequest, DiscordResponse, DiscordRest } from "../vocabulary/discord-port.ts";
import { limits } from "../vocabulary/limits.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import type { Cursor } from "./high-water.ts";

export interface MissedMessagesParts {
	readonly port: DiscordRest;
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
}

/**
 * Maximum age in milliseconds, and maximum number, of missed messages to read. Older messages need no answer, and
 * more messages would flood the channel.
 */
const oldestMs = 24 * 3_600_000;
const maxMessages = 200;

const tries = 5;
const maxWaitMs = 60_000;

const Messages = z.array(
	z.looseObject({
		id: z.string().regex(/^\d{1,20}$/),
		author: z.looseObject({ id: z.string(), bot: z.boolean().optional() }),
	}),
);
type Message = z.output<typeof Messages>[number];
const Limited = z.object({ retry_after: z.number() });

/** Reads missed messages, and converts them to events. */
export class MissedMessages {
	readonly #parts: MissedMessagesParts;
	/** Members by the path of their request. Discord adds members to events, but not to read messages. */
	readonly #members = new Map<string, Promise<unknown>>();

	constructor(parts: MissedMessagesParts) {
		this.#parts = parts;
	}

	/**
	 * Passes messages of the last day to `receive`, oldest first, if they are newer than the cursor. If there are
	 * too many, passes only the newest. Resolves with `gone` if the channel can no longer be read. Rejects if
	 * Discord does not return the messages, if `receive` rejects, or if the signal aborts.
	 */
	async read(
		channel: string,
		cursor: Cursor,
		receive: (data: unknown) => Promise<void>,
	): Promise<"read" | "gone"> {
		const { clock, log } = this.#parts;
		const earliest = BigInt(snowflakeAt(clock.now() - oldestMs));
		const from = BigInt(cursor.unread ?? cursor.message);
		const after = from > earliest ? from : earliest;
		const missed: Message[] = [];
		for (let isDone = false; !isDone; ) {
			if (missed.length >= maxMessages) {
				log.warn("a channel has more missed messages than are read", { channel, read: missed.length });
				break;
			}
			const page = await this.#page(channel, missed[0]?.id);
			if (page === undefined) return "gone";
			const later = page.filter(({ id }) => BigInt(id) > after);
			missed.unshift(...later);
			if (page.some(({ id }) => BigInt(id) > from && BigInt(id) <= after)) {
				log.warn("missed messages of a channel that are older than a day are not read", { channel });
			}
			isDone = later.length < limits.messagesPerPage;
		}
		for (const message of missed) await receive(await this.#asEvent(message, cursor.guild));
		return "read";
	}

	/**
	 * Returns a page with the newest messages of a channel, or with the newest messages before `before`. The oldest
	 * message is first. Returns undefined if the bot cannot read the channel.
	 */
	async #page(channel: string, before: string | undefined): Promise<Message[] | undefined> {
		const { status, body } = await this.#ask({
			method: "GET",
			path: `/channels/${channel}/messages`,
			query: defined({ limit: String(limits.messagesPerPage), before }),
		});
		if (status === 403 || status === 404) return undefined;
		if (status !== 200) {
			const message = `cannot read the messages of channel ${channel}: Discord answered ${status}`;
			throw new ParleyError(message, { code: "unavailable" });
		}
		return Messages.parse(body).toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
	}

	async #asEvent(message: Message, guild: string | undefined): Promise<unknown> {
		if (guild === undefined) return message;
		const member = message.author.bot === true ? undefined : await this.#member(guild, message.author.id);
		return { ...message, ...defined({ guild_id: guild, member }) };
	}

	#member(guild: string, user: string): Promise<unknown> {
		const path = `/guilds/${guild}/members/${user}`;
		const known = this.#members.get(path);
		if (known !== undefined) return known;
		const member = this.#ask({ method: "GET", path }).then(({ status, body }) =>
			status === 200 ? body : undefined,
		);
		this.#members.set(path, member);
		return member;
	}

	async #ask(request: DiscordRequest): Promise<DiscordResponse> {
		const { port, clock, signal } = this.#parts;
		for (let tried = 1; ; tried++) {
			signal.throwIfAborted();
			const response = await port.request(request).catch(ParleyError.from);
			const isAnswer = !(response instanceof ParleyError);
			if (isAnswer && response.status !== 429 && response.status < 500) return response;
			if (tried === tries) {
				if (isAnswer) return response;
				throw response;
			}
			const limited = isAnswer ? Limited.safeParse(response.body).data : undefined;
			const waitMs = limited ? limited.retry_after * 1000 : 1000 * 2 ** (tried - 1);
			await delay(clock, Math.min(waitMs, maxWaitMs), signal);
		}
	}
}
