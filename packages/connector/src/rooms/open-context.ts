import { type Clock, defined, delay, type Logger, ParleyError, type Store } from "@parley/base";
import { maxRequestBytes } from "@parley/protocol";
import type { Controls } from "../controls/controls.ts";
import { runOf } from "../conversation/answers/runs.ts";
import { oneLine } from "../conversation/vocabulary/plain.ts";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment, Person, Room } from "../platform/inbound-event.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { RoomSession, SessionSubscription } from "../subscription/session-subscription.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { contextTexts } from "../texts/context.ts";
import { fileTexts } from "../texts/messages.ts";
import { channelConversations } from "./channel-conversations.ts";
import { Choices } from "./choices.ts";
import { forkRoom } from "./fork-room.ts";
import type { HandlerContext, OutgoingMessage, RoomContext, SendResult } from "./handler-context.ts";
import type { MessageHistory } from "./message-history.ts";
import { type MessageRecord, readMessageRecords } from "./message-records.ts";
import { onBehalf } from "./on-behalf.ts";
import { isKeyOfOther } from "./refusal.ts";
import type { RequestContexts } from "./request-context.ts";
import type { Rooms } from "./rooms.ts";
import { ShownLists } from "./shown-lists.ts";

export interface ContextParts extends SendParts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Outbox;
	readonly messageHistory: MessageHistory;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly log: Logger;
}

/** Opens the handler context of a connector, for requests on behalf of people in the rooms and sessions of its platform. */
export function openContext(parts: ContextParts): RoomContext {
	const { gateway, controls, platform, clock, log, rooms, subscriptions, store } = parts;
	const choices = new Choices(store, clock);
	const inRoom = async (
		message: string,
		room: Parameters<RoomContext["messageRecord"]>[0],
	): Promise<MessageRecord[]> =>
		store.read((db) =>
			readMessageRecords(db, { conversation: platform.conversation(room), message, limit: 20 }),
		);
	/**
	 * Finds the record of a message that the person wrote. Outside the person's room, people may only query their
	 * own messages.
	 */
	const ownElsewhere = async (
		of: { readonly message: string } | { readonly ending: string },
		person: string,
	): Promise<MessageRecord | undefined> => {
		const records = await store.read((db) => readMessageRecords(db, { ...of, limit: 20 }));
		return records.find((one) => one.person.id === person);
	};
	return {
		gateway,
		controls,
		platform,
		clock,
		log,
		onBehalf,
		lists: new ShownLists(clock),
		choices,
		sessionOf: (person, room, key): Promise<RoomSession> => rooms.current(person, room, key),
		session: (id) => subscriptions.session(id),
		follow: (id) => subscriptions.follow(id),
		conversations: (person, room, which) => channelConversations(parts, person, room, which),
		async roomOf(session) {
			await subscriptions.ready;
			return subscriptions.withId(session)?.key;
		},
		switchSession: (person, room, choice) => rooms.switchSession(person, room, choice),
		whoami: (person, room) => rooms.whoami(person, room),
		sessions: (person, room) => rooms.list(person, room),
		send: (person, room, words) => sendMessage(parts, person, room, words),
		async editedText(room, message) {
			return (await inRoom(message, room)).find(({ text }) => text !== undefined)?.text;
		},
		async messageRecord(room, { message, ending, person }) {
			if (message !== undefined) {
				const named = (await inRoom(message, room))[0] ?? (await ownElsewhere({ message }, person));
				return named ?? (ending === undefined ? undefined : ownElsewhere({ ending }, person));
			}
			const conversation = platform.conversation(room);
			// In Slack, each message of a channel begins its own thread, so threads are included.
			const filter = { conversation, below: `${conversation}/`, limit: 100 };
			const newest = await store.read((db) => readMessageRecords(db, filter));
			return newest.find((record) => record.person.id === person && record.effect !== "command");
		},
		events: (session) => parts.files.events(session, parts.signal),
		fork: (person, room, request) => forkRoom({ ...parts, choices }, { person, room }, request),
		stop: (person, room, request) => stopRuns(parts, { person, room }, request),
	};
}

function stopRuns(
	{ gateway, platform, rooms, store, messageHistory }: ContextParts,
	{ person, room }: { readonly person: Person; readonly room: Room },
	{ key, at }: { readonly key: string; readonly at: number },
): Promise<boolean> {
	const conversation = platform.conversation(room);
	return messageHistory.stop({ conversation, at }, async () => {
		let stopped = false;
		for (const sessionId of await rooms.stoppable(person, room)) {
			const params = { key: `${key}/${sessionId}`, ...onBehalf(person, room) };
			const { status } = await gateway.request("cancel_turn", params, { sessionId });
			stopped ||= status === "cancelled";
		}
		const record: MessageRecord = {
			id: `stop:${key}`,
			message: key,
			reason: "mention",
			conversation,
			effect: stopped ? "stopped" : "nothing-to-stop",
			person,
			at,
		};
		await store.commit((tx) => messageHistory.write(tx, record));
		return stopped;
	});
}

const maxAttachments = 20;
/** Bytes reserved for the parts of a request other than its text. */
const aroundBytes = 16_384;
/** Waits in milliseconds before the further attempts to read an attachment that is temporarily not available. */
const retryDelaysMs = [500, 1000, 2000, 4000];
/** Maximum time in milliseconds to download the files of all messages that belong to a request. */
const contextFilesMs = 4000;
/** Maximum length in UTF-16 code units of the list of missing files. The agent receives this list. */
const maxAboutMissing = 4000;

interface SendParts {
	readonly gateway: HandlerContext["gateway"];
	readonly rooms: Rooms;
	readonly subscriptions: Subscriptions;
	readonly files: { readonly upload: GatewayFiles["upload"]; readonly events: GatewayHistory["events"] };
	readonly platform: { readonly read: ChatPlatform["read"] };
	readonly requestContexts: RequestContexts;
	readonly clock: Clock;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/**
 * Sends a person's message to the agent. The message and the result name the attachments that cannot be sent. Rejects
 * with `invalid_argument` if the message is too long, and with `permission_denied` if the person may not send it.
 */
async function sendMessage(
	parts: SendParts,
	person: Person,
	room: Room,
	words: OutgoingMessage,
): Promise<SendResult> {
	refuseLong(words.text);
	const subscription = await parts.rooms.current(person, room, words.key);
	const read = await parts.requestContexts.read(person, room, { session: subscription.session, words });
	const uploaded = await uploadAttachments(parts, words);
	const { failures } = uploaded;
	const ids = [...uploaded.ids, ...(await uploadContextFiles(parts, words, read.files))].slice(
		0,
		maxAttachments,
	);
	const refers = (words.referenced ?? []).length > 0;
	const withoutText = words.attachments.length > 0 ? namesOf(words.attachments) : contextTexts.onlyReference;
	const text = words.text.trim() === "" ? withoutText : words.text;
	const content = failures.length === 0 ? text : `${text}\n\n${missing(failures)}`;
	const isEmpty = words.text.trim() === "" && uploaded.ids.length === 0 && !refers;
	if (isEmpty || (await words.isStillNeeded?.()) === false)
		return { session: subscription.session, sent: false, failures };
	const { message, key } = words;
	const sent = {
		content,
		key,
		...defined({ correlation_id: message }),
		...defined({ attachments: ids.length > 0 ? ids : undefined, context: read.context }),
		...onBehalf(person, room),
	};
	let target = subscription;
	const retry = async (): Promise<string> => {
		// The session was deleted, or this connection has not joined the session. A new session replaces a deleted
		// one.
		await parts.subscriptions.reopen(subscription);
		target = await parts.rooms.current(person, room, `${key}/2`);
		// If the target is still the same session, the request uses the same key, so that the session does not get
		// the message twice.
		return send(parts, target, target.session === subscription.session ? sent : { ...sent, key: `${key}/2` });
	};
	const run = await send(parts, subscription, sent).catch(async (reason: unknown) => {
		const { code } = ParleyError.from(reason);
		if (code === "not_found") return retry();
		// An earlier attempt has already sent the message, for example to another session before the room was switched.
		if (isKeyOfOther(reason)) return undefined;
		throw reason;
	});
	const known = run ?? (message === undefined ? undefined : runOf(target.state.answers, message)?.id);
	return { session: target.session, sent: true, failures, ...defined({ run: known }) };
}

async function send(
	{ gateway }: SendParts,
	{ session }: SessionSubscription,
	params: { readonly content: string; readonly key: string },
): Promise<string> {
	const { run_id } = await gateway.request("send_message", params, { sessionId: session });
	return run_id;
}

function refuseLong(text: string): void {
	const bytes = Buffer.byteLength(JSON.stringify(text));
	const maximum = maxRequestBytes - aroundBytes;
	if (bytes <= maximum) return;
	throw new ParleyError(fileTexts.messageTooLong({ bytes, maximum }), { code: "invalid_argument" });
}

function namesOf(attachments: readonly Attachment[]): string {
	return fileTexts.attached({ names: attachments.map(({ name }) => name).join(", ") });
}

/** Returns a note that names missing files, so that the agent does not search for them. */
function missing(failures: readonly string[]): string {
	return fileTexts.missing({ files: oneLine(failures.join("; "), maxAboutMissing) });
}

async function uploadAttachments(
	parts: SendParts,
	{ attachments, key }: OutgoingMessage,
): Promise<{ readonly ids: readonly string[]; readonly failures: readonly string[] }> {
	const { files, signal } = parts;
	const ids: string[] = [];
	const failures = attachments
		.slice(maxAttachments)
		.map(({ name }) => fileTexts.tooMany({ name, maximum: maxAttachments }));
	for (const [index, attachment] of attachments.slice(0, maxAttachments).entries()) {
		const { name } = attachment;
		const note = (reason: unknown): undefined => {
			const { code, message } = ParleyError.from(reason);
			if (code === "cancelled" || signal.aborted) throw reason;
			failures.push(`\`${name}\`: ${message}`);
		};
		const bytes = await readPatiently(parts, attachment).catch(note);
		if (bytes === undefined) continue;
		const file = { name, bytes, key: `${key}/file/${index}`, signal };
		const id = await files.upload(file).catch((reason: unknown) => {
			// The gateway is down: the complete message is retried.
			if (ParleyError.from(reason).code === "unavailable") throw reason;
			return note(reason);
		});
		if (id !== undefined) ids.push(id);
	}
	return { ids, failures };
}

/**
 * Uploads the files of messages that belong to a request, and resolves with the ids of the uploaded files.
 * Downloads are aborted after `contextFilesMs`. The messages also name the files that are not uploaded.
 */
async function uploadContextFiles(
	{ platform, files, clock, signal }: SendParts,
	{ key }: OutgoingMessage,
	attachments: readonly Attachment[],
): Promise<readonly string[]> {
	if (attachments.length === 0) return [];
	const over = new AbortController();
	const timer = clock.after(contextFilesMs, () => over.abort());
	const either = AbortSignal.any([signal, over.signal]);
	const ids: string[] = [];
	try {
		for (const file of attachments.slice(0, maxAttachments)) {
			const bytes = await platform.read(file, either).catch((): undefined => undefined);
			signal.throwIfAborted();
			if (bytes === undefined) continue;
			const upload = { name: file.name, bytes, key: `${key}/context/${file.id}`.slice(0, 128), signal };
			const id = await files.upload(upload).catch((reason: unknown) => {
				if (ParleyError.from(reason).code === "unavailable") throw reason;
				return undefined;
			});
			if (id !== undefined) ids.push(id);
		}
	} finally {
		timer.cancel();
	}
	return ids;
}

async function readPatiently(
	{ platform, clock, signal }: SendParts,
	attachment: Attachment,
): Promise<Uint8Array> {
	for (const waitMs of retryDelaysMs) {
		try {
			return await platform.read(attachment, signal);
		} catch (reason) {
			if (ParleyError.from(reason).code !== "unavailable" || signal.aborted) throw reason;
			await delay(clock, waitMs, signal);
		}
	}
	return platform.read(attachment, signal);
}
