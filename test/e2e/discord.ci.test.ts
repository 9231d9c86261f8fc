import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { DiscordMachine, read } from "./discord/discord-machine.ts";
import { runs } from "./machine.ts";

const refusedExitCode = 78;

test("an invitation leads to an approval after all processes were killed, with the real client and programs", {
	timeout: paced(120_000),
}, async () => {
	await using machine = await DiscordMachine.open();
	const { simulator, requests, watch } = machine;
	const { identifies } = simulator.state;
	const syncs = () => requests.filter((label) => !label.startsWith("GET") && label.includes("/commands"));
	const [general, mia] = [simulator.channel("general"), simulator.member("Mia")];
	const say = (text: string) => mia.says(text, { in: general, mentions: [simulator.bot] });

	const first = machine.start(machine.tokens);
	await machine.until("the commands are registered", () =>
		simulator.commands().some(({ name }) => name === "help"),
	);
	const code = await machine.ask("people", "pair", "--role", "owner", "--platform", "discord");
	const welcome = mia.commands("/pair", { code }, { in: general });
	await machine.until("she is paired", () => welcome.answers().some(({ text }) => text.includes("Welcome")));
	say("say: good morning");
	await machine.seen("[offline] good morning", general);
	say("run: echo kettle");
	await machine.seen("echo kettle", general);
	await machine.until("it can be approved", () => general.last().buttons.includes("Approve once"));
	mia.clicks("Approve once");
	await machine.seen("returned:\nkettle", general);

	// The approval of this tool call is answered only after both processes were killed.
	say("run: echo teapot");
	await machine.until("it can be approved", () => general.last().buttons.includes("Approve once"));
	const [synced, orphan] = [syncs().length, machine.connectorPid];
	first.kill("SIGKILL");
	await first.exited;
	await machine.until("the connector has left", () => simulator.gateway.connections === 0);
	say("say: while you were away");
	const second = machine.start(machine.tokens);
	await machine.until("it is back", () => simulator.gateway.connections === 1);
	mia.clicks("Approve once");
	await machine.seen("returned:\nteapot", general);
	await machine.seen("[offline] while you were away", general);

	// Kills only the connector, which the gateway restarts.
	const killed = machine.connectorPid;
	process.kill(killed, "SIGKILL");
	await machine.until("it has left", () => simulator.gateway.connections === 0);
	say("say: are you there");
	await machine.seen("[offline] are you there", general);
	expect(machine.connectorPid).not.toBe(killed);
	// The orphan is not a child of the test, so its exit cannot be awaited. The earlier steps have given the orphan
	// enough time to exit.
	expect(runs(orphan)).toBe(false);
	expect(second.logged("the connector ended and is restarted")).toBe(true);

	// Events that contradict Discord's documentation are logged and do not stop a process.
	const survivor = machine.connectorPid;
	simulator.state.emit({ t: "MESSAGE_CREATE" as never, d: { id: 7, channel_id: null }, intents: 0 });
	await watch.until("it is logged", () => second.logged("MESSAGE_CREATE"));
	expect(simulator.drainViolations().join()).toContain("the simulator's MESSAGE_CREATE");
	say("say: still here");
	await machine.seen("[offline] still here", general);
	expect(machine.connectorPid).toBe(survivor);

	// All processes use one Discord session. After the first kill, no process registers the commands again.
	expect(identifies).toHaveLength(1);
	expect([synced > 0, syncs().length - synced]).toEqual([true, 0]);
	expect(simulator.pings).toEqual([]);
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
	await using machine = await DiscordMachine.open();
	const { simulator } = machine;
	simulator.state.app.privileged = 0;
	const supervisor = machine.start(machine.tokens);
	await machine.until("it is given up", () => supervisor.logged("is not restarted"));
	const refused = machine.run(["discord"], machine.tokens);
	expect(await refused.exited).toEqual({ code: refusedExitCode, signal: null });
	expect(refused.lines.join("\n")).toMatch(/^parley discord: .*Message Content/im);

	const wrong = machine.run(["discord"], { DISCORD_TOKEN: `${simulator.token}x` });
	expect(await wrong.exited).toEqual({ code: refusedExitCode, signal: null });
	expect(wrong.lines.join("\n")).toMatch(/^parley discord: .*DISCORD_TOKEN/m);
	expect(wrong.lines.join("\n")).not.toContain(simulator.token);
	expect(simulator.gateway.connections).toBe(0);
});
