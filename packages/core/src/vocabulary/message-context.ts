import { definedItems } from "@parley/base";
import { lineEnds } from "./message.ts";
import { sizeOf } from "./stored-file.ts";
import { contextTexts } from "./texts.ts";

/**
 * Relation of a read message to the request.
 * - thread, channel: an earlier message of the thread or channel of the request.
 * - reply: the request replies to the read message.
 * - forward, quote: the request contains the read message, which may come from another channel.
 * - link: the request links to the read message, which may be in another channel.
 */
export type ContextRelation = "thread" | "channel" | "reply" | "forward" | "quote" | "link";

/** Whether the message is an earlier message of the thread or channel, not one that the request refers to. */
export function isEarlier(relation: ContextRelation): boolean {
	return relation === "thread" || relation === "channel";
}

/** A file of a read message. The content of the file is an attachment of the request, or not available. */
export interface ContextFile {
	readonly name: string;
	readonly bytes?: number;
	readonly mediaType?: string;
}

/** A chat message that was read for a request. Untrusted text. */
export interface ContextMessage {
	/** The message's id on the platform. */
	readonly id: string;
	readonly relation: ContextRelation;
	readonly author: {
		readonly id: string;
		readonly name: string;
		/**
		 * `self`: Parley is the author. `member`: a person with the role member or a higher role. `other`: a bot
		 * or any other person.
		 */
		readonly is: "member" | "other" | "self";
	};
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly editedAt?: number;
	readonly text: string;
	/** True if the end of the text was cut. */
	readonly cut?: true;
	readonly files: readonly ContextFile[];
}

/** Reason why earlier messages are missing. `not_allowed` means that the requester may not read them. */
export type ContextProblem = "unavailable" | "not_allowed";

/** Messages that were read for a request, oldest first. */
export interface MessageContext {
	readonly messages: readonly ContextMessage[];
	/** Whether older messages were left out because of a limit. */
	readonly hasOlder: boolean;
	readonly problem?: ContextProblem;
}

const header = contextTexts.before;
const footer = contextTexts.after;
const problems: Readonly<Record<ContextProblem, string>> = {
	unavailable: contextTexts.unreadable,
	not_allowed: contextTexts.notRead,
};

/** Whether `contextText` created the text block. Such a block is not part of the request. */
export function isContextText(text: string): boolean {
	return text.startsWith(contextTexts.beginning);
}

/** Returns the read messages and the problem as text for the model, or "" if there is neither. */
export function contextText(context: MessageContext | undefined): string {
	if (context === undefined) return "";
	const { messages, hasOlder, problem } = context;
	if (messages.length === 0 && problem === undefined) return "";
	return definedItems([
		header,
		problem === undefined ? undefined : problems[problem],
		hasOlder ? contextTexts.olderLeftOut : undefined,
		...messages.map(messageText),
		footer,
	]).join("\n");
}

const places: Readonly<Record<ContextRelation, string>> = {
	thread: contextTexts.inThread,
	channel: contextTexts.inChannel,
	reply: contextTexts.repliedTo,
	forward: contextTexts.forwarded,
	quote: contextTexts.quoted,
	link: contextTexts.linked,
};

function messageText({ relation, author, at, editedAt, text, cut, files }: ContextMessage): string {
	const by = author.is === "self" ? "you" : `${author.id}, ${JSON.stringify(author.name)}`;
	const role = author.is === "other" ? contextTexts.notMember : "";
	const edited = editedAt === undefined ? "" : `, edited ${moment(editedAt)}`;
	const head = `[${moment(at)}, by ${by}${role}, ${places[relation]}${edited}:]`;
	const lines = definedItems([...text.split(lineEnds), cut ? "…" : undefined]).map((line) => `> ${line}`);
	return [head, ...lines, ...files.map(fileLine)].join("\n");
}

function fileLine({ name, bytes, mediaType }: ContextFile): string {
	const facts = [mediaType, bytes === undefined ? undefined : sizeOf(bytes)].filter(
		(fact) => fact !== undefined,
	);
	return contextTexts.file([JSON.stringify(name), ...facts]);
}

function moment(at: number): string {
	return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
