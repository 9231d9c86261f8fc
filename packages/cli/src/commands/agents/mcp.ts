import { Command, InvalidArgumentError } from "commander";
import type { Io } from "../../command-line/io.ts";
import { readAmount } from "../../command-line/read-number.ts";
import type { McpFlags } from "../../gateway/mcp-flags.ts";

const notes = `
An MCP server gives the agent more tools. A local server is a program that runs
in the sandbox, without network. Each call requires approval, unless a rule
allows it.
Servers are in mcp.servers of the configuration, in mcp.json of the data
directory (parley mcp add), and in .mcp.json of a working directory that you
trust. A change applies to the next message, without a restart.

Examples:
  parley mcp add notes --write ~/notes -- mcp-server-memory
  parley mcp trust ~/projects/shop
  parley mcp login tracker
  parley mcp doctor

parley mcp serve is the other direction: editors and other agents start it to
use this agent.
`;

/** `parley mcp`: lists, adds, removes, trusts and tries MCP servers. */
export function mcpCommand(io: Io, version: string): Command {
	const command = new Command("mcp")
		.description("list MCP servers, which give the agent more tools; add, trust and try them")
		.helpCommand(false)
		.option("--data <dir>", "the data directory of the gateway (PARLEY_DATA)")
		.option("--dir <dir>", "working directory whose servers are included")
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd())
		.action(async (flags: McpFlags) => (await setup()).listServers(flags, io));
	return command
		.addCommand(
			new Command("list")
				.description("list MCP servers; the same as `parley mcp`")
				.action(async (_, own: Command) => (await setup()).listServers(own.optsWithGlobals(), io)),
		)
		.addCommand(addCommand(io))
		.addCommand(removeCommand(io))
		.addCommand(trustCommand(io))
		.addCommand(untrustCommand(io))
		.addCommand(loginCommand(io))
		.addCommand(logoutCommand(io))
		.addCommand(serveCommand(io))
		.addCommand(
			new Command("doctor")
				.description(
					"start each server, and show its tools or its problem; exit code 1 if one cannot be used",
				)
				.action(async (_, own: Command) => {
					const { tryServers } = await import("../../gateway/try-mcp-servers.ts");
					io.exitCode = await tryServers(own.optsWithGlobals(), io, version);
				}),
		);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description("add a server; write -- before a command that has options")
		.argument("<name>", "name: a to z, 0 to 9 and -")
		.argument("<command>", "program: a name in PATH or a path; or the https address of a remote server")
		.argument("[args...]", "arguments of the program")
		.option("--env <NAME=VALUE>", "variable of the program; may be repeated", gather)
		.option("--token-from <NAME>", "variable of the gateway with the bearer token of a remote server")
		.option("--allow-private", "allow http, and addresses of this machine and its networks")
		.option("--timeout <seconds>", "seconds until a call fails (default: 120)", readAmount);
	return addRights(command).action(async (name: string, program: string, args: readonly string[]) =>
		(await setup()).addServer({ name, program, args }, command.optsWithGlobals(), io),
	);
}

function serveCommand(io: Io): Command {
	const command = new Command("serve")
		.description("serve this agent over stdin and stdout, as an MCP server of an editor or another agent")
		.option("--url <url>", "address of the gateway, such as http://127.0.0.1:7777 (PARLEY_URL)");
	return command.action(async () => {
		const { serveMcp } = await import("../../gateway/serve-mcp.ts");
		await serveMcp(command.optsWithGlobals(), io);
	});
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description("remove a server that was added by a command")
		.argument("<name>", "name of the server");
	return command.action(async (name: string) =>
		(await setup()).removeServer(name, command.optsWithGlobals(), io),
	);
}

function trustCommand(io: Io): Command {
	const command = new Command("trust")
		.description("trust the servers in .mcp.json of a working directory; a change requires trust again")
		.argument("<dir>", "working directory")
		.option("--server <name>", "trust only this server; may be repeated", gather)
		.option("-y, --yes", "do not ask");
	return addRights(command).action(async (directory: string) => {
		io.exitCode = await (await setup()).trustDirectory(directory, command.optsWithGlobals(), io);
	});
}

function untrustCommand(io: Io): Command {
	const command = new Command("untrust")
		.description("stop trusting the servers of a working directory")
		.argument("<dir>", "working directory");
	return command.action(async (directory: string) =>
		(await setup()).untrustDirectory(directory, command.optsWithGlobals(), io),
	);
}

function loginCommand(io: Io): Command {
	const command = new Command("login")
		.description("log in to a remote server with a browser, which can run on another machine")
		.argument("<name>", "name of the server")
		.option("--scope <scopes>", "scopes to request (default: those that the server names)")
		.option("--client-id <id>", "client that you have registered (default: Parley registers itself)")
		.option("--client-secret-from <NAME>", "variable with the secret of that client")
		.option("--port <number>", "port of 127.0.0.1 for the answer (default: a free one)", readPort)
		.option(
			"--private-host <host>",
			"host of the authorization server, if its address is private; may be repeated",
			gather,
		);
	return addAgent(command).action(async (name: string) =>
		(await login()).logIn(name, command.optsWithGlobals(), io),
	);
}

function logoutCommand(io: Io): Command {
	const command = new Command("logout")
		.description("end the login to a remote server")
		.argument("<name>", "name of the server");
	return addAgent(command).action(async (name: string) =>
		(await login()).logOut(name, command.optsWithGlobals(), io),
	);
}

function addAgent(command: Command): Command {
	return command.option("--agent <name>", "agent whose mcp.json has the server");
}

function addRights(command: Command): Command {
	return command
		.option("--env-from <NAME>", "variable of the gateway that the server gets; may be repeated", gather)
		.option("--read <path>", "file or directory that the server can read; may be repeated", gather)
		.option("--write <dir>", "directory that the server can change; may be repeated", gather);
}

function gather(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}

function readPort(value: string): number {
	const port = readAmount(value);
	if (port >= 1 && port <= 65_535) return port;
	throw new InvalidArgumentError("Use 1 to 65535.");
}

function login() {
	return import("../../gateway/mcp-login.ts");
}

function setup() {
	return import("../../gateway/mcp-setup.ts");
}
