import { Command, InvalidArgumentError } from "commander";
import type { Io } from "../../command-line/io.ts";
import { readAmount } from "../../command-line/read-number.ts";
import type { McpFlags } from "../../gateway/mcp-flags.ts";
import { mcpHelp } from "../../texts/commands/agents/mcp.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/** Creates `parley mcp`, which manages MCP servers and their logins, and offers the gateway as an MCP server. */
export function mcpCommand(io: Io, version: string): Command {
	const command = new Command("mcp")
		.description(mcpHelp.description)
		.helpCommand(false)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--dir <dir>", mcpHelp.dir)
		.option("--json", sharedHelp.json)
		.addHelpText("after", mcpHelp.notes.trimEnd())
		.action(async (flags: McpFlags) => (await list()).listServers(flags, io));
	return command
		.addCommand(
			addAgent(new Command("list").description(mcpHelp.list)).action(async (_, own: Command) =>
				(await list()).listServers(own.optsWithGlobals(), io),
			),
		)
		.addCommand(addCommand(io))
		.addCommand(removeCommand(io))
		.addCommand(trustCommand(io))
		.addCommand(untrustCommand(io))
		.addCommand(loginCommand(io))
		.addCommand(logoutCommand(io))
		.addCommand(serveCommand(io))
		.addCommand(
			addAgent(new Command("doctor").description(mcpHelp.doctor)).action(async (_, own: Command) => {
				const { tryServers } = await import("../../gateway/try-mcp-servers.ts");
				io.exitCode = await tryServers(own.optsWithGlobals(), io, version);
			}),
		);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description(mcpHelp.add)
		.argument("<name>", mcpHelp.newName)
		.argument("<command>", mcpHelp.program)
		.argument("[args...]", mcpHelp.args)
		.option("--env <NAME=VALUE>", mcpHelp.env, gather)
		.option("--token-from <NAME>", mcpHelp.tokenFrom)
		.option("--allow-private", mcpHelp.allowPrivate)
		.option("--timeout <seconds>", mcpHelp.timeout, readAmount);
	return addRights(command).action(async (name: string, program: string, args: readonly string[]) =>
		(await setup()).addServer({ name, program, args }, command.optsWithGlobals(), io),
	);
}

function serveCommand(io: Io): Command {
	const command = new Command("serve").description(mcpHelp.serve).option("--url <url>", mcpHelp.url);
	return command.action(async () => {
		const { serveMcp } = await import("../../gateway/serve-mcp.ts");
		await serveMcp(command.optsWithGlobals(), io);
	});
}

function removeCommand(io: Io): Command {
	const command = new Command("remove").description(mcpHelp.remove).argument("<name>", mcpHelp.name);
	return command.action(async (name: string) =>
		(await setup()).removeServer(name, command.optsWithGlobals(), io),
	);
}

function trustCommand(io: Io): Command {
	const command = new Command("trust")
		.description(mcpHelp.trust)
		.argument("<dir>", sharedHelp.workingDirectory)
		.option("--server <name>", mcpHelp.server, gather)
		.option("--allow-private", mcpHelp.allowPrivate)
		.option("-y, --yes", sharedHelp.yes);
	return addRights(command).action(async (directory: string) => {
		io.exitCode = await (await trust()).trustDirectory(directory, command.optsWithGlobals(), io);
	});
}

function untrustCommand(io: Io): Command {
	const command = new Command("untrust")
		.description(mcpHelp.untrust)
		.argument("<dir>", sharedHelp.workingDirectory);
	return command.action(async (directory: string) =>
		(await trust()).untrustDirectory(directory, command.optsWithGlobals(), io),
	);
}

function loginCommand(io: Io): Command {
	const command = new Command("login")
		.description(mcpHelp.login)
		.argument("<name>", mcpHelp.name)
		.option("--scope <scopes>", mcpHelp.scope)
		.option("--client-id <id>", mcpHelp.clientId)
		.option("--client-secret-from <NAME>", mcpHelp.clientSecretFrom)
		.option("--port <number>", mcpHelp.port, readPort)
		.option("--private-host <host>", mcpHelp.privateHost, gather);
	return addAgent(command).action(async (name: string) =>
		(await login()).logIn(name, command.optsWithGlobals(), io),
	);
}

function logoutCommand(io: Io): Command {
	const command = new Command("logout").description(mcpHelp.logout).argument("<name>", mcpHelp.name);
	return addAgent(command).action(async (name: string) =>
		(await login()).logOut(name, command.optsWithGlobals(), io),
	);
}

function addAgent(command: Command): Command {
	return command.option("--agent <name>", mcpHelp.agent);
}

function addRights(command: Command): Command {
	return command
		.option("--env-from <NAME>", mcpHelp.envFrom, gather)
		.option("--read <path>", mcpHelp.read, gather)
		.option("--write <dir>", mcpHelp.write, gather)
		.option("--host <name>", mcpHelp.host, gather);
}

function gather(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}

function readPort(value: string): number {
	const port = readAmount(value);
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
	throw new InvalidArgumentError(mcpHelp.invalidPort);
}

function login() {
	return import("../../gateway/mcp-login.ts");
}

function list() {
	return import("../../gateway/mcp-list.ts");
}

function trust() {
	return import("../../gateway/mcp-trust.ts");
}

function setup() {
	return import("../../gateway/mcp-setup.ts");
}
