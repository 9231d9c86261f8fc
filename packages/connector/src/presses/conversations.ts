import { definedItems, ParleyError } from "@parley/base";
import type { ControlKind } from "../controls/control-kind.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import type { Control } from "../platform/posting.ts";
import type { Conversation, HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { conversationTexts } from "../texts/conversations.ts";
import { runningPart } from "./background.ts";
import type { PressHandlers } from "./press.ts";
import { usageOf } from "./usage.ts";

type Kind = Extract<ControlKind, `${string}-one`>;
type Acting = HandledEvent<"press"> | HandledEvent<"command">;

const { below: texts } = conversationTexts;

/**
 * Handlers of the buttons below a list of conversations. A press is refused if the person can no longer see the
 * conversation.
 */
export const pressesOfConversations: PressHandlers<Kind> = {
	"stop-one": (context, handled, { session }) => onOne(context, handled, session, stopOne),
	"info-one": (context, handled, { session }) => onOne(context, handled, session, infoOfOne),
	"usage-one": (context, handled, { session }) => onOne(context, handled, session, usageOfOne),
	"compact-one": (context, handled, { session }) => onOne(context, handled, session, compactOne),
	"model-one": (context, handled, { session, subject }) =>
		onOne(context, handled, session, (...given) => chooseModel(...given, subject)),
};

async function onOne(
	context: HandlerContext,
	handled: HandledEvent<"press">,
	session: string,
	work: (context: HandlerContext, handled: Acting, one: Conversation) => Promise<Reply>,
): Promise<Reply> {
	const { person, room } = handled.event;
	const one = (await context.conversations(person, room)).find((each) => each.session === session);
	return one ? work(context, handled, one) : { text: texts.gone };
}

async function stopOne(context: HandlerContext, { event, key }: Acting, one: Conversation): Promise<Reply> {
	const params = { key, ...context.onBehalf(event.person, one.room) };
	const { status } = await context.gateway.request("cancel_turn", params, { sessionId: one.session });
	const title = linkedTitle(context, one);
	return { text: status === "cancelled" ? texts.stopped({ title }) : texts.idle({ title }) };
}

/** Returns a reply with the title, the number of messages, the model and the running commands of a conversation. */
export async function infoOfOne(
	context: HandlerContext,
	{ event: { person } }: Acting,
	one: Conversation,
): Promise<Reply> {
	const { messages, usedAt, model, room, session } = one;
	const last = context.platform.moment(usedAt);
	const { info } = conversationTexts;
	const facts = [info.messages({ count: messages, last }), info.model({ model })];
	const running = await runningPart(context, { person, room }, session);
	return { text: [linkedTitle(context, one), ...facts, ...running].join("\n\n") };
}

export async function usageOfOne(
	context: HandlerContext,
	{ event: { person } }: Acting,
	one: Conversation,
): Promise<Reply> {
	const used = await usageOf(context, { person, room: one.room }, one.session);
	return { text: `${linkedTitle(context, one)}\n\n${used}` };
}

/** Starts the compaction of a conversation. A post in its room shows the result. */
export async function compactOne(
	context: HandlerContext,
	{ event: { person }, key }: Acting,
	one: Omit<Conversation, "working">,
): Promise<Reply> {
	await context.follow(one.session);
	const requested = { session_id: one.session, key: `${key}/compact`, ...context.onBehalf(person, one.room) };
	try {
		await context.gateway.request("compact_session", requested);
	} catch (reason) {
		// A retry of this event would block later events of the room.
		if (ParleyError.from(reason).code !== "resource_exhausted") throw reason;
		return { text: conversationTexts.compact.busy };
	}
	const { started } = conversationTexts.compact;
	return { text: one.current ? started : `${linkedTitle(context, one)}\n\n${started}` };
}

export async function chooseModel(
	context: HandlerContext,
	{ event, key }: Acting,
	one: Conversation,
	model: string,
): Promise<Reply> {
	await context.follow(one.session);
	const params = { model, key: `${key}/model`, ...context.onBehalf(event.person, one.room) };
	const { model: chosen } = await context.gateway.request("set_model", params, { sessionId: one.session });
	return { text: texts.modelChosen({ model: chosen, title: linkedTitle(context, one) }) };
}

/** Maximum number of conversations in a list: two rows of five buttons. */
const maxOffered = 10;
const maxTitle = 100;
/** Maximum length of a button id on Discord, in characters. */
const maxId = 100;

/** Returns the title of a conversation, with a link to its channel or thread. */
export function linkedTitle(
	{ platform }: HandlerContext,
	{ title, room }: Pick<Conversation, "title" | "room">,
): string {
	const name = title === "" ? conversationTexts.untitled : plainLine(title, maxTitle);
	const url = platform.linkTo?.(room);
	const shown = url === undefined ? `**${name}**` : `[${name}](${url})`;
	return room.thread === undefined ? texts.ofChannel({ title: shown }) : shown;
}

interface Offer {
	readonly all: readonly Conversation[];
	/** Subject of the buttons; `-` by default. */
	readonly subject?: string;
	/** Markdown above the list. */
	readonly question: string;
}

/**
 * Returns a private list of the first `maxOffered` conversations, with a button for each. The list has no buttons
 * if the ids of the buttons would be too long.
 */
export function offerConversations(
	context: HandlerContext,
	kind: Kind,
	{ all, subject = "-", question }: Offer,
): Reply {
	const { platform, controls } = context;
	const shown = all.slice(0, maxOffered);
	const more = all.length - shown.length;
	const text = definedItems([
		question,
		conversationLines(context, shown),
		more > 0 ? texts.more({ count: more }) : undefined,
	]).join("\n\n");
	const buttons = shown.map(({ session, title }, index) => {
		const name = title === "" ? conversationTexts.untitled : title;
		const id = controls.write({ kind, session, subject });
		const label = shortened(`${index + 1}. ${name}`, platform.limits.buttonLabel);
		return { type: "button", id, label, style: "secondary" } as const;
	});
	if (buttons.some(({ id }) => id.length > maxId)) return { text };
	return { text, controls: inRows(buttons, platform.limits.controlsPerRow) };
}

/** Returns a numbered list of conversations, with their links. */
export function conversationLines(context: HandlerContext, all: readonly Conversation[]): string {
	const lines = all.map((one, index) => {
		const used = context.platform.moment(one.usedAt);
		return `${index + 1}. ${linkedTitle(context, one)} · ${one.working ? texts.working : used}`;
	});
	return lines.join("\n");
}

function shortened(text: string, maximum: number): string {
	const line = text.replace(/\s+/gu, " ").trim();
	return line.length <= maximum ? line : `${line.slice(0, maximum - 1).replace(/[\ud800-\udbff]$/u, "")}…`;
}

function inRows(buttons: readonly Control[], maximum: number): Control[][] {
	const rows: Control[][] = [];
	for (let first = 0; first < buttons.length; first += maximum)
		rows.push(buttons.slice(first, first + maximum));
	return rows;
}
