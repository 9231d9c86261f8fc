import { defined } from "@parley/base/defined";
import type { MethodInput, MethodResult } from "@parley/protocol";
import { Argument, Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readAmount } from "../../command-line/read-number.ts";

interface TokenFlags extends AddressFlags {
	readonly json?: boolean;
}

interface CreateFlags extends TokenFlags {
	readonly platform?: string;
	readonly tenant?: string[];
	readonly session?: string[];
	readonly days?: number;
}

type Kind = MethodInput<"create_token">["kind"];

const notes = `
An operator has all permissions. An observer reads the sessions that its token
is for, or all sessions. A connector acts for the people of one platform.
A token is printed once. Only \`parley token\` prints a token again: the operator
token of the data directory.
`;

export function tokenCommand(io: Io): Command {
	const command = new Command("token")
		.description("print the operator token, which is created if missing; manage other tokens")
		.helpCommand(false)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	addAddressFlags(command).action((flags: TokenFlags) => printOwn(flags, io));
	return command
		.addCommand(createCommand(io))
		.addCommand(listCommand(io))
		.addCommand(rotateCommand(io))
		.addCommand(revokeCommand(io));
}

async function printOwn(flags: TokenFlags, io: Io): Promise<void> {
	const token = await loadToken(await chosenDataDirectory(flags.data, io));
	if (flags.json) return printJson({ token }, io);
	io.stdout.write(`${token}\n`);
	if (!io.stdout.isTTY || !io.stderr.isTTY) return;
	io.stderr.write(
		"A client with this token has your permissions. Clients send it as `Authorization: Bearer TOKEN`;\n" +
			"parley reads it from PARLEY_TOKEN.\n",
	);
}

function createCommand(io: Io): Command {
	const command = new Command("create")
		.description("create a token and print it")
		.addArgument(new Argument("<kind>", "kind of client").choices(["observer", "connector", "operator"]))
		.argument("<name>", "name: a to z, 0 to 9 and -")
		.option("--platform <name>", "platform of a connector, such as discord")
		.option("--tenant <id>", "guild or team of a connector; may be repeated", gather)
		.option("--session <id>", "session that an observer may read; may be repeated", gather)
		.option("--days <n>", "days until it expires (default: 30 for observers, never for others)", readAmount);
	return command.action(async (kind: Kind, name: string) => {
		// Options of the parent command are also allowed here.
		const flags: CreateFlags = command.optsWithGlobals();
		const { platform, tenant, session, days } = flags;
		const made = await withGateway(flags, io, (client) =>
			client.request(
				"create_token",
				defined({ kind, name, platform, tenants: tenant, sessions: session, days }),
			),
		);
		await printMade(made, flags, io);
	});
}

function listCommand(io: Io): Command {
	const command = new Command("list").description("list the tokens without their secrets");
	return command.action(async () => {
		const flags: TokenFlags = command.optsWithGlobals();
		const { tokens } = await withGateway(flags, io, (client) => client.request("list_tokens", {}));
		if (flags.json) return printJson(tokens, io);
		const [{ tokenTable }, { systemClock }] = await Promise.all([
			import("../../tables/access-tables.ts"),
			import("@parley/base"),
		]);
		printRows(tokenTable(tokens, outputFormat(io), systemClock.now()), io);
	});
}

function rotateCommand(io: Io): Command {
	const command = new Command("rotate")
		.description("replace a token by one with the same rights, and print it")
		.argument("<token>", "name, id, or beginning of the id; operator is the token of the data directory")
		.option("--grace <seconds>", "seconds for which the old token stays valid, at most 600", readAmount);
	return command.action(async (token_id: string) => {
		const flags: TokenFlags & { readonly grace?: number } = command.optsWithGlobals();
		const { grace } = flags;
		const made = await withGateway(flags, io, (client) =>
			client.request("rotate_token", defined({ token_id, grace_seconds: grace })),
		);
		await printMade(made, flags, io);
	});
}

function revokeCommand(io: Io): Command {
	const command = new Command("revoke")
		.description("revoke a token and close its connections")
		.argument("<token>", "name, id, or beginning of the id");
	return command.action(async (token_id: string) => {
		const flags: TokenFlags = command.optsWithGlobals();
		const revoked = await withGateway(flags, io, (client) => client.request("revoke_token", { token_id }));
		if (flags.json) return printJson(revoked, io);
		const { kind, name, id } = revoked.info;
		printRows([`revoked the ${kind} token ${name} (${id.slice(0, 8)})`], io);
	});
}

/** Prints only the token to stdout, so that it can be piped; the explanation goes to stderr. */
async function printMade(made: MethodResult<"create_token">, flags: TokenFlags, io: Io): Promise<void> {
	if (flags.json) return printJson(made, io);
	const [{ createdWords }, { systemClock }] = await Promise.all([
		import("../../tables/access-tables.ts"),
		import("@parley/base"),
	]);
	io.stdout.write(`${made.token}\n`);
	io.stderr.write(`${createdWords(made.info, systemClock.now())}\n`);
}

function gather(value: string, before: readonly string[] = []): string[] {
	return [...before, value];
}

async function loadToken(data: string): Promise<string> {
	const [{ createIds }, { loadOrCreateOperatorToken, prepareDataDirectory }] = await Promise.all([
		import("@parley/base"),
		import("@parley/gateway"),
	]);
	await prepareDataDirectory(data);
	return loadOrCreateOperatorToken(data, createIds());
}
