import type { DiscordChaosRun } from "./discord-chaos-run.ts";
import { arrivalsOf, judgeFile, judgeRetries, judgeTwice, judgeWaiting } from "./judge-arrivals.ts";

type SentMessage = DiscordChaosRun["people"]["messages"]["sentMessages"][number];

/**
 * Length of the window before a new Discord session, in milliseconds. An edit or deletion in this window may be lost,
 * because the connector reads only missed messages.
 */
const receiptMs = 60_000;

export function judgeMessages(run: DiscordChaosRun): string[] {
	const { people, gateway } = run;
	const { sentMessages } = people.messages;
	return [
		...sentMessages.flatMap((one) => judgeSentMessage(run, one)),
		...sentMessages.flatMap((one) => judgeFile(gateway, one, (file) => refusalsOf(one, file))),
		...judgeRetries(gateway, people.retries),
	];
}

function judgeSentMessage(run: DiscordChaosRun, sentMessage: SentMessage): string[] {
	const { id, versions, isDeleted, mayBeLost } = sentMessage;
	const arrivals = arrivalsOf(run.gateway, id);
	const faults = judgeTwice(sentMessage, arrivals);
	// An edit cannot withdraw a version that has joined a run.
	const remaining = arrivals.filter(({ isCancelled, hasJoined }) => !isCancelled && !hasJoined);
	if (remaining.length > 1) faults.push(`${versions.join(" → ")} was answered ${remaining.length} times`);
	if (mayBeLost || isDeleted) return faults;
	const first = versions[0] ?? "";
	if (arrivals.length === 0) return [...faults, `the gateway never received ${first}`];
	const last = versions.at(-1) ?? "";
	const counts = arrivals.some(({ content }) => content.includes(last)) || isRefused(sentMessage);
	return counts || isUnseen(run, sentMessage)
		? faults
		: [...faults, `the gateway did not learn that ${first} is ${last} now`];
}

function isRefused({ room, id }: SentMessage): boolean {
	return room
		.shows()
		.some(({ repliesTo, text }) => repliesTo?.id === id && text.includes("before you edited"));
}

function refusalsOf({ id, room }: SentMessage, file: string): number {
	return room.shows().filter(({ repliesTo, text }) => repliesTo?.id === id && text.includes(file)).length;
}

export function judgeDeleted(run: DiscordChaosRun): string[] {
	const { gateway, people } = run;
	const deleted = people.messages.sentMessages.filter(
		(sentMessage) => sentMessage.isDeleted && !isUnseen(run, sentMessage),
	);
	return judgeWaiting(gateway, deleted);
}

function isUnseen({ simulator }: DiscordChaosRun, { changedAt, mayBeLost }: SentMessage): boolean {
	const { identifies } = simulator.state;
	return mayBeLost || identifies.some((at) => at >= changedAt && at <= changedAt + receiptMs);
}
