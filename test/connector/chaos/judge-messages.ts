import type { Said } from "./messages.ts";
import type { Street } from "./street.ts";

/** A message of somebody as it has reached the gateway. */
interface Heard {
	readonly content: string;
	readonly run: string;
	/** It was taken back before it was answered. */
	readonly isCancelled: boolean;
}

/** Discord tells a session that begins what was said before, but not what was edited or deleted. */
const takenMs = 60_000;

/** What was said, edited, deleted and attached, beside what the gateway has heard of it, in words. */
export function judgeMessages(street: Street): string[] {
	const { people, gateway } = street;
	const { said } = people.messages;
	const retries = gateway.asked.filter(({ method }) => method === "retry").length;
	return [
		...said.flatMap((one) => judgeSaid(street, one)),
		...said.flatMap((one) => judgeFile(street, one)),
		...(retries > people.retries ? [`asked ${people.retries} times for a retry, which was ${retries}`] : []),
	];
}

function judgeSaid(street: Street, said: Said): string[] {
	const { id, versions, isDeleted, mayBeLost } = said;
	const heard = heardOf(street, id);
	const faults = versions.flatMap((text) => {
		const count = heard.filter(({ content }) => content.includes(text)).length;
		return count > 1 ? [`the gateway heard ${text} ${count} times`] : [];
	});
	const kept = heard.filter(({ isCancelled }) => !isCancelled);
	if (kept.length > 1) faults.push(`${versions.join(" → ")} was answered ${kept.length} times`);
	if (mayBeLost || isDeleted) return faults;
	const first = versions[0] ?? "";
	if (heard.length === 0) return [...faults, `the gateway never heard ${first}`];
	const last = versions.at(-1) ?? "";
	const counts = heard.some(({ content }) => content.includes(last)) || isRefused(said);
	return counts || isUntold(street, said) ? faults : [...faults, `nobody heard that ${first} is ${last} now`];
}

/** Whether it says below the message that the edit came too late. */
function isRefused({ room, id }: Said): boolean {
	return room
		.shows()
		.some(({ repliesTo, text }) => repliesTo?.id === id && text.includes("before you edited"));
}

/** Each version that was heard brought the file along, once. */
function judgeFile(street: Street, { id, file, versions, room }: Said): string[] {
	if (file === undefined) return [];
	const brought = street.gateway.asked.filter(({ method, params }) => {
		const { attachments = [] } = Object(params);
		return method === "send_message" && attachments.includes(`file_${file}`);
	});
	const heard = heardOf(street, id);
	const refusals = room.shows().filter(({ repliesTo, text }) => repliesTo?.id === id && text.includes(file));
	return brought.length + refusals.length === heard.length
		? []
		: [`${file} came ${brought.length} times with ${heard.length} of ${versions.join(" → ")}`];
}

/** What was deleted and waits all the same, when all is calm. */
export function judgeDeleted(street: Street): string[] {
	const waiting = new Set(street.gateway.sessions.flatMap(({ runs }) => runs.map(({ id }) => id)));
	return street.people.messages.said.flatMap((said) => {
		if (!said.isDeleted || isUntold(street, said)) return [];
		const left = heardOf(street, said.id).filter(({ run }) => waiting.has(run));
		return left.map(({ content }) => `${content} was deleted and still waits`);
	});
}

/** Whether Discord's session ended before what was changed last was surely taken, or the connector forgot what it was. */
function isUntold({ world }: Street, { changedAt, mayBeLost }: Said): boolean {
	const { identifies } = world.state;
	return mayBeLost || identifies.some((at) => at >= changedAt && at <= changedAt + takenMs);
}

function heardOf({ gateway }: Street, message: string): Heard[] {
	return gateway.sessions.flatMap(({ frames }) => {
		const payloads = frames.map(({ event, payload }) => ({ event, ...Object(payload) }));
		const ended = payloads.filter(
			({ event, error }) => event === "assistant.message" && error === "cancelled",
		);
		const cancelled = new Set(ended.map(({ run_id }) => run_id));
		return payloads
			.filter((one) => one.event === "user.message" && one.correlation_id === message)
			.filter(({ retry_of }) => retry_of === undefined)
			.map(({ content, run_id: run }) => ({ content, run, isCancelled: cancelled.has(run) }));
	});
}
