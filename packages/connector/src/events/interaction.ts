import { commandTable } from "../commands/command-table.ts";
import { isOfOtherRooms } from "../controls/control-kind.ts";
import type { InboundEventOf } from "../platform/inbound-event.ts";
import { pressTable } from "../presses/press-table.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { refusalOf } from "../rooms/refusal.ts";
import { eventCursor } from "../store/retention.ts";
import { commandTexts } from "../texts/commands.ts";
import { messageTexts } from "../texts/messages.ts";
import { noAnswer, privateAnswer } from "./answer-rows.ts";
import type { EventParts, Turn } from "./handler.ts";

/** Runs a command and answers in private. */
export async function handleCommand(
	parts: EventParts,
	event: InboundEventOf<"command">,
	turn: Turn,
): Promise<void> {
	const { context, platform } = parts;
	await answer(parts, event, turn, async () => {
		const command = commandTable.find(({ name }) => name === event.command);
		if (command !== undefined) return command.run(context, { event: event, key: turn.key });
		const help = platform.command("help", event.room);
		return { text: commandTexts.unknown({ help }) };
	});
}

/** Handles a button, a choice or a form, and answers in private. */
export async function handlePress(
	parts: EventParts,
	event: InboundEventOf<"press">,
	turn: Turn,
): Promise<void> {
	const { context, subscriptions, controls } = parts;
	await answer(parts, event, turn, async () => {
		const target = controls.read(event.control);
		if (target === undefined) return { text: messageTexts.oldButton };
		if (!isOfOtherRooms(target.kind)) await subscriptions.follow(target.session);
		return pressTable[target.kind](context, { event: event, key: turn.key }, target);
	});
}

async function answer(
	parts: EventParts,
	event: InboundEventOf<"command" | "press">,
	{ id, settle }: Turn,
	work: () => Promise<Reply | undefined>,
): Promise<void> {
	const { context, platform, clock, outbox } = parts;
	const reply = await work().catch((reason: unknown) => refusalOf(context, event, reason));
	const to = { ticket: event.ticket, now: clock.now() };
	const rows = reply === undefined ? [noAnswer(to)] : privateAnswer(reply, to, platform);
	const conversation = `ticket:${event.ticket.id}`;
	const cursor = { session: `${eventCursor}${id}`, seq: 1 };
	await outbox.plan({ conversation, cursor, rows }, settle);
}
