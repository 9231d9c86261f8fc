import { hash } from "node:crypto";
import { ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import { isForUs, needsFacts, type Reason, usualFacts, type Verdict } from "../addressing/is-for-us.ts";
import { saysStop } from "../addressing/text-command.ts";
import { commandTable } from "../commands/command-table.ts";
import { isOfOtherRooms } from "../controls/control-kind.ts";
import { pressTable } from "../controls/press-table.ts";
import { type InboundHandler, isPassing } from "../inbound/inbox.ts";
import { Arrival, type ArrivalOf } from "../platform/arrival.ts";
import type { Reply } from "../rooms/desk.ts";
import { endTrust, suspendTrust } from "../rooms/suspend-trust.ts";
import { arrivalCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { noAnswer, privateAnswer, roomAnswer } from "./answer-rows.ts";
import type { ArrivalParts, Outcome, Turn } from "./arrival-parts.ts";
import { askedBy, cancelAsked, hearEdit } from "./edited.ts";
import { isNoted } from "./heard.ts";
import { hourly } from "./hourly.ts";
import { hear } from "./message.ts";
import { tellPutAside } from "./put-aside.ts";
import { react } from "./reaction.ts";
import { refusalOf } from "./refusal.ts";

const oldButton: Reply = {
	text: "This button is from before something was set up anew here, and does nothing any more. Ask again, please.",
};

/** What is done with all that happens on the platform. Handled twice, an arrival changes nothing twice. */
export function arrivalHandler(parts: ArrivalParts): InboundHandler {
	return async (event, { isAgain, isLast, settle }) => {
		const { id } = event;
		const arrival = Arrival.safeParse(event.data);
		if (!arrival.success) {
			// It would not be understood better the next time.
			parts.log.error("what arrived is of no form that is known", { id, error: arrival.error });
			return;
		}
		const turn = {
			id,
			key: hash("sha256", id, "base64url").slice(0, 22),
			isAgain,
			settle,
		};
		await handle(parts, arrival.data, turn).catch(async (reason: unknown) => {
			const error = ParleyError.from(reason);
			const { code, message } = error;
			// The token of the connector does not count any more: what came waits for the operator.
			if (code === "unauthenticated") throw new ParleyError(message, { code: "unavailable", cause: reason });
			if (isLast && !isPassing(error)) await tellPutAside(parts, arrival.data, id);
			throw reason;
		});
	};
}

function handle(parts: ArrivalParts, arrival: Arrival, turn: Turn): Promise<void> {
	switch (arrival.type) {
		case "message":
		case "edited":
			return handleMessage(parts, arrival, turn);
		case "deleted":
			return handleDeleted(parts, arrival, turn);
		case "reaction":
			return handleReaction(parts, arrival, turn);
		case "stop":
			return handleStop(parts, arrival, turn);
		case "command":
		case "press":
			return handleWish(parts, arrival, turn);
		case "audience":
			return handleAudience(parts, arrival, turn);
	}
}

async function handleMessage(
	parts: ArrivalParts,
	arrival: ArrivalOf<"message" | "edited">,
	turn: Turn,
): Promise<void> {
	// Together with its answer, by a process that ended before that was known here.
	if (turn.isAgain && (await parts.store.read((db) => isNoted(db, turn.id)))) return;
	// Its edit came first, and was heard as the message that it is: this one was read afterwards. A stop has a line of its own.
	const mayBeOvertaken = arrival.type === "message" && !saysStop(arrival.text);
	const { id } = turn;
	const { message, room } = arrival;
	const conversation = parts.platform.conversation(room);
	if (mayBeOvertaken && (await parts.seldomHeard.isOvertaken({ id, conversation, message }))) return;
	const edit = arrival.type === "edited" && !arrival.person.bot;
	const edited = edit ? await refused(parts, arrival, () => hearEdit(parts, arrival, turn)) : undefined;
	const { ours, reason } = await judge(parts, arrival);
	const outcome =
		edited ??
		(ours ? await refused(parts, arrival, () => hear(parts, arrival, turn)) : undefined) ??
		({ effect: "none" } as const);
	parts.log.debug("a message was looked at", { id, message, reason, effect: outcome.effect });
	await note(parts, arrival, { turn, reason, outcome, conversation });
}

async function judge({ rooms }: ArrivalParts, arrival: ArrivalOf<"message" | "edited">): Promise<Verdict> {
	const { person, room } = arrival;
	return isForUs(arrival, needsFacts(arrival) ? await rooms.facts(person, room) : usualFacts);
}

/** What the work comes to, or in words why it was refused. */
async function refused(
	parts: ArrivalParts,
	arrival: ArrivalOf<"message" | "edited">,
	work: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
	try {
		return await work();
	} catch (reason) {
		const reply = await refusalOf(parts.desk, arrival, reason);
		const isDenied = ParleyError.from(reason).code === "permission_denied";
		return { effect: "refused", reply, ...(isDenied && { seldom: true }) };
	}
}

interface Noted {
	readonly turn: Turn;
	readonly reason: Reason;
	readonly outcome: Outcome;
	readonly conversation: string;
}

async function note(
	parts: ArrivalParts,
	arrival: ArrivalOf<"message" | "edited">,
	{ turn, reason, outcome, conversation }: Noted,
): Promise<void> {
	const { store, outbox, clock, platform, seldomHeard } = parts;
	const { room, message, person, at, seenBefore: replayed = false } = arrival;
	const { effect, reply, seldom, text, session, run } = outcome;
	const now = clock.now();
	// Where it was answered before, that was right behind the message.
	const shownAt = replayed ? at : now;
	const heard = {
		...{ id: turn.id, message, conversation, reason, effect, person, at },
		...(text !== undefined && { text }),
		...(session !== undefined && { session }),
		...(run !== undefined && { run }),
	};
	const told = seldom
		? await hourly(parts, `refused:${room.tenant}:${person.id}`, shownAt)
		: { session: `${arrivalCursor}${turn.id}`, seq: 1 };
	const write = async (tx: Kysely<ConnectorTables>): Promise<void> => {
		await seldomHeard.write(tx, heard);
		await turn.settle(tx);
	};
	if (reply === undefined || told === undefined) return store.commit(write);
	const answer = roomAnswer(reply, { room, message, now: shownAt }, platform);
	const rows = answer.map((row) => ({ ...row, seq: told.seq }));
	await outbox.plan({ conversation, cursor: told, rows, replayed }, write);
}

async function handleDeleted(
	parts: ArrivalParts,
	{ room, message }: ArrivalOf<"deleted">,
	{ key }: Turn,
): Promise<void> {
	const asked = await askedBy(parts, room, message);
	if (asked === undefined) return;
	const isEnded = await quietly(parts, () => cancelAsked(parts, room, { ...asked, key }));
	// Platforms do not say who has deleted it: whoever stops what somebody else has asked for ends the trust, too.
	if (isEnded) await endTrust(parts.desk, room, { reason: "a message was deleted while it waited", key });
}

async function handleAudience(
	{ desk }: ArrivalParts,
	arrival: ArrivalOf<"audience">,
	{ key }: Turn,
): Promise<void> {
	await suspendTrust(desk, arrival, key);
	if (!arrival.deleted) return;
	const { tenant, channel } = arrival.room;
	const name = `${desk.platform.name}:${tenant}:${channel}`;
	await desk.gateway.request("forget_memory", { channel: name, key: `${key}/notes` });
}

async function handleReaction(
	parts: ArrivalParts,
	arrival: ArrivalOf<"reaction">,
	turn: Turn,
): Promise<void> {
	const reply = await quietly(parts, () => react(parts, arrival, turn));
	if (reply === undefined) return;
	const { room, message } = arrival;
	const { clock, platform, outbox } = parts;
	const rows = roomAnswer(reply, { room, message, now: clock.now() }, platform);
	const cursor = { session: `${arrivalCursor}${turn.id}`, seq: 1 };
	const conversation = platform.conversation(room);
	await outbox.plan({ conversation, cursor, rows }, turn.settle);
}

async function handleStop(
	parts: ArrivalParts,
	{ person, room, at }: ArrivalOf<"stop">,
	{ key }: Turn,
): Promise<void> {
	await quietly(parts, () => parts.desk.stop(person, room, { key, at }));
}

/** A sign or a deletion that is refused is nothing that anybody waits for; it is noted in the log. */
async function quietly<Value>(parts: ArrivalParts, work: () => Promise<Value>): Promise<Value | undefined> {
	try {
		return await work();
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "permission_denied" && code !== "not_found") throw reason;
		parts.log.info("a sign was not followed", { reason: message });
		return undefined;
	}
}

async function handleWish(
	parts: ArrivalParts,
	arrival: ArrivalOf<"command" | "press">,
	turn: Turn,
): Promise<void> {
	const { platform, clock, outbox } = parts;
	const reply = await fulfil(parts, arrival, turn);
	const to = { ticket: arrival.ticket, now: clock.now() };
	const rows = reply === undefined ? [noAnswer(to)] : privateAnswer(reply, to, platform);
	const conversation = `ticket:${arrival.ticket.id}`;
	const cursor = { session: `${arrivalCursor}${turn.id}`, seq: 1 };
	await outbox.plan({ conversation, cursor, rows }, turn.settle);
}

async function fulfil(
	parts: ArrivalParts,
	arrival: ArrivalOf<"command" | "press">,
	{ key }: Turn,
): Promise<Reply | undefined> {
	const { desk, feed, controls, platform } = parts;
	try {
		if (arrival.type === "command") {
			const command = commandTable.find(({ name }) => name === arrival.command);
			if (command === undefined) {
				const help = platform.command("help", arrival.room);
				return { text: `I do not know this command any more: \`${help}\` shows what I know.` };
			}
			return await command.run(desk, { arrival, key });
		}
		const target = controls.read(arrival.control);
		if (target === undefined) return oldButton;
		if (!isOfOtherRooms(target.kind)) await feed.follow(target.session);
		return await pressTable[target.kind](desk, { arrival, key }, target);
	} catch (reason) {
		return await refusalOf(desk, arrival, reason);
	}
}
