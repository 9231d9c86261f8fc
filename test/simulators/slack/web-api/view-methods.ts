import type { ModalView, View } from "@slack/types";
import { viewShape } from "../shapes/views.ts";
import { Refusal } from "../world/refusal.ts";
import type { State } from "../world/state.ts";
import { setStatus } from "../world/statuses.ts";
import { openView, updateView } from "../world/views.ts";
import { joinedChannel, type Method, method } from "./method.ts";

const statuses = new Set(["active", "processing", "suspended", "closed"]);

/** Methods about views. */
export const viewMethods: readonly Method[] = [
	// https://docs.slack.dev/reference/methods/views.open
	method("views.open", { tier: 4 }, ({ state, args }) => {
		const trigger = "trigger_id" in args ? args.trigger_id : args.interactivity_pointer;
		return { view: viewShape(state, openView(state, trigger, modal(args.view))) };
	}),
	// https://docs.slack.dev/reference/methods/views.update
	method("views.update", { tier: 4 }, ({ state, args }) => {
		const found = "view_id" in args ? state.views.get(args.view_id) : byName(state, args.external_id);
		if (!found) throw new Refusal("not_found");
		updateView(state, found, modal(args.view), args.hash);
		return { view: viewShape(state, found) };
	}),
	// https://docs.slack.dev/reference/methods/agents.sessions.setStatus
	method("agents.sessions.setStatus", { tier: 3, scope: "chat:write" }, ({ state, args }) => {
		if (!state.app.agent) throw new Refusal("not_allowed");
		if (!statuses.has(args.status)) throw new Refusal("invalid_status");
		const where = threadAt(state, args.channel_id, args.thread_ts);
		setStatus(state, where, args.status === "processing" ? "is working…" : "");
		return { status: args.status, title: args.title ?? "" };
	}),
	// https://docs.slack.dev/reference/methods/assistant.threads.setStatus
	method("assistant.threads.setStatus", { tier: 4, scope: "assistant:write" }, ({ state, args }) => {
		if ((args.loading_messages?.length ?? 0) > 10) throw new Refusal("invalid_arguments");
		const where = threadAt(state, args.channel_id, args.thread_ts);
		setStatus(state, where, args.status, state.now() + state.settings.statusMs);
		return {};
	}),
];

function byName(state: State, externalId: string) {
	return [...state.views.values()].find(({ view }) => view?.external_id === externalId);
}

function modal(view: View): ModalView {
	if (view.type !== "modal") throw new Refusal("invalid_arguments");
	return view;
}

function threadAt(state: State, channelId: string, threadTs: string | undefined) {
	const channel = joinedChannel(state, channelId);
	// "Required for thread-based sessions in regular channels and DMs."
	if (threadTs === undefined) throw new Refusal("missing_thread_ts");
	const root = channel.messages.find(({ ts, onlyFor }) => ts === threadTs && !onlyFor);
	if (!root || root.threadTs !== undefined) throw new Refusal("thread_not_found");
	return { channel, threadTs };
}
