import { addReaction, removeReaction } from "../platform/reactions.ts";
import { type Method, method, visibleChannel } from "./method.ts";

export const reactionMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/reactions.add
	method("reactions.add", { tier: 3, scope: "reactions:write" }, ({ state, args }) => {
		const message = state.message(visibleChannel(state, args.channel), args.timestamp);
		addReaction(state, state.app.user, message, args.name);
		return {};
	}),
	// Documentation: https://docs.slack.dev/reference/methods/reactions.remove
	method("reactions.remove", { tier: 2, scope: "reactions:write" }, ({ state, args }) => {
		const message = state.message(visibleChannel(state, args.channel), args.timestamp);
		removeReaction(state, state.app.user, message, args.name);
		return {};
	}),
];
