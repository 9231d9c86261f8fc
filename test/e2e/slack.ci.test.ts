import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { runs } from "./machine.ts";
import { read, SlackMachine } from "./slack/slack-machine.ts";

const refusedExitCode = 78;

test("an invitation leads to an approval after all processes were killed, with the real client and programs", {
	timeout: paced(120_000),
}, async () => {
	await using machine = await SlackMachine.open();
	const { simulator, server } = machine;
	const { sockets } = server;
	const [general, mia] = [simulator.channel("general"), simulator.member("Mia")];
	const say = (text: string) => general.thread(mia.says(text, { in: general, mentions: [simulator.bot] }));
	const connected = (count: number) =>
		machine.until(`${count} sockets are open`, () => sockets.open.length === count);

	const first = machine.start(machine.tokens);
	await connected(2);
	const code = await machine.ask("people", "pair", "--role", "owner", "--platform", "slack");
	const welcome = mia.commands(`/parley pair ${code}`, {}, { in: general });
	await machine.until("she is paired", () => welcome.answers().some(({ text }) => text.includes("Welcome")));
	await machine.seen("[offline] good morning", say("say: good morning"));
	const kettle = say("run: echo kettle");
	await machine.seen("echo kettle", kettle);
	await machine.approvable(kettle);
	mia.clicks("Approve once", { in: kettle });
	await machine.seen("returned:\nkettle", kettle);

	// The approval of this tool call is answered only after both processes were killed.
	const teapot = say("run: echo teapot");
	await machine.approvable(teapot);
	const orphan = machine.connectorPid;
	process.kill(orphan, "SIGKILL");
	first.kill("SIGKILL");
	await first.exited;
	await connected(0);
	const away = say("say: while you were away");
	const second = machine.start(machine.tokens);
	await connected(2);
	mia.clicks("Approve once", { in: teapot });
	await machine.seen("returned:\nteapot", teapot);
	await machine.seen("[offline] while you were away", away);

	// These frames would crash Slack's own client. The connector must neither stop nor lose a message.
	const survivor = machine.connectorPid;
	for (const socket of sockets.open)
		for (const frame of ["null", '{"type":"events_api"}']) socket.sends(frame);
	const still = say("say: still here");
	await machine.seen("[offline] still here", still);
	expect(second.logged("Slack sent an undocumented frame")).toBe(true);
	expect(machine.connectorPid).toBe(survivor);
	expect(simulator.pings).toEqual([]);
	for (const [thread, answer] of [
		[away, "while you were away"],
		[still, "still here"],
		[teapot, "returned:"],
	] as const) {
		const logged = thread
			.shows()
			.filter((shown) => read(shown).includes(`[offline]`) && read(shown).includes(answer));
		expect(logged, answer).toHaveLength(1);
	}
	second.kill("SIGTERM");
	expect(await second.exited).toEqual({ code: 0, signal: null });
	expect([runs(orphan), runs(survivor)]).toEqual([false, false]);
});

test("signed requests over HTTP are accepted and answered in their channel", {
	timeout: paced(60_000),
}, async () => {
	await using machine = await SlackMachine.open();
	const { simulator, server } = machine;
	const [general, mia] = [simulator.channel("general"), simulator.member("Mia")];
	const say = (text: string) => general.thread(mia.says(text, { in: general, mentions: [simulator.bot] }));
	const tokens = { SLACK_BOT_TOKEN: simulator.token, SLACK_SIGNING_SECRET: simulator.signingSecret };
	const gateway = machine.start({});
	await machine.until("the gateway listens", () => gateway.stdout.includes("listening on"));
	const code = await machine.ask("people", "pair", "--role", "owner", "--platform", "slack");
	const connector = machine.run(["slack", "--listen", "127.0.0.1:0", "--log-level", "info"], tokens);
	await machine.until("it waits for Slack", () => listening(connector.lines) > 0);
	const events = server.sendsTo(`http://127.0.0.1:${listening(connector.lines)}/slack/events`);
	expect(await events.verify()).toBe(true);
	const welcome = mia.commands(`/parley pair ${code}`, {}, { in: general });
	await machine.until("she is paired", () => welcome.answers().some(({ text }) => text.includes("Welcome")));
	await machine.seen("[offline] good morning", say("say: good morning"));
	const kettle = say("run: echo kettle");
	await machine.until(
		"it can be approved",
		() => kettle.shows().at(-1)?.buttons.includes("Approve once") === true,
	);
	mia.clicks("Approve once", { in: kettle });
	await machine.seen("returned:\nkettle", kettle);
	expect(new Set(events.statuses)).toEqual(new Set([200]));
	expect(server.sockets.opened).toBe(0);
	connector.kill("SIGTERM");
	expect(await connector.exited).toEqual({ code: 0, signal: null });
});

/** Returns the port that the connector has logged, or 0 if it has not logged one. */
function listening(lines: readonly string[]): number {
	const line = lines.find((one) => one.includes("listening for requests of Slack"));
	return line === undefined ? 0 : Number(JSON.parse(line).port);
}

test("a permanently refused connector ends with an error and is not restarted", {
	timeout: paced(60_000),
}, async () => {
	await using machine = await SlackMachine.open();
	const { simulator, server } = machine;
	const supervisor = machine.start({ ...machine.tokens, SLACK_APP_TOKEN: "xapp-1-none" });
	await machine.until("it is given up", () => supervisor.logged("is not restarted"));
	const wrong = machine.run(["slack"], { ...machine.tokens, SLACK_BOT_TOKEN: `${simulator.token}x` });
	expect(await wrong.exited).toEqual({ code: refusedExitCode, signal: null });
	expect(wrong.lines.join("\n")).toMatch(/^parley slack: Slack refuses the bot token \(invalid_auth\): /m);
	expect(wrong.lines.join("\n")).not.toContain(simulator.token);
	expect(server.sockets.opened).toBe(0);
});
