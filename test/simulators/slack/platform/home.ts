import type { HomeView } from "@slack/types";
import { blockLimits } from "../blocks/block-limits.ts";
import { checkBlocks, numbered } from "../blocks/contents.ts";
import { contextOf } from "../shapes/contexts.ts";
import { viewShape } from "../shapes/views.ts";
import { addMessage } from "./messages.ts";
import type { ChannelRecord, HomeRecord, MessageRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { openConversation } from "./rooms.ts";
import { sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";
import { hashOf } from "./views.ts";

/** Publishes a Home tab: https://docs.slack.dev/reference/methods/views.publish */
export function publishHome(state: State, user: UserRecord, view: HomeView, hash?: string): HomeRecord {
	if (!state.app.hasHome) throw new Refusal("not_enabled");
	checkBlocks(state, view.blocks, blockLimits.blocksOfView);
	if (JSON.stringify(view).length > blockLimits.viewBytes) throw new Refusal("view_too_large");
	const known = state.homes.get(user.id);
	if (hash !== undefined && hash !== known?.hash) throw new Refusal("hash_conflict");
	const shown = { view: { ...view, blocks: numbered(state, view.blocks) }, hash: hashOf(state) };
	const home = { id: known?.id ?? state.stamps.id("V"), user, ...shown };
	state.homes.set(user.id, home);
	return home;
}

/**
 * Emits the event for a user who opens a tab of the app:
 * https://docs.slack.dev/reference/events/app_home_opened
 */
export function openHome(state: State, user: UserRecord, tab: "home" | "messages"): void {
	if (tab === "home" && !state.app.hasHome) throw new Refusal("not_enabled");
	const channel = openConversation(state, [user]);
	const home = tab === "home" ? state.homes.get(user.id) : undefined;
	const event = {
		...{ type: "app_home_opened", user: user.id, channel: channel.id, tab },
		...(home && { view: viewShape(state, home) }),
		...(state.app.agentView && { context: contextOf(state, user) }),
		event_ts: state.stamps.create(),
	};
	sendEvents(state, { subscription: "app_home_opened", channel, event });
}

/**
 * Looks at a channel as a user. An app with `agent_view` receives `app_context_changed`. Any other app receives an event
 * only for an assistant's `thread`: https://docs.slack.dev/reference/events/app_context_changed
 */
export function viewChannel(
	state: State,
	user: UserRecord,
	seen: ChannelRecord,
	thread?: MessageRecord,
): void {
	if (!seen.members.has(user)) throw new Refusal("not_in_channel");
	state.contexts.set(user.id, seen);
	const channel = openConversation(state, [user]);
	const event_ts = state.stamps.create();
	if (state.app.agentView) {
		const type = "app_context_changed";
		const event = { type, channel: channel.id, user: user.id, context: contextOf(state, user), event_ts };
		sendEvents(state, { subscription: type, channel, event });
	} else if (thread) {
		emitAssistant(state, "assistant_thread_context_changed", user, thread);
	}
}

/**
 * Opens a thread with an app that has `assistant_view`:
 * https://docs.slack.dev/reference/events/assistant_thread_started
 */
export function startAssistant(state: State, user: UserRecord): MessageRecord {
	if (!state.app.agent || state.app.agentView) throw new Refusal("not_an_assistant");
	const channel = openConversation(state, [user]);
	const subtype = "assistant_app_thread";
	const root = addMessage(state, { author: state.app.user, channel, text: "New Assistant Thread", subtype });
	emitAssistant(state, "assistant_thread_started", user, root);
	return root;
}

function emitAssistant(
	state: State,
	type: "assistant_thread_started" | "assistant_thread_context_changed",
	user: UserRecord,
	{ channel, ts }: MessageRecord,
): void {
	const seen = state.contexts.get(user.id);
	const context = seen
		? { channel_id: seen.id, team_id: state.team.id, enterprise_id: state.team.enterpriseId ?? null }
		: {};
	const about = { user_id: user.id, context, channel_id: channel.id, thread_ts: ts };
	const event = { type, assistant_thread: about, event_ts: state.stamps.create() };
	sendEvents(state, { subscription: type, channel, event });
}
