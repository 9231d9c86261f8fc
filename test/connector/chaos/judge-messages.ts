import type { DiscordStreet } from "./discord-street.ts";
import { arrivalsOf, judgeFile, judgeRetries, judgeTwice, judgeWaiting } from "./judge-arrivals.ts";

type Said = DiscordStreet["people"]["messages"]["said"][number];

/** A new Discord session replays earlier messages, but not their edits and deletions. */
const receiptMs = 60_000;

/** Faults in messages, edits, deletions and attachments, compared with the arrivals at the gateway. */
export function judgeMessages(street: DiscordStreet): string[] {
	const { people, gateway } = street;
	const { said } = people.messages;
	return [
		...said.flatMap((one) => judgeSaid(street, one)),
		...said.flatMap((one) => judgeFile(gateway, one, (file) => refusalsOf(one, file))),
		...judgeRetries(gateway, people.retries),
	];
}

function judgeSaid(street: DiscordStreet, said: Said): string[] {
	const { id, versions, isDeleted, mayBeLost } = said;
	const arrivals = arrivalsOf(street.gateway, id);
	const faults = judgeTwice(said, arrivals);
	// A version that has joined a run cannot be withdrawn by an edit.
	const kept = arrivals.filter(({ isCancelled, hasJoined }) => !isCancelled && !hasJoined);
	if (kept.length > 1) faults.push(`${versions.join(" → ")} was answered ${kept.length} times`);
	if (mayBeLost || isDeleted) return faults;
	const first = versions[0] ?? "";
	if (arrivals.length === 0) return [...faults, `the gateway never received ${first}`];
	const last = versions.at(-1) ?? "";
	const counts = arrivals.some(({ content }) => content.includes(last)) || isRefused(said);
	return counts || isUnseen(street, said)
		? faults
		: [...faults, `the gateway did not learn that ${first} is ${last} now`];
}

/** True if a post below the message says that the edit came too late. */
function isRefused({ room, id }: Said): boolean {
	return room
		.shows()
		.some(({ repliesTo, text }) => repliesTo?.id === id && text.includes("before you edited"));
}

/** Number of posts below the message which say that its file could not be read. */
function refusalsOf({ id, room }: Said, file: string): number {
	return room.shows().filter(({ repliesTo, text }) => repliesTo?.id === id && text.includes(file)).length;
}

/** Deleted messages that still wait at the end. */
export function judgeDeleted(street: DiscordStreet): string[] {
	const { gateway, people } = street;
	const deleted = people.messages.said.filter((said) => said.isDeleted && !isUnseen(street, said));
	return judgeWaiting(gateway, deleted);
}

/**
 * True if the Discord session ended before the last change was certainly received, or if the connector lost its database.
 */
function isUnseen({ world }: DiscordStreet, { changedAt, mayBeLost }: Said): boolean {
	const { identifies } = world.state;
	return mayBeLost || identifies.some((at) => at >= changedAt && at <= changedAt + receiptMs);
}
