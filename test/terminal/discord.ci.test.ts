import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createProxy } from "node:net";
import { join } from "node:path";
import { expect, test as plainTest } from "vitest";
import { documentedArguments } from "../docs/shell-blocks.ts";
import type { CommandBody } from "../simulators/discord/platform/command-limits.ts";
import { deleteCommand, listCommands, overwriteCommands } from "../simulators/discord/platform/commands.ts";
import { privilegedIntents } from "../simulators/discord/platform/intents.ts";
import { DiscordSetup } from "./discord-setup.ts";

const interrupt = "\u0003";

const test = plainTest.extend<{ discord: DiscordSetup }>({
	discord: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
		async ({}, use) => {
			await using setup = await DiscordSetup.open();
			await use(setup);
		},
		{ scope: "file" },
	],
});

test("an interrupted setup leaves no invitation behind", async ({ discord }) => {
	const setup = discord.run("discord", "setup");
	await setup.shows("/pair ");
	const waiting = async () => JSON.parse((await discord.pipe(["people", "--json"])).out).waiting;
	expect(await waiting()).toHaveLength(1);
	setup.type(interrupt);
	expect(await setup.ended()).toBe(130);
	expect(await waiting()).toEqual([]);
});

test("setup asks for missing steps, checks again on Enter, and ends with an answer", async ({ discord }) => {
	const { simulator } = discord;
	const [general, anna] = [simulator.channel("general"), simulator.member("Anna")];
	simulator.state.app.privileged = 0;
	const setup = discord.run(...documentedArguments("discord: parley discord setup"));
	await setup.shows("Press Enter to check again, or Ctrl-C to stop.");
	expect(setup.text).toContain('Under "Bot", switch on "Message Content Intent"');
	expect(setup.text).not.toContain("New Application");
	simulator.state.app.privileged = privilegedIntents;
	setup.type("\r");
	await setup.shows("/pair ");
	expect(setup.received).toContain("https://discord.com/oauth2/authorize?client_id=");
	const [, code = ""] = /\/pair ([A-Z0-9]+) to become/.exec(setup.text) ?? [];
	anna.commands("/pair", { code }, { in: general });
	await discord.shows(() => general.transcript(anna), "Your role here is owner");
	anna.says("hello", { in: general, mentions: [simulator.bot] });
	await setup.shows("Setup complete.");
	expect(await setup.ended()).toBe(0);
	expect(general.transcript()).toContain("Hello! I am the offline model");
});

test("setup without a token, or with a failed step and without a terminal, exits with 1", async ({
	discord,
}) => {
	const [without, unset, wrong] = await Promise.all([
		discord.pipe(["discord", "setup"], ""),
		discord.pipe(["discord"], ""),
		discord.pipe(["discord", "setup"], "wrong-token-wrong-token"),
	]);
	expect(without).toMatchObject({ code: 1, error: "" });
	expect(without.out).toMatch(/1\/7 {2}Create the bot\n.*New Application.*\n.*export DISCORD_TOKEN=/);
	expect(unset).toMatchObject({ code: 2, error: expect.stringContaining("DISCORD_TOKEN is not set\n") });
	expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("does not accept the token") });
	expect(wrong.out).not.toContain("2/7");
});

test("doctor prints JSON, and reports Discord's refusal without the token", async ({ discord }) => {
	const [well, wrong] = await Promise.all([
		discord.pipe(["discord", "doctor", "--json"]),
		discord.pipe(["discord", "doctor"], "wrong-token-wrong-token"),
	]);
	const findings: { id: string; status: string }[] = JSON.parse(well.out);
	expect(well.code).toBe(0);
	expect(findings).toContainEqual(expect.objectContaining({ id: "discord-token", status: "ok" }));
	expect(findings).toContainEqual(expect.objectContaining({ id: "discord-connector", status: "warn" }));
	expect(wrong).toMatchObject({
		code: 1,
		out: expect.stringContaining("set DISCORD_TOKEN to the new token"),
	});
	expect(wrong.out).not.toContain("wrong-token");
});

test("commands that were deleted or overwritten on Discord are restored by doctor --fix, and at the next start", async ({
	discord,
}) => {
	const { state } = discord.simulator;
	const named = (name: string) => listCommands(state, {}).find((command) => command.name === name);
	const spoil = (): void => {
		deleteCommand(state, {}, named("help")?.id ?? "");
		overwriteCommands(state, {}, [
			...listCommands(state, {}).map(({ name, type, ...rest }) =>
				name === "ask" ? { name, type, description: "Another program" } : { name, type, ...rest },
			),
			{ name: "dice", description: "Another program's own command" },
		] as CommandBody[]);
	};
	const doctor = async (...args: readonly string[]) => {
		const { out } = await discord.pipe(args.length > 0 ? args : ["discord", "doctor", "--json"]);
		return JSON.parse(out).find(({ id }: { id: string }) => id === "discord-commands");
	};
	await doctor("discord", "doctor", "--json", "--fix");
	spoil();
	expect(await doctor()).toEqual({
		...{ id: "discord-commands", status: "warn" },
		what: "the commands on Discord are not up to date: ask (overwritten), help (missing)",
		fix: "run `parley discord doctor --fix`, or restart the connector",
	});
	expect(named("help")).toBeUndefined();
	expect(await doctor("discord", "doctor", "--json", "--fix")).toEqual({
		...{ id: "discord-commands", status: "ok" },
		what: "corrected the commands on Discord: ask (restored), help (added)",
	});
	expect(await doctor()).toMatchObject({ status: "ok" });
	spoil();
	expect(await doctor("doctor", "--json", "--fix")).toMatchObject({
		what: expect.stringContaining("corrected the commands"),
	});
	spoil();
	const running = discord.run("discord");
	await discord.shows(() => `${named("help")?.name} ${named("ask")?.description}`, "help Ask the agent");
	await running.shows("connected; press Ctrl-C to stop");
	running.type(interrupt);
	expect(await running.ended()).toBe(0);
	expect(named("dice")).toBeDefined();
	expect(discord.simulator.drainViolations()).toEqual([]);
});

test("one connector runs at a time, setup does not pair twice, and a revoked token can be replaced", async ({
	discord,
}) => {
	const running = discord.run("discord");
	await running.shows("connected; press Ctrl-C to stop");
	const pid = await discord.connectedOther();
	expect(statSync(discord.reportFile).mode & 0o777).toBe(0o600);
	const setup = discord.run("discord", "setup");
	const [posts, second, status] = await Promise.all([
		discord.pipe(["discord", "posts"]),
		discord.pipe(["discord"]),
		discord.pipe(["status"]),
	]);
	expect(posts).toMatchObject({ code: 0, out: "no held or failed posts\n" });
	expect(second).toEqual({
		...{ code: 1, out: "" },
		error: expect.stringMatching(
			new RegExp(`^parley discord: .* is already running \\(process ${pid}\\): .*\n$`),
		),
	});
	expect(status.out).toMatch(new RegExp(`^discord +connected for \\d+ s \\(process ${pid}\\)$`, "m"));
	await setup.shows("mention the bot in a channel");
	expect(setup.received).not.toContain("/pair");
	setup.type(interrupt);
	expect(await setup.ended()).toBe(130);

	await discord.pipe(["token", "revoke", "discord"]);
	expect(await running.ended()).toBe(78);
	const file = join(discord.setup.data, "tokens", "connector-discord");
	expect(running.text.replaceAll("\n", "")).toContain(`the next start creates another token: rm '${file}'`);
	expect(await discord.pipe(["discord"])).toMatchObject({ code: 78, error: expect.stringContaining(file) });
	discord.remove("tokens", "connector-discord");
	const restarted = discord.run("discord");
	await restarted.shows("connected; press Ctrl-C to stop");
	restarted.type(interrupt);
	expect(await restarted.ended()).toBe(0);
	expect((await discord.pipe(["status"])).out).not.toContain("discord");
});

test("a problem that a person must fix exits with 78, and status and doctor report it", async ({
	discord,
}) => {
	const refused = await discord.pipe(["discord"], "wrong-token-wrong-token");
	expect(refused).toMatchObject({ code: 78, error: expect.stringContaining("does not accept the token") });
	const [status, doctor] = await Promise.all([discord.pipe(["status"]), discord.pipe(["doctor"])]);
	expect(status.out).toMatch(/^discord +is not running: Discord does not accept the token: reset it/m);
	expect(doctor).toMatchObject({
		code: 1,
		out: expect.stringMatching(/FAIL +connectors +discord is not running/),
	});

	const file = join(discord.setup.data, "connectors", "discord.sqlite");
	writeFileSync(file, "x".repeat(8192));
	const damaged = await discord.pipe(["discord"]);
	expect(damaged).toMatchObject({
		code: 78,
		error: expect.stringContaining(`delete it with \`rm '${file}'*\``),
	});
	discord.remove("connectors", "discord.sqlite");
});

test("a connector waits for a stopped gateway at its start, and Ctrl-C ends the wait immediately", async ({
	discord,
}) => {
	await discord.setup.killGateway();
	const stopped = discord.run("discord");
	await stopped.shows("waiting: no gateway answers at http://127.0.0.1:");
	stopped.type(interrupt);
	expect(await stopped.ended()).toBe(0);
	const waiting = discord.run("discord");
	await waiting.shows("waiting: no gateway answers");
	await discord.setup.startGateway();
	await waiting.shows("connected; press Ctrl-C to stop");
	waiting.type(interrupt);
	expect(await waiting.ended()).toBe(0);
});

test("a connector names another program at the address of its gateway, and ends", async ({ discord }) => {
	await discord.setup.killGateway();
	const waiting = discord.run("discord");
	await waiting.shows("waiting: no gateway answers at http://127.0.0.1:");
	const [, port] = /no gateway answers at http:\/\/127\.0\.0\.1:(\d+)/.exec(waiting.text) ?? [];
	const other = createServer((_request, response) => response.writeHead(404).end("not here"));
	other.listen(Number(port), "127.0.0.1");
	await waiting.shows("another program answers at");
	expect(await waiting.ended()).toBe(78);
	other.close();
	await discord.setup.startGateway();
});

test("a connector waits for a gateway behind a proxy that answers 404 while the gateway is stopped", async ({
	discord,
}) => {
	let isAway = true;
	await using proxy = createProxy((socket) => {
		socket.on("error", () => undefined);
		if (isAway)
			return void socket
				.resume()
				.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n404 page not found\n");
		const gateway = connect(discord.setup.gateway.port, "127.0.0.1");
		gateway.on("error", () => undefined);
		// Like a real proxy, replaces the host name with one that the gateway accepts.
		socket.once("data", (head) => {
			gateway.write(`${head}`.replace(/^host: .*$/im, `host: 127.0.0.1:${discord.setup.gateway.port}`));
			socket.pipe(gateway).pipe(socket);
		});
	});
	proxy.listen(0, "127.0.0.1");
	await once(proxy, "listening");
	// The cast is safe because the server listens on a TCP port.
	const { port } = proxy.address() as AddressInfo;
	// With a stored token, the command could start the connector without a connection to the gateway.
	discord.remove("tokens", "connector-discord");
	const waiting = discord.run("discord", "--url", `http://127.0.0.1:${port}`);
	await waiting.shows("answers with HTTP 404: check that");
	isAway = false;
	await waiting.shows("connected; press Ctrl-C to stop");
	waiting.type(interrupt);
	expect(await waiting.ended()).toBe(0);
});

test("start restarts a killed connector, and both end together", async ({ discord }) => {
	await discord.setup.killGateway();
	const start = discord.run("start", "--listen", "127.0.0.1:0");
	const pid = await discord.connectedOther();
	process.kill(pid, "SIGKILL");
	await discord.connectedOther(pid);
	start.type(interrupt);
	expect(await start.ended()).toBe(0);
	expect(existsSync(discord.reportFile)).toBe(false);
});
