import type { ModalView, View } from "@slack/types";
import { violated } from "../blocks/contents.ts";
import { publishHome } from "../platform/home.ts";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { openView, updateView } from "../platform/views.ts";
import { viewShape } from "../shapes/views.ts";
import { type Method, method } from "./method.ts";

export const viewMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/views.open
	method("views.open", { tier: 4 }, ({ state, args }) => {
		const trigger = "trigger_id" in args ? args.trigger_id : args.interactivity_pointer;
		return { view: viewShape(state, openView(state, trigger, modal(args.view))) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/views.update
	method("views.update", { tier: 4 }, ({ state, args }) => {
		const found = "view_id" in args ? state.views.get(args.view_id) : byName(state, args.external_id);
		if (!found) throw new Refusal("not_found");
		updateView(state, found, modal(args.view), args.hash);
		return { view: viewShape(state, found) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/views.publish
	method("views.publish", { tier: 4 }, ({ state, args: { user_id: userId, view, hash } }) => {
		if (view.type !== "home") throw violated(state, "invalid_arguments");
		return { view: viewShape(state, publishHome(state, state.user(userId), view, hash)) };
	}),
];

function byName(state: State, externalId: string) {
	return [...state.views.values()].find(({ view }) => view?.external_id === externalId);
}

function modal(view: View): ModalView {
	if (view.type !== "modal") throw new Refusal("invalid_arguments");
	return view;
}
