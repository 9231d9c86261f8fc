import { commandTable } from "../commands/command-table.ts";
import { type Form, hasFormOfTarget, isOfOtherRooms } from "../controls/control-kind.ts";
import { inlineCode } from "../conversation/questions/markdown.ts";
import { roomOfControl } from "../home/home-places.ts";
import type { InboundEventOf, Person, Room } from "../platform/inbound-event.ts";
import { editFormFor } from "../presses/edit-call.ts";
import { pressTable } from "../presses/press-table.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { requestRefusal } from "../rooms/refusal.ts";
import { eventCursor } from "../store/retention.ts";
import { commandTexts } from "../texts/commands.ts";
import { homeTexts } from "../texts/home.ts";
import { messageTexts } from "../texts/messages.ts";
import { noAnswer, privateAnswer } from "./answer-rows.ts";
import type { EventParts, Turn } from "./handler.ts";
import { startSuggested } from "./suggested.ts";

/** Runs a command and answers in private. */
export async function handleCommand(
	parts: EventParts,
	event: InboundEventOf<"command">,
	turn: Turn,
): Promise<void> {
	const { context, platform } = parts;
	await answer(parts, event, turn, async () => {
		const command = commandTable.find(({ name }) => name === event.command);
		if (command !== undefined) return command.run(context, { event, key: turn.key });
		const help = platform.command("help", event.room);
		return { text: commandTexts.unknown({ command: inlineCode(event.command), help }) };
	});
}

/** A pressed control that may open a form. */
export interface PressedControl {
	readonly control: string;
	readonly person: Person;
	readonly room: Room;
}

/**
 * Returns the form for a control, if the control's kind passes `hasFormOfTarget`. Returns undefined for other
 * controls, and if the person gets an answer instead of a form.
 */
export async function openTargetForm(
	{ context, controls, subscriptions }: EventParts,
	{ control, person, room }: PressedControl,
): Promise<Form | undefined> {
	const target = controls.read(control);
	if (target === undefined || !hasFormOfTarget(target.kind)) return undefined;
	const { session, subject: token } = target;
	await subscriptions.follow(session);
	const opened = await editFormFor(context, { person, room, session, token });
	return "form" in opened ? opened.form : undefined;
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
		if (target.kind === "suggested") return startSuggested(parts, event, target);
		if (!isOfOtherRooms(target.kind)) await subscriptions.follow(target.session);
		const { person, room } = event;
		const of = { person, room, session: target.session };
		const where = event.home ? await roomOfControl({ context, subscriptions }, of) : room;
		if (where === undefined) return { text: homeTexts.gone };
		return pressTable[target.kind](context, { event: { ...event, room: where }, key: turn.key }, target);
	});
	if (event.home) parts.homes.pressed(event, turn.id);
}

async function answer(
	parts: EventParts,
	event: InboundEventOf<"command" | "press">,
	{ id, settle }: Turn,
	work: () => Promise<Reply | undefined>,
): Promise<void> {
	const { context, platform, clock, outbox } = parts;
	const reply = await work().catch((reason: unknown) => requestRefusal(context, event, reason));
	const to = { ticket: event.ticket, now: clock.now() };
	const rows = reply === undefined ? [noAnswer(to)] : privateAnswer(reply, to, platform);
	const conversation = `ticket:${event.ticket.id}`;
	const cursor = { session: `${eventCursor}${id}`, seq: 1 };
	await outbox.plan({ conversation, cursor, rows }, settle);
}
