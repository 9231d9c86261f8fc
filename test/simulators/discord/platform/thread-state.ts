import { GatewayDispatchEvents, GatewayIntentBits } from "discord-api-types/v10";
import { threadShape } from "../shapes/channels.ts";
import { may } from "./permissions.ts";
import type { ChannelRecord, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

const minute = 60_000;

type ThreadEvent = GatewayDispatchEvents.ThreadCreate | GatewayDispatchEvents.ThreadUpdate;

export function emitThread(state: State, channel: ChannelRecord, t: ThreadEvent, more: object = {}): void {
	const d = { ...threadShape(state, channel), ...more };
	state.emit({ t, d, intents: GatewayIntentBits.Guilds, channel });
}

/** Archives the thread if it has been inactive for its archive duration. */
export function settle(state: State, channel: ChannelRecord): void {
	const { thread } = channel;
	if (!thread || thread.archived) return;
	const end = thread.lastActive + thread.archiveAfter * minute;
	if (end > state.now()) return;
	thread.archived = true;
	thread.archivedAt = end;
	emitThread(state, channel, GatewayDispatchEvents.ThreadUpdate);
}

/** Records activity in the thread, and unarchives the thread. */
export function touch(state: State, channel: ChannelRecord): void {
	const { thread } = channel;
	if (!thread) return;
	thread.lastActive = state.now();
	if (!thread.archived) return;
	thread.archived = false;
	thread.archivedAt = state.now();
	emitThread(state, channel, GatewayDispatchEvents.ThreadUpdate);
}

/**
 * Throws error 50083 if the thread is archived: "Tried to perform an operation on an archived thread, such as editing
 * a message or adding a user".
 */
export function demandOpen(state: State, channel: ChannelRecord): void {
	settle(state, channel);
	if (channel.thread?.archived) throw refusals.archived();
}

/**
 * Throws if the thread is locked and the user lacks MANAGE_THREADS. Discord documents: "Users won't be able to create
 * or update messages in locked threads". https://discord.com/developers/docs/topics/threads#locked-threads
 */
export function demandUnlocked(state: State, user: UserRecord, channel: ChannelRecord): void {
	if (channel.thread?.locked && !may(state, user, channel, "ManageThreads")) throw refusals.locked();
}
