import {
	ChannelType,
	GatewayDispatchEvents,
	GatewayIntentBits,
	MessageFlags,
	MessageType,
} from "discord-api-types/v10";
import { memberShape, userShape } from "../shapes/people.ts";
import { addMessage, announce } from "./messages.ts";
import { demand, may } from "./permissions.ts";
import type { ChannelRecord, MessageRecord, ThreadRecord, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";
import { demandOpen, emitThread, settle } from "./thread-state.ts";

export interface NewThread {
	readonly name: string;
	readonly archiveAfter?: number | undefined;
}

/**
 * Opens a thread from a message. The thread has the id of the message:
 * https://discord.com/developers/docs/topics/threads
 */
export function openThreadOf(
	state: State,
	by: UserRecord,
	message: MessageRecord,
	requested: NewThread,
): ChannelRecord {
	const { channel } = message;
	if (channel.thread || !channel.guild) throw refusals.invalidForm(["channel: has no threads"]);
	demand(state, by, channel, "CreatePublicThreads");
	if (state.channels.has(message.id)) throw refusals.threadExists();
	const thread = makeThread(state, by, channel, { ...requested, id: message.id });
	message.flags |= MessageFlags.HasThread;
	announce(state, message, GatewayDispatchEvents.MessageUpdate);
	const draft = { body: { content: "" }, files: [] };
	const type = MessageType.ThreadStarterMessage;
	const first = addMessage(state, { author: message.author, channel: thread, draft, type });
	Object.assign(first, { reference: { channelId: channel.id, messageId: message.id } });
	announce(state, first, GatewayDispatchEvents.MessageCreate);
	return thread;
}

export function openThread(
	state: State,
	by: UserRecord,
	channel: ChannelRecord,
	requested: NewThread,
): ChannelRecord {
	if (channel.thread || !channel.guild) throw refusals.invalidForm(["channel: has no threads"]);
	demand(state, by, channel, "CreatePublicThreads");
	return makeThread(state, by, channel, { ...requested, id: state.snowflakes.create() });
}

function makeThread(
	state: State,
	by: UserRecord,
	parent: ChannelRecord,
	{ id, name, archiveAfter = 1440 }: NewThread & { readonly id: string },
): ChannelRecord {
	const now = state.now();
	const thread: ThreadRecord = {
		...{ ownerId: by.id, archived: false, archivedAt: now, locked: false, archiveAfter },
		...{ createdAt: now, renamedAt: [], lastActive: now, members: new Map([[by.id, now]]) },
	};
	const channel: ChannelRecord = {
		...{ id, type: ChannelType.PublicThread, parent, thread, name, topic: null, position: 0 },
		...(parent.guild && { guild: parent.guild }),
		...{ recipients: [], overwrites: new Map(), messages: [], typing: new Map(), deleted: false },
	};
	state.channels.set(id, channel);
	emitThread(state, channel, GatewayDispatchEvents.ThreadCreate, { newly_created: true });
	return channel;
}

export interface ThreadChange {
	readonly name?: string | null;
	readonly archived?: boolean | null;
	readonly locked?: boolean | null;
	readonly auto_archive_duration?: number | null;
}

/**
 * Throws unless `by` may change the thread. Discord documents: "When unarchiving a thread that is not locked,
 * SEND_MESSAGES is enough". An archived thread accepts only changes that also unarchive it.
 */
function demandChange(state: State, by: UserRecord, channel: ChannelRecord, change: ThreadChange): void {
	const { thread } = channel;
	if (thread?.archived && change.archived !== false) throw refusals.archived();
	if (!thread || may(state, by, channel, "ManageThreads")) return;
	const locks = (change.locked ?? thread.locked) !== thread.locked;
	if (locks || thread.locked) throw refusals.missingPermissions();
	const owns = thread.ownerId === by.id || (change.archived === false && change.name === undefined);
	if (!owns) throw refusals.missingPermissions();
}

/** Changes a thread: https://discord.com/developers/docs/resources/channel#modify-channel */
export function changeThread(
	state: State,
	by: UserRecord,
	channel: ChannelRecord,
	change: ThreadChange,
): void {
	const { thread } = channel;
	if (!thread) throw new Error(`channel ${channel.id} is no thread`);
	settle(state, channel);
	demand(state, by, channel);
	demandChange(state, by, channel, change);
	const { name } = change;
	const isRenamed = name !== null && name !== undefined && name !== channel.name;
	if (isRenamed && by === state.app.user) countRename(state, thread);
	const wakes = change.archived === false;
	Object.assign(thread, {
		archived: change.archived ?? thread.archived,
		locked: change.locked ?? thread.locked,
		archiveAfter: change.auto_archive_duration ?? thread.archiveAfter,
		...(change.archived !== undefined && { archivedAt: state.now() }),
		...(wakes && { lastActive: state.now() }),
	});
	if (isRenamed) renameThread(state, by, channel, name);
	else emitThread(state, channel, GatewayDispatchEvents.ThreadUpdate);
}

function countRename(state: State, { renamedAt }: ThreadRecord): void {
	const { limit, perMs } = state.settings.threadNames;
	const [oldest = 0] = renamedAt.slice(-limit);
	const left = oldest + perMs - state.now();
	if (renamedAt.length >= limit && left > 0) throw refusals.threadRenamed(left / 1000);
	renamedAt.push(state.now());
}

/**
 * Changes the name of a thread, and posts a message about the change:
 * https://github.com/discord/discord-api-docs/issues/5921
 */
export function renameThread(state: State, by: UserRecord, channel: ChannelRecord, name: string): void {
	channel.name = name;
	emitThread(state, channel, GatewayDispatchEvents.ThreadUpdate);
	const draft = { body: { content: name }, files: [] };
	const message = addMessage(state, { author: by, channel, draft, type: MessageType.ChannelNameChange });
	announce(state, message, GatewayDispatchEvents.MessageCreate);
}

/** Adds a user to the members of a thread: https://discord.com/developers/docs/resources/channel#join-thread */
export function joinThread(state: State, user: UserRecord, channel: ChannelRecord): void {
	demand(state, user, channel);
	demandOpen(state, channel);
	const { thread, guild } = channel;
	if (!thread || !guild || thread.members.has(user.id)) return;
	thread.members.set(user.id, state.now());
	const member = guild.members.get(user.id);
	state.emit({
		t: GatewayDispatchEvents.ThreadMembersUpdate,
		d: {
			...{ id: channel.id, guild_id: guild.id, member_count: thread.members.size },
			added_members: [
				{
					...{ id: channel.id, user_id: user.id, flags: 0, join_timestamp: state.timestamp(state.now()) },
					...(member && { member: { ...memberShape(state, member), user: userShape(user) } }),
				},
			],
		},
		intents: user === state.app.user ? GatewayIntentBits.Guilds : GatewayIntentBits.GuildMembers,
		channel,
	});
}
