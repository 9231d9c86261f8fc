import type { SlackReply } from "@parley/slack";
import { expect, test } from "vitest";
import type { SimulatorEvent } from "../platform/state.ts";
import { buttons, errorOf, pausedSimulator, section } from "./direct-client.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const view = {
	...{
		type: "modal",
		callback_id: "parley-form",
		private_metadata: "{}",
		title: plain("Deny"),
		submit: plain("Send"),
	},
	blocks: [
		{
			...{ type: "input", block_id: "reason", label: plain("Why?") },
			element: { type: "plain_text_input", action_id: "reason", max_length: 10 },
		},
		{
			...{ type: "input", block_id: "how", label: plain("How?"), optional: true },
			element: {
				...{ type: "static_select", action_id: "how" },
				options: ["Soon", "Late"].map((text) => ({ text: plain(text), value: text.toLowerCase() })),
			},
		},
	],
};

function listening(reply: () => SlackReply = () => undefined) {
	const parts = pausedSimulator();
	const bodies: Readonly<Record<string, unknown>>[] = [];
	parts.simulator.state.listen((events: readonly SimulatorEvent[]) => {
		for (const { kind, body } of events) if (kind !== "event") bodies.push(body);
	});
	parts.simulator.delivery.attach({ receive: async () => reply() });
	return { ...parts, bodies };
}

async function turns(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test("a press has the person, the element and the message", async () => {
	const { app, anna, general, bodies } = listening();
	const sentMessage = anna.says("Hello", { in: general });
	const { ts } = app.posts(general.thread(sentMessage), {
		text: "x",
		blocks: [section("Sure?"), buttons("Yes")],
	});
	const interaction = anna.clicks("Yes");
	expect(bodies).toMatchObject([
		{
			...{ type: "block_actions", user: { id: anna.id }, channel: { id: general.id } },
			container: { type: "message", message_ts: ts, thread_ts: sentMessage.ts, is_ephemeral: false },
			...{
				message: { ts },
				response_url: interaction.record.responseUrl,
				trigger_id: interaction.record.triggerId,
			},
			actions: [{ type: "button", action_id: "id of Yes", value: "Yes", block_id: expect.any(String) }],
		},
	]);
	await turns();
	expect(interaction.state).toBe("acknowledged");
});

test("a press on an ephemeral message contains no message", () => {
	const { app, anna, general, bodies } = listening();
	const note = { channel: general.id, user: anna.id, text: "x", blocks: [buttons("Yes")] };
	app.asks("chat.postEphemeral", note);
	anna.clicks("Yes");
	expect(bodies).toMatchObject([{ container: { is_ephemeral: true } }]);
	expect(bodies[0]).not.toHaveProperty("message");
});

test("a command has its original text, with names of mentioned people", () => {
	const { simulator, anna, general, bodies } = listening();
	anna.commands("/parley whoami", {}, { in: general });
	anna.commands(
		"/task new",
		{ text: `ask <@${anna.id}> & <b>`, title: "Tidy up", quiet: true },
		{ in: general },
	);
	expect(bodies).toMatchObject([
		{
			command: "/parley",
			text: "whoami",
			channel_id: general.id,
			team_id: simulator.home.id,
			user_id: anna.id,
		},
		{ command: "/parley", text: `task new title:"Tidy up" quiet:yes ask <@${anna.id}|anna> &amp; &lt;b&gt;` },
	]);
});

test("a shortcut of a message contains that message", () => {
	const { anna, general, bodies } = listening();
	const sentMessage = anna.says("Count the files", { in: general });
	anna.commands("Ask about this", {}, { in: general, on: sentMessage });
	expect(bodies).toMatchObject([
		{
			type: "message_action",
			callback_id: "ask",
			message_ts: sentMessage.ts,
			message: { text: "Count the files" },
		},
	]);
	expect(() => anna.commands("Nothing", {}, { in: general, on: sentMessage })).toThrow(
		"there is no shortcut Nothing",
	);
});

test("a response URL is valid for five responses and half an hour", () => {
	const { clock, app, anna, general } = listening();
	const interaction = anna.commands("/parley help", {}, { in: general });
	const respond = (body: object = { text: "Hi" }) =>
		app.responds(interaction, { response_type: "ephemeral", ...body });
	expect([respond().status, respond({ text: "Hi", response_type: "in_channel" }).status]).toEqual([200, 200]);
	expect(interaction.answers().map(({ ephemeral }) => ephemeral)).toEqual([true, false]);
	expect(general.shows()).toHaveLength(1);
	for (let turn = 0; turn < 3; turn++) respond();
	expect(respond()).toMatchObject({ status: 404, body: { error: "used_url" } });
	const late = anna.commands("/parley help", {}, { in: general });
	clock.advance(1_800_001);
	expect(app.responds(late, { text: "x" })).toMatchObject({ status: 404, body: { error: "expired_url" } });
});

test("a response to a press replaces the message by default", () => {
	const { app, anna, general } = listening();
	app.posts(general, { text: "x", blocks: [buttons("Yes")] });
	const interaction = anna.clicks("Yes");
	app.responds(interaction, { text: "private", response_type: "ephemeral", replace_original: false });
	expect(interaction.answers()).toMatchObject([{ text: "private", ephemeral: true }]);
	expect(general.last().buttons).toEqual(["Yes"]);
	app.responds(interaction, { text: "taken" });
	expect(general.last()).toMatchObject({ text: "taken", buttons: [] });
	app.responds(interaction, { delete_original: true });
	expect(general.shows()).toEqual([]);
});

test("a command can be answered with its acknowledgement", async () => {
	const { anna, general } = listening(() => ({ text: "At once" }));
	const interaction = anna.commands("/parley help", {}, { in: general });
	await turns();
	expect(interaction.answers()).toMatchObject([{ text: "At once", ephemeral: true }]);
});

test("a trigger opens one form, within three seconds", () => {
	const { clock, app, anna, general } = listening();
	const interaction = anna.commands("/parley help", {}, { in: general });
	expect(errorOf(app.call("views.open", { trigger_id: "1.2.x", view }))).toBe("invalid_trigger_id");
	clock.advance(3000);
	expect(app.opens(interaction, view).body["ok"]).toBe(true);
	expect(errorOf(app.opens(interaction, view))).toBe("exchanged_trigger_id");
	const late = anna.commands("/parley help", {}, { in: general });
	clock.advance(3001);
	expect(errorOf(app.opens(late, view))).toBe("expired_trigger_id");
});

test("a form accepts the values that its fields allow, and closes when it is accepted", async () => {
	const { app, anna, general, bodies } = listening();
	const interaction = anna.commands("/parley help", {}, { in: general });
	app.opens(interaction, view);
	expect(interaction.form).toMatchObject({
		title: "Deny",
		fields: [{ label: "Why?" }, { label: "How?", required: false }],
	});
	expect(() => anna.submits(interaction)).toThrow("the form wants Why?");
	expect(() => anna.submits(interaction, { reason: "much too long" })).toThrow("takes 0 to 10 characters");
	expect(() => anna.submits(interaction, { other: "x" })).toThrow("the form has no other");
	expect(() => anna.submits(interaction, { reason: "no", how: "Never" })).toThrow("How? has no choice Never");
	anna.submits(interaction, { "Why?": "no", how: "Soon" });
	expect(bodies.at(-1)).toMatchObject({
		type: "view_submission",
		view: {
			...{ callback_id: "parley-form", private_metadata: "{}" },
			state: {
				values: {
					reason: { reason: { type: "plain_text_input", value: "no" } },
					how: { how: { type: "static_select", selected_option: { value: "soon" } } },
				},
			},
		},
	});
	await turns();
	expect(interaction.form).toBeUndefined();
});

test("a refused form stays open with its errors", async () => {
	const { app, anna, general } = listening(() => ({
		response_action: "errors",
		errors: { reason: "Say more" },
	}));
	const interaction = anna.commands("/parley help", {}, { in: general });
	app.opens(interaction, view);
	anna.submits(interaction, { reason: "no" });
	await turns();
	expect(interaction.form).toMatchObject({ errors: { reason: "Say more" } });
});

test("a form is changed only with its present hash", () => {
	const { app, anna, general } = listening();
	const interaction = anna.commands("/parley help", {}, { in: general });
	const { id, hash } = Object(app.opens(interaction, { ...view, blocks: [section("Wait")] }).body).view;
	const update = (more: object) => app.call("views.update", { view_id: id, view, ...more });
	expect(update({ hash }).body["ok"]).toBe(true);
	expect(interaction.form?.fields).toHaveLength(2);
	expect(errorOf(update({ hash }))).toBe("hash_conflict");
	expect(errorOf(app.call("views.update", { view_id: "V1", view }))).toBe("not_found");
});

test("an incomplete form, or one beyond the limits, is refused", () => {
	const { simulator, app, anna, general } = listening();
	const open = (more: object) => {
		const interaction = anna.commands("/parley help", {}, { in: general });
		return errorOf(app.opens(interaction, { ...view, ...more }));
	};
	expect(open({ title: plain("x".repeat(25)) })).toBe("invalid_arguments");
	expect(open({ private_metadata: "x".repeat(3001) })).toBe("invalid_arguments");
	expect(open({ blocks: Array.from({ length: 101 }, () => ({ type: "divider" })) })).toBe(
		"invalid_arguments",
	);
	const { submit: _, ...withoutSubmit } = view;
	expect(errorOf(app.opens(anna.commands("/parley a", {}, { in: general }), withoutSubmit))).toBe(
		"invalid_arguments",
	);
	expect(simulator.drainViolations().length).toBeGreaterThan(3);
});
