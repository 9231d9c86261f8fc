import { long } from "../blocks/block-limits.ts";
import { violated } from "../blocks/contents.ts";
import { Refusal } from "../platform/refusal.ts";
import {
	isSessionStatus,
	renameSession,
	type SessionPlace,
	setSession,
	titleThread,
} from "../platform/sessions.ts";
import type { State } from "../platform/state.ts";
import { setStatus } from "../platform/statuses.ts";
import { demandScope, joinedChannel, type Method, method } from "./method.ts";

/** Limits from the comments of @slack/web-api. */
const titleLength = 200;
const maxLoadingMessages = 10;
/** Maximum number of suggested prompts, from the comments of the manifest: "A maximum of 4 suggested prompts". */
const maxPrompts = 4;

export const sessionMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/agents.sessions.setStatus
	method("agents.sessions.setStatus", { tier: 3, scope: "chat:write" }, ({ state, args }) => {
		demandAgent(state);
		if (args.username ?? args.icon_emoji ?? args.icon_url) demandScope(state, "chat:write.customize");
		const { status, title } = args;
		if (!isSessionStatus(status)) throw new Refusal("invalid_status");
		demandTitle(state, title ?? "");
		const session = setSession(state, threadAt(state, args.channel_id, args.thread_ts), { status, title });
		return { status, title: session.title };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/agents.sessions.rename
	method("agents.sessions.rename", { tier: 3, scope: "chat:write" }, ({ state, args }) => {
		demandAgent(state);
		demandTitle(state, args.title, 1);
		const { title } = renameSession(state, threadAt(state, args.channel_id, args.thread_ts), args.title);
		return { title };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/assistant.threads.setStatus
	method("assistant.threads.setStatus", { tier: 4, scope: "assistant:write" }, ({ state, args }) => {
		if ((args.loading_messages?.length ?? 0) > maxLoadingMessages) throw new Refusal("invalid_arguments");
		const where = threadAt(state, args.channel_id, args.thread_ts);
		setStatus(state, where, args.status, state.now() + state.settings.statusMs);
		return {};
	}),
	// Documentation: https://docs.slack.dev/reference/methods/assistant.threads.setTitle
	method("assistant.threads.setTitle", { tier: 2, scope: "assistant:write" }, ({ state, args }) => {
		titleThread(state, threadAt(state, args.channel_id, args.thread_ts), args.title);
		return {};
	}),
	// Documentation: https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
	method(
		"assistant.threads.setSuggestedPrompts",
		{ tier: 2, scope: "assistant:write" },
		({ state, args }) => {
			const { prompts, title = "" } = args;
			if (prompts.length === 0 || prompts.length > maxPrompts) throw violated(state, "invalid_arguments");
			const channel = joinedChannel(state, args.channel_id);
			const threadTs =
				args.thread_ts === undefined ? "" : threadAt(state, channel.id, args.thread_ts).threadTs;
			state.prompts.set(`${channel.id}-${threadTs}`, { title, prompts });
			return {};
		},
	),
];

function demandAgent({ app }: State): void {
	if (!app.agent) throw new Refusal("not_allowed");
}

function demandTitle(state: State, title: string, least = 0): void {
	if (long(title) < least || long(title) > titleLength) throw violated(state, "invalid_title");
}

function threadAt(state: State, channelId: string, threadTs: string | undefined): SessionPlace {
	const channel = joinedChannel(state, channelId);
	// Slack documents: "Required for thread-based sessions in regular channels and DMs."
	if (threadTs === undefined) throw new Refusal("missing_thread_ts");
	const root = channel.messages.find(({ ts, onlyFor }) => ts === threadTs && !onlyFor);
	if (!root || root.threadTs !== undefined) throw new Refusal("thread_not_found");
	return { channel, threadTs };
}
