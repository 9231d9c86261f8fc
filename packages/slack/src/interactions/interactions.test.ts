import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import {
	ada,
	chosen,
	command,
	direct,
	openInteractions,
	press,
	trigger,
	url,
} from "../testing/interacting.ts";
import { ok, refused } from "../testing/scripted-slack.ts";

test("a command is stored before Slack gets the acknowledgement", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	expect(
		await dispatch("command", command("task new Count <div> &amp; @ada priority:high ")),
	).toBeUndefined();
	const token = JSON.stringify({ url, channel: "D1", user: "UADA" });
	expect(accepted).toEqual([
		{
			key: { id: `command:${trigger}`, conversation: "T1/D1" },
			inbound: {
				type: "command",
				command: "task new",
				options: { text: "Count <div> &amp; @ada", priority: "high" },
				person: ada,
				room: direct,
				at: clock.now(),
				attachments: [],
				ticket: { id: trigger, token, expiresAt: clock.now() + 1_800_000 },
			},
		},
	]);
});

test("an unknown command is explained at once, to its author", async () => {
	const { dispatch, accepted, port } = await openInteractions();
	expect(await dispatch("command", command(""))).toMatchObject({
		response_type: "ephemeral",
		text: expect.stringContaining("`/parley ask`"),
	});
	expect(await dispatch("command", command("task"))).toMatchObject({
		text: expect.stringContaining("/parley task new"),
	});
	expect(await dispatch("command", { text: 7 })).toMatchObject({
		text: expect.stringContaining("could not read"),
	});
	expect([accepted, port.calls]).toEqual([[], []]);
});

test("in a channel without the bot, a command explains how to invite it", async () => {
	const { dispatch, accepted } = await openInteractions();
	for (const channel_id of ["C3", "C9", "D9"]) {
		expect(await dispatch("command", command("ask hello", { channel_id }))).toMatchObject({
			text: expect.stringContaining("/invite @parley"),
		});
	}
	expect(accepted).toEqual([]);
});

test.each([
	["resource_exhausted", "I am busy"],
	["internal", "could not do that"],
] as const)("a command that is not handled gets the reason: %s", async (code, words) => {
	const { dispatch, log } = await openInteractions(async () => {
		throw new ParleyError("it is full", { code });
	});
	expect(await dispatch("command", command("stop"))).toMatchObject({ text: expect.stringContaining(words) });
	expect(log.records).toMatchObject([{ level: "error" }]);
});

test("slow work is acknowledged in time, and its result is posted afterwards", async () => {
	const slow = Promise.withResolvers<boolean>();
	const reached = Promise.withResolvers<void>();
	const { dispatch, clock, interactions, responses } = await openInteractions(() => {
		reached.resolve();
		return slow.promise;
	});
	const answered = dispatch("command", command("stop"));
	await reached.promise;
	clock.advance(1500);
	expect(await answered).toBeUndefined();
	expect(responses()).toEqual([]);
	slow.reject(new Error("the disk is full"));
	await interactions.settled();
	expect(responses()).toEqual([expect.stringContaining("could not do that")]);
});

test("a press has its values and the post of its control", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	const body = press("choose", clock.now(), { selected_options: [{ value: "a" }, { value: "b" }] });
	expect(await dispatch("interactive", body)).toBeUndefined();
	expect(accepted).toMatchObject([
		{
			key: { id: `press:${trigger}`, conversation: "T1/C1/4.4" },
			inbound: {
				type: "press",
				control: body.actions[0]?.action_id,
				values: ["a", "b"],
				fields: {},
				message: "C1-5.5",
				at: clock.now(),
				room: { channel: "C1", thread: "C1-4.4" },
			},
		},
	]);
	await dispatch("interactive", press("choose", clock.now(), { selected_option: { value: "c" } }));
	expect(accepted.at(-1)?.inbound).toMatchObject({ values: ["c"] });
});

test("a press on the home page belongs to the direct messages of the person, also after a form", async () => {
	const { dispatch, accepted, clock, port } = await openInteractions();
	const view = { type: "home", private_metadata: '{"channel":"D1"}' };
	const onHome = { channel: undefined, message: undefined, container: { type: "view" }, view };
	await dispatch("interactive", { ...press("stop", clock.now()), ...onHome });
	const pressed = { type: "press", home: true, room: { channel: "D1", kind: "direct" } };
	expect(accepted.at(-1)?.inbound).toMatchObject(pressed);
	await dispatch("interactive", { ...press("deny", clock.now()), ...onHome });
	const form = Object(port.calls.find(({ method }) => method === "views.open")?.args["view"]);
	const state = { values: { reason: { reason: { value: "no" } } } };
	const sent = { type: "view_submission", trigger_id: "t2", user: { id: "UADA" }, view: { ...form, state } };
	await dispatch("interactive", sent);
	expect(accepted.at(-1)?.inbound).toMatchObject({ ...pressed, fields: { reason: "no" } });
	await dispatch("interactive", {
		...press("stop", clock.now()),
		...onHome,
		view: { ...view, private_metadata: "x" },
	});
	expect(accepted).toHaveLength(2);
});

test("native feedback is a press of the control of its button", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	const body = press("good", clock.now(), { type: "feedback_buttons", value: "the other control" });
	await dispatch("interactive", body);
	expect(accepted).toMatchObject([{ inbound: { type: "press", control: "the other control" } }]);
	await dispatch("interactive", press("stop", clock.now(), { type: "button", value: "a value" }));
	expect(accepted.at(-1)?.inbound).not.toMatchObject({ control: "a value" });
});

test("a top-level post of a channel belongs to no thread, and neither does a private one", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	const body = press("stop", clock.now());
	await dispatch("interactive", { ...body, message: { ts: "5.5", thread_ts: "5.5" } });
	await dispatch("interactive", { ...body, message: undefined, container: { message_ts: "5.5" } });
	for (const { inbound } of accepted) expect(inbound).toMatchObject({ message: "C1-5.5" });
	expect(accepted.map(({ key }) => key)).toEqual(
		Array(2).fill({ id: `press:${trigger}`, conversation: "T1/C1" }),
	);
});

test("a press that has a form opens it before any request, and returns with the same control", async () => {
	const { dispatch, accepted, port, clock } = await openInteractions();
	const body = press("deny", clock.now());
	const answered = dispatch("interactive", body);
	expect(port.methods).toEqual(["views.open"]);
	expect(await answered).toBeUndefined();
	const { trigger_id, view } = port.last as { trigger_id: string; view: Record<string, unknown> };
	expect(trigger_id).toBe(trigger);
	expect(view).toMatchObject({
		type: "modal",
		callback_id: "parley-form",
		title: { text: "Deny" },
		submit: { text: "Send" },
		blocks: [
			{
				type: "input",
				block_id: "reason",
				optional: true,
				label: { text: "Reason (the agent reads it)" },
				element: { type: "plain_text_input", action_id: "reason", multiline: true, max_length: 300 },
			},
		],
	});
	const submitted = {
		type: "view_submission",
		trigger_id: "9.9.z",
		user: { id: "UADA" },
		view: { ...view, state: { values: { reason: { reason: { type: "plain_text_input", value: null } } } } },
	};
	expect(await dispatch("interactive", submitted)).toBeUndefined();
	expect(accepted).toMatchObject([
		{
			key: { id: "press:9.9.z", conversation: "T1/C1/4.4" },
			inbound: {
				type: "press",
				control: body.actions[0]?.action_id,
				values: [],
				fields: { reason: "" },
				message: "C1-5.5",
				room: { channel: "C1", thread: "C1-4.4" },
				person: ada,
				ticket: { id: "9.9.z", token: JSON.stringify({ channel: "C1", user: "UADA", thread: "4.4" }) },
			},
		},
	]);
});

test("a form with the state of its target opens with the texts in its fields", async () => {
	const queries: object[] = [];
	const { dispatch, accepted, port, clock } = await openInteractions(undefined, async (pressed) => {
		queries.push(pressed);
		const field = { name: "t:path", label: "path", long: true, required: false, maximum: 4000 };
		return { title: "Edit and approve", fields: [{ ...field, value: "a.txt" }] };
	});
	const body = press("edit", clock.now());
	expect(await dispatch("interactive", body)).toBeUndefined();
	expect(queries).toMatchObject([
		{ control: body.actions[0]?.action_id, person: ada, room: { channel: "C1", thread: "C1-4.4" } },
	]);
	expect(port.last).toMatchObject({
		view: {
			title: { text: "Edit and approve" },
			blocks: [
				{
					...{ block_id: "t:path", label: { text: "path" } },
					element: { action_id: "t:path", multiline: true, max_length: 3000, initial_value: "a.txt" },
				},
			],
		},
	});
	expect(accepted).toEqual([]);
});

test("a press whose target has no form becomes an inbound event, which has an answer", async () => {
	const { dispatch, accepted, port, clock } = await openInteractions();
	expect(await dispatch("interactive", press("edit", clock.now()))).toBeUndefined();
	expect(port.methods).not.toContain("views.open");
	expect(accepted).toMatchObject([{ inbound: { type: "press", fields: {} } }]);
});

test("a form that does not open is reported", async () => {
	const { dispatch, port, clock, interactions, responses } = await openInteractions();
	port.answer("views.open", refused("expired_trigger_id"));
	await dispatch("interactive", press("deny", clock.now()));
	await interactions.settled();
	expect(responses()).toEqual([expect.stringContaining("press the button again")]);
});

test("a refused form stays open with its texts", async () => {
	const { dispatch, log } = await openInteractions(async () => {
		throw new Error("the disk is full");
	});
	const view = (private_metadata: string) => ({
		type: "view_submission",
		trigger_id: trigger,
		user: { id: "UADA" },
		view: {
			callback_id: "parley-form",
			private_metadata,
			state: { values: { text: { text: { value: "so" } } } },
		},
	});
	const metadata = JSON.stringify({ control: "x", channel: "D1" });
	const refusal = {
		response_action: "errors",
		errors: { text: expect.stringContaining("could not do that") },
	};
	expect(await dispatch("interactive", view(metadata))).toEqual(refusal);
	expect(log.records).toHaveLength(1);
	for (const other of ["", "{}", "[]"]) {
		expect(await dispatch("interactive", view(other))).toMatchObject({
			errors: { text: expect.stringContaining("read") },
		});
	}
});

test("a press without a known person gets the advice to try again", async () => {
	const { dispatch, port, clock, interactions, accepted, responses } = await openInteractions();
	port.answer("users.info", { type: "rate-limited", retryAfterMs: 1000 });
	expect(await dispatch("interactive", press("stop", clock.now()))).toBeUndefined();
	await interactions.settled();
	expect(accepted).toEqual([]);
	expect(responses()).toEqual([expect.stringContaining("try again")]);
});

test("the result of a press in a thread is posted there, also if its address is exhausted", async () => {
	const { dispatch, port, clock, interactions } = await openInteractions();
	const limited = { type: "rate-limited", retryAfterMs: 1000 } as const;
	port.answer("users.info", limited, limited);
	port.answer("respond", ok(), refused("expired_url"));
	await dispatch("interactive", press("stop", clock.now()));
	await interactions.settled();
	const text = expect.stringContaining("try again");
	expect(port.last).toMatchObject({ url, thread_ts: "4.4", response_type: "ephemeral", text });
	await dispatch("interactive", press("stop", clock.now()));
	await interactions.settled();
	expect(port.methods.at(-1)).toBe("chat.postEphemeral");
	expect(port.last).toEqual({ channel: "C1", user: "UADA", thread_ts: "4.4", text });
});

test("the menu of a message asks about it, in its thread", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	const files = [{ id: "F1", name: "a", size: 1, url_private: "https://files/a" }];
	await dispatch("interactive", chosen("ask_about_this", clock.now(), { files }));
	expect(accepted).toMatchObject([
		{
			key: { id: `command:${trigger}`, conversation: "T1/C1/5.5" },
			inbound: {
				type: "command",
				command: "ask",
				person: ada,
				attachments: [{ id: "F1" }],
				target: { message: "C1-5.5", text: "Count [these](https://a.b)" },
			},
		},
	]);
});

test("the menu of a message makes a task from its text, if it has any", async () => {
	const { dispatch, accepted, clock, interactions, responses } = await openInteractions();
	await dispatch("interactive", chosen("make_it_a_task", clock.now(), { thread_ts: "4.4" }));
	expect(accepted).toMatchObject([
		{
			key: { conversation: "T1/C1/4.4" },
			inbound: { command: "task new", options: { text: "Count [these](https://a.b)" } },
		},
	]);
	await dispatch("interactive", chosen("make_it_a_task", clock.now(), { text: "" }));
	await dispatch("interactive", { ...chosen("make_it_a_task", clock.now()), channel: { id: "C3" } });
	await interactions.settled();
	expect(accepted).toHaveLength(1);
	expect(responses()).toEqual([expect.stringContaining("no text"), expect.stringContaining("/invite")]);
});

test("the menu of an alert of another app covers its complete text", async () => {
	const { dispatch, accepted, clock } = await openInteractions();
	const attachments = [{ author_name: "Monitor", text: "web-1 is <https://a.b|down>", fallback: "down" }];
	const alert = { text: "", bot_id: "B7", attachments };
	const text = "> Monitor:\n> web-1 is [down](https://a.b)";
	await dispatch("interactive", chosen("ask_about_this", clock.now(), alert));
	await dispatch("interactive", chosen("make_it_a_task", clock.now(), alert));
	expect(accepted).toMatchObject([
		{ inbound: { command: "ask", target: { text } } },
		{ inbound: { command: "task new", options: { text } } },
	]);
});

test("a malformed or foreign interaction is only counted and acknowledged", async () => {
	const { dispatch, accepted, malformed } = await openInteractions();
	const bodies = [
		null,
		{},
		{ type: "block_actions" },
		{ type: "view_submission" },
		{ type: "message_action" },
	];
	for (const body of bodies) expect(await dispatch("interactive", body)).toBeUndefined();
	expect(malformed.count).toBe(bodies.length);
	for (const type of ["view_closed", "shortcut", "block_suggestion"]) await dispatch("interactive", { type });
	expect([accepted, malformed.count]).toEqual([[], bodies.length]);
});
