import { type ControlKind, Controls, type Form, type InboundEvent } from "@parley/connector";
import { Interactions } from "../interactions/interactions.ts";
import type { Interaction } from "../vocabulary/slack-port.ts";
import { openReading } from "./reading.ts";
import { self } from "./scripted-slack.ts";

const controls = new Controls("secret");
export const url = "https://hooks.slack.com/actions/T1/1/x";
export const trigger = "1.2.abc";
export const ada = { id: "UADA", name: "Ada", roles: [], guest: false, bot: false };
export const direct = { tenant: "T1", channel: "D1", shared: false, kind: "direct" };

type Accept = (inbound: InboundEvent, key: { id: string; conversation: string }) => Promise<unknown>;

function listenerOf(body: unknown): Interaction["type"] {
	return new Map(listeners).get(Object(body).type) ?? "unread";
}

const listeners: [string, Interaction["type"]][] = [
	["block_actions", "action"],
	["view_submission", "view"],
	["message_action", "shortcut"],
];

/** Opens `Interactions` over a scripted Slack, and records their results. */
export async function openInteractions(
	accept: Accept = async () => true,
	form: (pressed: object) => Promise<Form | undefined> = async () => undefined,
) {
	const reading = await openReading();
	const { port, malformed, clock, log } = reading;
	const accepted: { inbound: InboundEvent; key: object }[] = [];
	const interactions = new Interactions({
		...reading,
		self,
		port,
		controls,
		malformed,
		clock,
		log,
		form,
		accept: async (inbound, key) => {
			accepted.push({ inbound, key });
			return accept(inbound, key);
		},
	});
	const dispatch = (type: "command" | "interactive", body: unknown) =>
		interactions.handle({ type: type === "command" ? type : listenerOf(body), body, attempt: 0 });
	const responses = () =>
		port.calls.filter(({ method }) => method === "respond").map(({ args }) => args["text"]);
	return { ...reading, accepted, interactions, dispatch, responses };
}

export const command = (text: string, more: object = {}) => ({
	command: "/parley",
	text,
	trigger_id: trigger,
	user_id: "UADA",
	channel_id: "D1",
	response_url: url,
	...more,
});
export const press = (kind: ControlKind, at: number, more: object = {}) => ({
	type: "block_actions",
	trigger_id: trigger,
	response_url: url,
	user: { id: "UADA" },
	channel: { id: "C1" },
	message: { ts: "5.5", thread_ts: "4.4" },
	actions: [
		{
			action_id: controls.write({ kind, session: "sess_1", subject: "x" }),
			action_ts: (at / 1000).toFixed(6),
			...more,
		},
	],
});

export const chosen = (callback_id: string, at: number, more: object = {}) => ({
	type: "message_action",
	callback_id,
	trigger_id: trigger,
	response_url: url,
	user: { id: "UADA" },
	channel: { id: "C1" },
	action_ts: (at / 1000).toFixed(6),
	message: { type: "message", user: "UOUT", ts: "5.5", text: "Count <https://a.b|these>", ...more },
});
