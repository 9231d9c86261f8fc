import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { House, read } from "./discord/house.ts";
import { runs } from "./machine.ts";

const refusedExitCode = 78;

test("from the invitation to an approval after everything was killed: the real client, the real programs", {
	timeout: paced(120_000),
}, async () => {
	await using house = await House.open();
	const { world, requests, watch } = house;
	const { identifies } = world.state;
	const syncs = () => requests.filter((label) => !label.startsWith("GET") && label.includes("/commands"));
	const [general, mia] = [world.channel("general"), world.member("Mia")];
	const say = (text: string) => mia.says(text, { in: general, mentions: [world.bot] });

	const first = house.start(house.tokens);
	await house.until("the commands are there", () => world.commands().some(({ name }) => name === "help"));
	const code = await house.ask("people", "pair", "--role", "owner", "--platform", "discord");
	const welcome = mia.commands("/pair", { code }, { in: general });
	await house.until("she is welcome", () => welcome.answers().some(({ text }) => text.includes("Welcome")));
	say("say: good morning");
	await house.seen("[offline] good morning", general);
	say("run: echo kettle");
	await house.seen("echo kettle", general);
	await house.until("it can be approved", () => general.last().buttons.includes("Approve once"));
	mia.clicks("Approve once");
	await house.seen("returned:\nkettle", general);

	// A tool call whose approval comes only after both processes were killed.
	say("run: echo teapot");
	await house.until("it can be approved", () => general.last().buttons.includes("Approve once"));
	const [synced, orphan] = [syncs().length, house.connectorPid];
	first.kill("SIGKILL");
	await first.exited;
	await house.until("the connector has left", () => world.gateway.connections === 0);
	say("say: while you were away");
	const second = house.start(house.tokens);
	await house.until("it is back", () => world.gateway.connections === 1);
	mia.clicks("Approve once");
	await house.seen("returned:\nteapot", general);
	await house.seen("[offline] while you were away", general);

	// Only the connector is killed and restarted.
	const killed = house.connectorPid;
	process.kill(killed, "SIGKILL");
	await house.until("it has left", () => world.gateway.connections === 0);
	say("say: are you there");
	await house.seen("[offline] are you there", general);
	expect(house.connectorPid).not.toBe(killed);
	// The end of an orphan process cannot be awaited. It had the time of all steps above.
	expect(runs(orphan)).toBe(false);
	expect(second.told("a connector ended and is started again")).toBe(true);

	// Deviations from the documentation of Discord are reported and end no process.
	const survivor = house.connectorPid;
	world.state.emit({ t: "MESSAGE_CREATE" as never, d: { id: 7, channel_id: null }, intents: 0 });
	await watch.until("it is told", () => second.told("MESSAGE_CREATE"));
	expect(world.takeViolations().join()).toContain("the simulator's MESSAGE_CREATE");
	say("say: still here");
	await house.seen("[offline] still here", general);
	expect(house.connectorPid).toBe(survivor);

	// One Discord session for the complete test, and the commands were registered once.
	expect(identifies).toHaveLength(1);
	expect([synced > 0, syncs().length - synced]).toEqual([true, 0]);
	expect(world.pings).toEqual([]);
	const count = (text: string) => general.shows().filter((shown) => read(shown).includes(text)).length;
	for (const answer of ["good morning", "while you were away", "are you there", "still here"]) {
		expect(count(`[offline] ${answer}`), answer).toBe(1);
	}
	second.kill("SIGTERM");
	expect(await second.exited).toEqual({ code: 0, signal: null });
	expect(runs(survivor)).toBe(false);
});

test("a permanently refused connector ends with an error and is not restarted", {
	timeout: paced(60_000),
}, async () => {
	await using house = await House.open();
	const { world } = house;
	world.state.app.privileged = 0;
	const supervisor = house.start(house.tokens);
	await house.until("it is given up", () => supervisor.told("not started again"));
	const refused = house.run(["discord"], house.tokens);
	expect(await refused.exited).toEqual({ code: refusedExitCode, signal: null });
	expect(refused.lines.join("\n")).toMatch(/^parley discord: .*Message Content/im);

	const wrong = house.run(["discord"], { DISCORD_TOKEN: `${world.token}x` });
	expect(await wrong.exited).toEqual({ code: refusedExitCode, signal: null });
	expect(wrong.lines.join("\n")).toMatch(/^parley discord: .*DISCORD_TOKEN/m);
	expect(wrong.lines.join("\n")).not.toContain(world.token);
	expect(world.gateway.connections).toBe(0);
});
