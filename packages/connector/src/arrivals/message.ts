import { ParleyError } from "@parley/base";
import { readTextCommand, saysStop } from "../addressing/text-command.ts";
import { commandTable } from "../commands/command-table.ts";
import { answerByReply } from "../controls/presses-of-questions.ts";
import { replyToTask } from "../controls/reply-to-task.ts";
import type { ArrivalOf } from "../platform/arrival.ts";
import type { Said } from "../rooms/desk.ts";
import { roomAnswer } from "./answer-rows.ts";
import type { ArrivalParts, Outcome, Turn } from "./arrival-parts.ts";
import { findPost, type OwnPost, taskOfThread } from "./find-post.ts";
import { hourly } from "./hourly.ts";

type Message = ArrivalOf<"message" | "edited">;

const greeting =
	"Hello! Write to me what is to be done, in the same message as my name. `!help` shows what else I understand.";

/** What a message comes to that is for us. Rejects with the gateway's refusal. */
export async function hear(parts: ArrivalParts, arrival: Message, turn: Turn): Promise<Outcome> {
	const { reply } = arrival.address;
	const post = reply && (await findPost(parts, reply.message));
	const task = (await taskOfThread(parts, arrival.room)) ?? post?.task;
	if (saysStop(arrival.text)) return stopHere(parts, arrival, { turn, task });
	return (
		(await obey(parts, arrival, turn)) ??
		greet(arrival) ??
		(await answer(parts, arrival, { turn, post })) ??
		(task === undefined ? speak(parts, arrival, turn) : tellTask(parts, arrival, { turn, task }))
	);
}

async function stopHere(
	{ desk }: ArrivalParts,
	{ person, room, at }: Message,
	{ turn: { key }, task }: { readonly turn: Turn; readonly task: string | undefined },
): Promise<Outcome> {
	if (task !== undefined) {
		const cancelled = { task_id: task, key, ...desk.onBehalf(person, room) };
		const { status } = await desk.gateway.request("cancel_task", cancelled);
		return status === "cancelled" ? { effect: "stopped" } : nothingToStop;
	}
	return (await desk.stop(person, room, { key, at })) ? { effect: "stopped" } : nothingToStop;
}

const nothingToStop: Outcome = {
	effect: "nothing-to-stop",
	reply: { text: "Nothing is at work here." },
};

async function obey({ desk }: ArrivalParts, arrival: Message, { key }: Turn): Promise<Outcome | undefined> {
	const ordered = readTextCommand(arrival.text, commandTable);
	if (ordered === undefined) return undefined;
	if ("problem" in ordered) return { effect: "refused", reply: { text: ordered.problem } };
	const { command, options } = ordered;
	const { room, person, at, attachments, message } = arrival;
	const { reply } = arrival.address;
	const wanted = {
		...({ type: "command", command: command.name, options, room, person, at, attachments } as const),
		...(reply && { target: { message: reply.message, text: "" } }),
	};
	return { effect: "command", reply: await command.run(desk, { arrival: wanted, key, message }) };
}

function greet({ text, attachments }: Message): Outcome | undefined {
	if (text.trim() !== "" || attachments.length > 0) return undefined;
	return { effect: "greeted", reply: { text: greeting } };
}

async function answer(
	parts: ArrivalParts,
	{ room, person, text }: Message,
	{ turn: { key }, post }: { readonly turn: Turn; readonly post: OwnPost | undefined },
): Promise<Outcome | undefined> {
	if (post?.question === undefined) return undefined;
	const { session, token } = post.question;
	await parts.feed.follow(session);
	const reply = await answerByReply(parts.desk, { text, person, room, key, token, session });
	return { effect: reply ? "refused" : "answered", session, ...(reply && { reply }) };
}

async function tellTask(
	{ desk }: ArrivalParts,
	{ person, room, text }: Message,
	{ turn: { key }, task }: { readonly turn: Turn; readonly task: string },
): Promise<Outcome> {
	const reply = await replyToTask(desk, { taskId: task, text, person, room, key });
	return { effect: reply ? "refused" : "replied", ...(reply && { reply }) };
}

async function speak(parts: ArrivalParts, arrival: Message, turn: Turn): Promise<Outcome> {
	const { seldomHeard, platform, desk, rooms } = parts;
	const { room, person, text, message, attachments, at } = arrival;
	const conversation = platform.conversation(room);
	const isWanted = async (): Promise<boolean> => {
		// Where each has a conversation of their own, nobody stops that of another one.
		const isOwn = room.kind !== "direct" && (await rooms.facts(person, room)).sessions === "person";
		const stop = { conversation, since: at, ...(isOwn && { by: person.id }) };
		return !(await seldomHeard.wasStopped(stop));
	};
	const words = { text, message, attachments, key: `${turn.key}/say`, isWanted };
	const said = await desk.say(person, room, words).catch(async (reason: unknown) => {
		if (ParleyError.from(reason).code === "resource_exhausted") await tellFull(parts, arrival);
		throw reason;
	});
	return {
		...outcomeOf(said),
		...(!said.sent && { effect: said.failures.length > 0 ? "refused" : "withdrawn" }),
	};
}

/** The gateway takes no more at the moment: who waits without a place in its line knows that. */
async function tellFull(parts: ArrivalParts, arrival: Message): Promise<void> {
	const { outbox, platform, clock } = parts;
	const { room, message, at, seenBefore: replayed = false } = arrival;
	const conversation = platform.conversation(room);
	const now = replayed ? at : clock.now();
	const cursor = await hourly(parts, `full:${conversation}`, now);
	if (cursor === undefined) return;
	const text =
		"The line here is full. I keep this, and all that is written after it, and take it up as soon as there is room.";
	const rows = roomAnswer({ text }, { room, message, now }, platform);
	const moved = rows.map((row) => ({ ...row, seq: cursor.seq }));
	await outbox.plan({ conversation, cursor, rows: moved, replayed });
}

/** The text of a message, and the files that did not reach the gateway. */
export function outcomeOf({ session, run, failures }: Said): Outcome {
	const list = failures.map((failure) => `- ${failure}`).join("\n");
	return {
		effect: "sent",
		session,
		...(run !== undefined && { run }),
		...(list !== "" && { reply: { text: `I could not take everything along:\n\n${list}` } }),
	};
}
