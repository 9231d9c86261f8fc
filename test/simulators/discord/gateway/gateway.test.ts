import { GatewayIntentBits as Intents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import type { SimulatorOptions } from "../platform/simulator.ts";
import { pausedSimulator } from "../rest/direct-client.ts";
import type { Dispatch, Order, Sink } from "./session.ts";

const all = Intents.Guilds | Intents.GuildMessages | Intents.DirectMessages | Intents.MessageContent;

function listener() {
	const received: (Dispatch | Order)[] = [];
	const ends: (number | "cut")[] = [];
	const sink: Sink = {
		send: (payload) => void received.push(payload),
		cut: () => void ends.push("cut"),
		close: (code) => void ends.push(code),
	};
	const events = (): string[] => received.flatMap(({ t }) => t ?? []);
	const data = (t: string) => received.filter((payload) => payload.t === t).map(({ d }) => Object(d));
	return { sink, received, ends, events, data };
}

function gatewaySimulator(intents: number = all, options: SimulatorOptions = {}) {
	const parts = pausedSimulator(options);
	const ear = listener();
	const { gateway, token } = parts.simulator;
	return { ...parts, gateway, token, ear, session: gateway.identify({ token, intents }, ear.sink) };
}

async function arrival(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test("a session starts with READY and its guilds, and numbers its events", async () => {
	const { simulator, general, anna, ear } = gatewaySimulator();
	anna.says("Hello", { in: general });
	await arrival();
	expect(ear.received.map(({ t, s }) => [t, s])).toEqual([
		["READY", 1],
		["GUILD_CREATE", 2],
		["MESSAGE_CREATE", 3],
	]);
	expect(ear.data("READY")).toMatchObject([{ guilds: [{ id: simulator.home.id, unavailable: true }] }]);
	simulator.close();
});

test.each([
	["a wrong token", { token: "wrong", intents: all }, 4004],
	["a shard that there is not", { intents: all, shard: [1, 1] as const }, 4010],
	["intents that there are not", { intents: 1 << 30 }, 4013],
])("%s ends the connection", (_, identify, code) => {
	const { simulator } = pausedSimulator();
	const begin = () => simulator.gateway.identify({ token: simulator.token, ...identify }, listener().sink);
	expect(begin).toThrow(expect.objectContaining({ code }));
});

test("an intent that is not enabled ends the connection with 4014", () => {
	const { simulator } = pausedSimulator({ privileged: 0 });
	const begin = () => simulator.gateway.identify({ token: simulator.token, intents: all }, listener().sink);
	expect(begin).toThrow(expect.objectContaining({ code: 4014 }));
});

test("session starts per day are limited", () => {
	const { simulator, clock, app } = gatewaySimulator(all, { settings: { identifiesPerDay: 1 } });
	const limit = () => Object(app.get("/gateway/bot").body).session_start_limit;
	expect(limit()).toMatchObject({ total: 1, remaining: 0, reset_after: 24 * 3_600_000 });
	const begin = () => simulator.gateway.identify({ token: simulator.token, intents: all }, listener().sink);
	expect(begin).toThrow(expect.objectContaining({ code: 4004 }));
	clock.advance(24 * 3_600_000);
	expect(begin().seq).toBeGreaterThan(0);
});

test("only subscribed events are received", async () => {
	const { anna, general, ear } = gatewaySimulator(Intents.GuildMessages);
	anna.says("Here", { in: general });
	anna.says("There", { in: anna.dm });
	anna.typesIn(general);
	await arrival();
	expect(ear.events()).toEqual(["READY", "MESSAGE_CREATE"]);
});

test("events of a channel that the app cannot see are not received", async () => {
	const { simulator, anna, ear } = gatewaySimulator();
	const secret = simulator.channel("secret");
	secret.permit(simulator.bot, { deny: ["ViewChannel"] });
	anna.says("Psst", { in: secret });
	await arrival();
	expect(ear.events()).not.toContain("MESSAGE_CREATE");
});

test("without the intent, content is empty except in messages that mention the app, are sent to it only, or are its own", async () => {
	const { simulator, app, anna, general, ear } = gatewaySimulator(all & ~Intents.MessageContent);
	const attachments = [{ name: "a.txt", content: "a" }];
	const sentMessage = anna.says("Hidden", { in: general, attachments });
	anna.says(`${simulator.mention} named`, { in: general });
	anna.says("direct", { in: anna.dm });
	app.posts(general, {
		content: "own",
		message_reference: { message_id: sentMessage.id },
		allowed_mentions: { parse: [] },
	});
	await arrival();
	const [hidden, ...others] = ear.data("MESSAGE_CREATE");
	expect(hidden).toMatchObject({ content: "", attachments: [] });
	expect(others.map(({ content }) => content)).toEqual([`${simulator.mention} named`, "direct", "own"]);
	expect(others.at(-1)?.referenced_message).toMatchObject({ content: "" });
});

test("without the intent, REST returns no content either", () => {
	const { app, anna, general } = pausedSimulator({ privileged: 0 });
	anna.says("Hidden", { in: general });
	expect(app.get(`/channels/${general.id}/messages`).body).toMatchObject([{ content: "" }]);
});

test("an ephemeral response is received as a direct message, without guild and member", async () => {
	const { app, anna, general, ear } = gatewaySimulator(Intents.DirectMessages);
	const row = { type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "go" }] };
	app.posts(general, { content: "Sure?", components: [row] });
	app.answers(anna.clicks("Go"), { type: 4, data: { content: "For you", flags: 64 } });
	await arrival();
	const [message] = ear.data("MESSAGE_CREATE");
	expect(message).toMatchObject({ content: "For you", flags: 64 });
	expect(message).not.toHaveProperty("guild_id");
});

test("a resumed client receives missed events in order, and then RESUMED", async () => {
	const { simulator, anna, general, gateway, token, ear, session } = gatewaySimulator();
	await arrival();
	gateway.leave(session, ear.sink, 1006);
	for (const text of ["one", "two"]) anna.says(text, { in: general });
	const next = listener();
	gateway.resume({ token, sessionId: session.id, seq: 2 }, next.sink);
	await arrival();
	expect(next.events()).toEqual(["MESSAGE_CREATE", "MESSAGE_CREATE", "RESUMED"]);
	expect(next.data("MESSAGE_CREATE").map(({ content }) => content)).toEqual(["one", "two"]);
	expect(ear.events()).toEqual(["READY", "GUILD_CREATE"]);
	simulator.close();
});

test("an overtaking event is numbered first, and a connection that ends at that time loses no event", async () => {
	const { simulator, anna, general, clock, gateway, token, ear, session } = gatewaySimulator();
	const other = simulator.channel("other");
	gateway.unruly({ reorder: 1 });
	anna.says("one", { in: general });
	anna.says("two", { in: other });
	anna.says("three", { in: general });
	await arrival();
	expect(ear.data("MESSAGE_CREATE").map(({ content }) => content)).toEqual(["two", "one"]);
	gateway.leave(session, ear.sink, 1006);
	clock.advance(100);
	const next = listener();
	gateway.resume({ token, sessionId: session.id, seq: session.seq - 1 }, next.sink);
	await arrival();
	expect(next.data("MESSAGE_CREATE").map(({ content }) => content)).toEqual(["three"]);
	const numbers = [...ear.received, ...next.received].flatMap(({ s }) => s ?? []);
	expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test("a session that ended with 1000 or 1001, or without a resume in time, is not resumed", () => {
	const { clock, gateway, token } = gatewaySimulator();
	const again = (code: number, waitMs: number) => {
		const { sink } = listener();
		const session = gateway.identify({ token, intents: all }, sink);
		gateway.leave(session, sink, code);
		clock.advance(waitMs);
		return gateway.resume({ token, sessionId: session.id, seq: 1 }, listener().sink) !== undefined;
	};
	expect([again(1000, 0), again(1001, 0), again(4200, 179_000), again(4200, 180_000)]).toEqual([
		...[false, false, true, false],
	]);
});

test("a number that was never sent ends the connection with 4007", () => {
	const { gateway, token, session } = gatewaySimulator();
	const resume = () => gateway.resume({ token, sessionId: session.id, seq: 99 }, listener().sink);
	expect(resume).toThrow(expect.objectContaining({ code: 4007 }));
});

test("connections can be cut, requested to reconnect, invalidated, and closed", async () => {
	const { gateway, token, ear, session } = gatewaySimulator();
	gateway.drop();
	gateway.reconnect();
	gateway.invalidate(true);
	gateway.close(4000);
	await arrival();
	expect(ear.ends).toEqual(["cut", 4000]);
	expect(ear.received.filter(({ op }) => op !== 0).map(({ op, d }) => [op, d])).toEqual([
		[7, null],
		[9, true],
	]);
	gateway.invalidate();
	expect(gateway.resume({ token, sessionId: session.id, seq: 1 }, ear.sink)).toBeUndefined();
});

test("a connection that only looks alive receives no events until it is resumed", async () => {
	const { anna, general, gateway, token, ear, session } = gatewaySimulator();
	await arrival();
	gateway.zombie = true;
	anna.says("Hello?", { in: general });
	await arrival();
	expect(ear.events()).not.toContain("MESSAGE_CREATE");
	gateway.zombie = false;
	const next = listener();
	gateway.resume({ token, sessionId: session.id, seq: 2 }, next.sink);
	await arrival();
	expect(next.events()).toEqual(["MESSAGE_CREATE", "RESUMED"]);
	expect(ear.ends).toEqual(["cut"]);
});

test("events of all actions of people and apps match discord-api-types", async () => {
	const everything = Object.values(Intents).reduce<number>(
		(sum, bit) => (typeof bit === "number" ? sum | bit : sum),
		0,
	);
	const { simulator, clock, app, anna, general, ear } = gatewaySimulator(everything);
	const row = { type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "go" }] };
	const options = [{ label: "A", value: "a" }];
	const choice = { type: 1, components: [{ type: 3, custom_id: "choice", placeholder: "Choose", options }] };
	app.posts(general, { content: "Sure?", components: [row, choice], embeds: [{ title: "T" }] });
	const interaction = anna.clicks("Go");
	const form = {
		title: "T",
		custom_id: "m",
		components: [{ type: 18, label: "L", component: { type: 4, custom_id: "a", style: 1 } }],
	};
	app.answers(interaction, { type: 9, data: form });
	app.answers(anna.submits(interaction, { L: "x" }), { type: 5, data: { flags: 64 } });
	app.answers(anna.chooses("A"), { type: 7, data: { content: "Chosen" } });
	const command = {
		name: "ask",
		description: "Ask",
		options: [{ type: 3, name: "text", description: "T", autocomplete: true }],
	};
	for (const body of [command, { name: "Look", type: 3 }]) {
		app.call("POST", `/applications/${simulator.state.app.id}/commands`, { body });
	}
	anna.types("/ask", { text: "a" }, { in: anna.dm });
	app.answers(anna.commands("/ask", { text: "a" }, { in: general }), {
		type: 4,
		data: { content: "Answer" },
	});
	const sentMessage = anna.says("Look", {
		in: general,
		replyTo: general.last(),
		attachments: [{ name: "a", content: "a" }],
	});
	anna.commands("Look", {}, { in: general, on: sentMessage });
	anna.edits(sentMessage, "Look!");
	general.unfurls(sentMessage);
	anna.reacts("👀", { on: sentMessage });
	anna.unreacts("👀", { on: sentMessage });
	const thread = anna.opensThread("Talk", { of: sentMessage });
	app.call("PUT", `/channels/${thread.id}/thread-members/@me`);
	anna.typesIn(thread);
	app.posts(thread, { content: "Hi", allowed_mentions: { parse: [] } });
	thread.rename("Talks");
	clock.advance(1000);
	thread.archive({ locked: true });
	thread.delete();
	anna.deletes(sentMessage);
	const role = simulator.home.role("ops");
	anna.gains(role);
	anna.loses(role);
	const visitor = simulator.member("Visitor", { guest: true });
	simulator.home.removes(visitor);
	general.permit(simulator.home, { deny: ["SendMessages"] });
	general.rename("main");
	simulator.channel("gone").delete();
	simulator.home.permits(simulator.home.botRole(), ["ViewChannel"]);
	general.receives("CI", "Build failed");
	simulator.guild("Other").removesApp();
	await arrival();
	expect(new Set(ear.events())).toEqual(
		new Set([
			...[
				"READY",
				"GUILD_CREATE",
				"GUILD_DELETE",
				"GUILD_ROLE_CREATE",
				"GUILD_ROLE_UPDATE",
				"GUILD_MEMBER_ADD",
				"GUILD_MEMBER_UPDATE",
			],
			...["GUILD_MEMBER_REMOVE", "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE"],
			...["THREAD_UPDATE", "THREAD_DELETE", "THREAD_MEMBERS_UPDATE", "MESSAGE_CREATE", "MESSAGE_UPDATE"],
			...[
				"MESSAGE_DELETE",
				"MESSAGE_REACTION_ADD",
				"MESSAGE_REACTION_REMOVE",
				"TYPING_START",
				"INTERACTION_CREATE",
			],
		]),
	);
	expect(simulator.drainViolations()).toEqual([]);
});
