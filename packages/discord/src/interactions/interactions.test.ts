import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { type ControlKind, Controls, type Form, type InboundEvent } from "@parley/connector";
import { expect, test } from "vitest";
import { Channels } from "../intake/channels.ts";
import { Tickets } from "../surface/private-answers.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { Interactions } from "./interactions.ts";

const controls = new Controls("secret");
const clockStart = Date.UTC(2026, 0, 1);
const id = snowflakeAt(clockStart);
const callback = `POST /interactions/${id}/tok/callback`;
const user = { id: "42", username: "ada" };
const head = {
	...{ id, token: "tok", application_id: "501", guild_id: "1", channel_id: "20" },
	...{ channel: { id: "20", type: 11, parent_id: "10" }, member: { nick: "Ada", roles: ["7"], user } },
};
const command = {
	...head,
	type: 2,
	data: { name: "ask", type: 1, options: [{ name: "question", type: 3, value: "why?" }] },
};

type Accept = (inbound: InboundEvent, key: { id: string; conversation: string }) => Promise<boolean>;
type Suggested = readonly { value: string; label: string }[];

interface More {
	accept?: Accept;
	complete?: (query: object) => Promise<Suggested>;
	form?: () => Promise<Form | undefined>;
}

function open(more: More = {}) {
	const clock = new ManualClock(clockStart);
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const tickets = new Tickets();
	const accepted: unknown[] = [];
	const connector = {
		accept: async (inbound: InboundEvent, key: { id: string; conversation: string }) => {
			accepted.push({ inbound, key });
			return more.accept?.(inbound, key) ?? true;
		},
		complete: more.complete ?? (async () => []),
		form: more.form ?? (async () => undefined),
	};
	const channels = new Channels({ port, clock });
	const self = { user: "500", application: "501" };
	const interactions = new Interactions({ self, port, channels, controls, tickets, connector, clock, log });
	const dispatch = async (data: unknown): Promise<void> => {
		interactions.handle(data);
		await interactions.settled();
	};
	return { clock, port, log, tickets, accepted, interactions, dispatch };
}

const deferred = { type: 5, data: { flags: 64 } };
const press = (kind: ControlKind, data: object = {}) => {
	const custom_id = controls.write({ kind, session: "sess_1", subject: "x" });
	return { ...head, type: 3, data: { custom_id, component_type: 2, ...data }, message: { id: "77" } };
};

test("a command is stored before Discord gets the acknowledgement", async () => {
	const { port, accepted, dispatch } = open({
		accept: async () => {
			expect(port.requests).toEqual([]);
			return true;
		},
	});
	await dispatch(command);
	expect(accepted).toEqual([
		{
			key: { id: `command:${id}`, conversation: "20" },
			inbound: {
				...{
					type: "command",
					command: "ask",
					options: { question: "why?" },
					attachments: [],
					at: clockStart,
				},
				room: { tenant: "1", channel: "10", thread: "20", shared: false, kind: "channel" },
				person: { id: "42", name: "Ada", roles: ["7"], guest: false, bot: false },
				ticket: { id, token: "tok", expiresAt: clockStart + 900_000 },
			},
		},
	]);
	expect(port.requests).toEqual([
		{ method: "POST", path: callback.slice(5), body: deferred, authorized: false },
	]);
});

test("a press has its values and the post of its control", async () => {
	const { accepted, port, dispatch } = open();
	const data = press("choose", { values: ["a", "b"] });
	await dispatch(data);
	expect(accepted).toMatchObject([
		{
			inbound: { type: "press", control: data.data.custom_id, values: ["a", "b"], fields: {}, message: "77" },
		},
	]);
	expect(port.last).toEqual(deferred);
});

test("a press that has a form opens it at once, and its text returns with the same control", async () => {
	const { accepted, port, interactions, dispatch } = open();
	const { data } = press("deny");
	interactions.handle(press("deny"));
	// The answer is sent before the first `await`.
	expect(port.requestLines).toEqual([callback]);
	expect(port.last).toEqual({
		type: 9,
		data: {
			...{ custom_id: data.custom_id, title: "Deny" },
			components: [
				{
					...{ type: 18, label: "Reason (the agent reads it)" },
					component: { type: 4, custom_id: "reason", style: 2, required: false, max_length: 300 },
				},
			],
		},
	});
	await interactions.settled();
	expect(accepted).toEqual([]);
	const field = { type: 4, custom_id: "reason", value: "no" };
	for (const component of [
		{ type: 18, component: field },
		{ type: 1, components: [field] },
	]) {
		const components = [{ type: 10 }, component];
		await dispatch({
			...head,
			type: 5,
			data: { custom_id: data.custom_id, components },
			message: { id: "77" },
		});
	}
	const submitted = { control: data.custom_id, fields: { reason: "no" }, message: "77", values: [] };
	expect(accepted).toMatchObject([{ inbound: submitted }, { inbound: submitted }]);
	expect(port.last).toEqual(deferred);
});

const edit: Form = {
	title: "Edit and approve",
	fields: [
		{ name: "t:path", label: "path", long: true, required: false, maximum: 4000, value: "a.txt" },
		{ name: "t:content", label: "content", long: true, required: false, maximum: 9000, value: "" },
	],
};

test("a form with the state of its target opens with the texts in its fields", async () => {
	const { port, accepted, dispatch } = open({ form: async () => edit });
	await dispatch(press("edit"));
	const input = { type: 4, style: 2, required: false, max_length: 4000 };
	expect(port.last).toMatchObject({
		type: 9,
		data: {
			title: "Edit and approve",
			components: [
				{ type: 18, label: "path", component: { ...input, custom_id: "t:path", value: "a.txt" } },
				{ type: 18, label: "content", component: { ...input, custom_id: "t:content" } },
			],
		},
	});
	expect(JSON.stringify(port.last)).not.toContain('"value":""');
	expect(accepted).toEqual([]);
});

test("a press whose target has no form becomes an inbound event, which has an answer", async () => {
	const { port, accepted, dispatch } = open();
	await dispatch(press("edit"));
	expect(accepted).toMatchObject([{ inbound: { type: "press", fields: {}, message: "77" } }]);
	expect(port.last).toEqual(deferred);
});

test("a button without Parley's signature still arrives and gets an explanation", async () => {
	const { accepted, dispatch } = open();
	await dispatch({ ...press("stop"), data: { custom_id: "old", component_type: 2 } });
	expect(accepted).toMatchObject([{ inbound: { control: "old" } }]);
});

test("with a slow disk, Discord is answered first, and private answers wait for the event", async () => {
	const slow = Promise.withResolvers<boolean>();
	const { clock, port, tickets, interactions } = open({ accept: () => slow.promise });
	interactions.handle(command);
	clock.advance(1499);
	expect(port.requests).toEqual([]);
	clock.advance(1);
	expect(port.last).toEqual(deferred);
	let isAnswered = false;
	const answered = tickets.answered(id).then(() => {
		isAnswered = true;
	});
	await Promise.resolve();
	expect(isAnswered).toBe(false);
	slow.resolve(true);
	await interactions.settled();
	await answered;
	expect(port.requests).toHaveLength(1);
	await tickets.answered("never opened");
});

test.each([
	[new ParleyError("full", { code: "resource_exhausted" }), "I am busy."],
	[new Error("disk"), "I could not do that."],
])("an event that cannot be stored (%s) is reported to the person", async (error, words) => {
	const { port, log, dispatch } = open({ accept: () => Promise.reject(error) });
	await dispatch(command);
	expect(port.last).toMatchObject({ type: 4, data: { flags: 64, content: expect.stringContaining(words) } });
	expect(port.last).toHaveProperty(["data", "allowed_mentions"], { parse: [], replied_user: false });
	expect(log.records.map(({ level }) => level)).toEqual(["error"]);
});

test("a later failure is reported in the deferred answer", async () => {
	const slow = Promise.withResolvers<boolean>();
	const { clock, port, interactions } = open({ accept: () => slow.promise });
	interactions.handle(command);
	clock.advance(1500);
	slow.reject(new Error("disk"));
	await interactions.settled();
	expect(port.requestLines).toEqual([callback, "PATCH /webhooks/501/tok/messages/@original"]);
	expect(port.last).toEqual({
		content: "I could not do that. Please try again in a moment.",
		allowed_mentions: { parse: [], replied_user: false },
	});
});

test.each([10_062, 40_060])(
	"an existing response of Discord, or a missing one (%d), ends nothing",
	async (code) => {
		const { port, log, dispatch } = open();
		port.answer(callback, { status: 400, body: { code } });
		await dispatch(command);
		expect(port.requests).toHaveLength(1);
		expect(log.records).toMatchObject([{ level: "warn", fields: { fault: code } }]);
	},
);

test("a lost answer is sent once more, as long as there is time", async () => {
	const { port, dispatch, clock, interactions } = open();
	port.answer(callback, new Error("reset"), { status: 200 });
	await dispatch(command);
	expect(port.requestLines).toEqual([callback, callback]);
	port.answer(callback, () => {
		clock.advance(2501);
		return { status: 502 };
	});
	interactions.handle(command);
	await interactions.settled();
	expect(port.requests).toHaveLength(3);
});

const completing = {
	...head,
	type: 4,
	data: {
		name: "task",
		options: [
			{
				...{ name: "show", type: 1 },
				options: [
					{ name: "state", type: 3, value: "open" },
					{ name: "task", type: 3, value: "ab", focused: true },
				],
			},
		],
	},
};

test("suggestions are requested with the typed text, and fit the limits", async () => {
	const queries: object[] = [];
	const long = { value: "v".repeat(101), label: "too long" };
	const many = Array.from({ length: 30 }, (_, n) => ({ value: `v${n}`, label: "l".repeat(150) }));
	const { port, dispatch } = open({
		complete: async (one) => {
			queries.push(one);
			return [long, ...many];
		},
	});
	await dispatch(completing);
	expect(queries).toMatchObject([
		{ command: "task show", option: "task", typed: "ab", options: { state: "open" }, person: { id: "42" } },
	]);
	const choices = many.slice(0, 25).map(({ value }) => ({ value, name: `${"l".repeat(99)}…` }));
	expect(port.last).toEqual({ type: 8, data: { choices } });
});

test("without suggestions in time, or after a failure, the list is empty", async () => {
	const never = open({ complete: () => new Promise<never>(() => undefined) });
	never.interactions.handle(completing);
	never.clock.advance(2500);
	await never.interactions.settled();
	const fails = open({ complete: () => Promise.reject(new Error("away")) });
	await fails.dispatch(completing);
	for (const { port } of [never, fails]) expect(port.last).toEqual({ type: 8, data: { choices: [] } });
});

test("an unreadable interaction is answered with a text if possible, and never throws", async () => {
	const { port, dispatch, interactions, accepted } = open();
	await dispatch(null);
	expect(port.requests).toEqual([]);
	for (const broken of [
		{ member: null },
		{ channel: null, channel_id: null },
		{ data: { name: 7 } },
		{ type: 3 },
	]) {
		await dispatch({ ...command, ...broken });
		expect(port.last).toMatchObject({
			type: 4,
			data: { content: "I could not read your request. Please try again." },
		});
	}
	await dispatch({ ...command, type: 99 });
	expect(interactions.malformed).toBe(6);
	expect(port.requests).toHaveLength(4);
	expect(accepted).toEqual([]);
});

test("an old press that already failed for the person is not performed", async () => {
	const { port, log, dispatch, accepted } = open();
	await dispatch({ ...command, id: snowflakeAt(clockStart - 61_000) });
	expect([accepted, port.requests]).toEqual([[], []]);
	expect(log.records).toMatchObject([
		{ level: "warn", message: "an interaction arrived too late for an answer" },
	]);
});

test("the token of an interaction is only in its path", async () => {
	const { port, dispatch } = open();
	await dispatch(command);
	expect(JSON.stringify(port.last)).not.toContain("tok");
});
