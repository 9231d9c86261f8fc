import { defined } from "@parley/base/defined";
import type { MethodInput, MethodResult } from "@parley/protocol";
import { Argument, Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readAmount } from "../../command-line/read-number.ts";
import { tokenHelp, tokenMessages } from "../../texts/commands/access/token.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

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

export function tokenCommand(io: Io): Command {
	const command = new Command("token")
		.description(tokenHelp.description)
		.helpCommand(false)
		.option("--json", sharedHelp.json)
		.addHelpText("after", tokenHelp.notes.trimEnd());
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
	io.stderr.write(tokenMessages.ownTokenExplained);
}

function createCommand(io: Io): Command {
	const command = new Command("create")
		.description(tokenHelp.create)
		.addArgument(new Argument("<kind>", tokenHelp.kind).choices(["observer", "connector", "operator"]))
		.argument("<name>", tokenHelp.name)
		.option("--platform <name>", tokenHelp.platform)
		.option("--tenant <id>", tokenHelp.tenant, gather)
		.option("--session <id>", tokenHelp.session, gather)
		.option("--days <n>", tokenHelp.days, readAmount);
	return command.action(async (kind: Kind, name: string) => {
		// The options of the parent command are also allowed here.
		const flags: CreateFlags = command.optsWithGlobals();
		const { platform, tenant, session, days } = flags;
		const response = await withGateway(flags, io, (client) =>
			client.request(
				"create_token",
				defined({ kind, name, platform, tenants: tenant, sessions: session, days }),
			),
		);
		await printToken(response, flags, io);
	});
}

function listCommand(io: Io): Command {
	const command = new Command("list").description(tokenHelp.list);
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
		.description(tokenHelp.rotate)
		.argument("<token>", tokenHelp.rotatedToken)
		.option("--grace <seconds>", tokenHelp.grace, readAmount);
	return command.action(async (token_id: string) => {
		const flags: TokenFlags & { readonly grace?: number } = command.optsWithGlobals();
		const { grace } = flags;
		const response = await withGateway(flags, io, (client) =>
			client.request("rotate_token", defined({ token_id, grace_seconds: grace })),
		);
		await printToken(response, flags, io);
	});
}

function revokeCommand(io: Io): Command {
	const command = new Command("revoke")
		.description(tokenHelp.revoke)
		.argument("<token>", tokenHelp.revokedToken);
	return command.action(async (token_id: string) => {
		const flags: TokenFlags = command.optsWithGlobals();
		const revoked = await withGateway(flags, io, (client) => client.request("revoke_token", { token_id }));
		if (flags.json) return printJson(revoked, io);
		const { kind, name, id } = revoked.info;
		printRows([tokenMessages.revoked({ kind, name, id: id.slice(0, 8) })], io);
	});
}

async function printToken(created: MethodResult<"create_token">, flags: TokenFlags, io: Io): Promise<void> {
	if (flags.json) return printJson(created, io);
	const [{ createdWords }, { systemClock }] = await Promise.all([
		import("../../tables/access-tables.ts"),
		import("@parley/base"),
	]);
	// stdout contains only the token, for use in a pipe.
	io.stdout.write(`${created.token}\n`);
	io.stderr.write(`${createdWords(created.info, systemClock.now())}\n`);
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
