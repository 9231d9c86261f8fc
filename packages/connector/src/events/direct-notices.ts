import type { Clock } from "@parley/base";
import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { NoticeTarget } from "../platform/posting.ts";
import { accessTexts } from "../texts/access.ts";
import { roomAnswer } from "./answer-rows.ts";

/** Maximum number of direct messages within `periodMs`. Discord can block an app that opens many direct messages. */
const maximum = 10;
const periodMs = 10 * 60_000;

interface Notified {
	readonly room: Room;
	readonly person: string;
	readonly message: string;
	readonly now: number;
}

/**
 * Creates posts that explain to people without access how to request access. The posts are direct messages, or
 * replies in the room.
 */
export class DirectNotices {
	readonly #parts: { readonly platform: ChatPlatform; readonly clock: Clock };
	/** Monotonic times of the direct messages within `periodMs`, oldest first. */
	#recent: number[] = [];

	constructor(parts: { readonly platform: ChatPlatform; readonly clock: Clock }) {
		this.#parts = parts;
	}

	/**
	 * Returns rows that explain how to request access. If the person refuses direct messages, or the maximum of direct
	 * messages is reached, the person gets a reply in the room.
	 */
	rows({ room, person, message, now }: Notified): PlannedRow[] {
		const { platform } = this.#parts;
		const command = platform.command("pair", {});
		const address = platform.linkTo?.(room);
		const channel = address === undefined ? accessTexts.channel : `[${accessTexts.channel}](${address})`;
		// The person may have got a direct message before a loss of the database.
		const by: Pick<NoticeTarget, "ways" | "earlierWays"> = this.#mayOpen()
			? { ways: ["direct", "reply"] }
			: { ways: ["reply"], earlierWays: ["direct"] };
		const notifies = { people: [person], ...by, channels: [] };
		const text = accessTexts.noAccessIn({ command, channel });
		// A slow direct message must not delay the posts of the room.
		const conversation = `${platform.conversation(room)}#notice:${message}`;
		return roomAnswer({ text }, { room, message, now, notifies }, platform).map((row) => ({
			...row,
			conversation,
		}));
	}

	#mayOpen(): boolean {
		const now = this.#parts.clock.monotonic();
		this.#recent = this.#recent.filter((at) => at > now - periodMs);
		if (this.#recent.length >= maximum) return false;
		this.#recent.push(now);
		return true;
	}
}
