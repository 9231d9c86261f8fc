import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Argument, Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import { peopleHelp, peopleMessages } from "../../texts/commands/access/people.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface PeopleFlags extends AddressFlags {
	readonly json?: boolean;
}

type Role = MethodInput<"set_person_role">["role"];

const roles = ["guest", "member", "approver", "owner"] as const satisfies Role[];

interface PairFlags extends PeopleFlags {
	readonly role: Role;
	readonly platform?: string;
	readonly tenant?: string;
}

export function peopleCommand(io: Io): Command {
	const command = new Command("people")
		.description(peopleHelp.description)
		.helpCommand(false)
		.option("--json", sharedHelp.json)
		.addHelpText("after", peopleHelp.notes.trimEnd());
	addAddressFlags(command).action((flags: PeopleFlags) => list(flags, io));
	return command
		.addCommand(listCommand(io))
		.addCommand(pairCommand(io))
		.addCommand(approveCommand(io))
		.addCommand(denyCommand(io))
		.addCommand(roleCommand(io))
		.addCommand(removeCommand(io));
}

async function list(flags: PeopleFlags, io: Io): Promise<void> {
	const known = await withGateway(flags, io, (client) => client.request("list_people", {}));
	if (flags.json) return printJson(known, io);
	const [{ peopleRows }, { systemClock }] = await Promise.all([
		import("../../tables/people-and-channels.ts"),
		import("@parley/base"),
	]);
	printRows(peopleRows(known, systemClock.now(), outputFormat(io)), io);
}

// The options of the parent command are also allowed after the subcommands.

function listCommand(io: Io): Command {
	const command = new Command("list").description(peopleHelp.list);
	return command.action(() => list(command.optsWithGlobals(), io));
}

function pairCommand(io: Io): Command {
	const command = new Command("pair")
		.alias("invite")
		.description(peopleHelp.pair)
		.addOption(new Option("--role <role>", sharedHelp.role).choices(roles).default("member"))
		.option("--platform <name>", peopleHelp.platform)
		.option("--tenant <id>", peopleHelp.tenant);
	return command.action(async () => {
		const flags: PairFlags = command.optsWithGlobals();
		const { role, platform, tenant } = flags;
		const invited = await withGateway(flags, io, (client) =>
			client.request("invite_person", defined({ role, platform, tenant })),
		);
		if (flags.json) return printJson(invited, io);
		const { localTime } = await import("../../text/local-time.ts");
		// The explanation is written to stderr, so that a pipe receives only the code.
		io.stdout.write(`${invited.code}\n`);
		const until = localTime(new Date(invited.expires_at));
		io.stderr.write(`${peopleMessages.codeExplained({ role, until })}\n`);
	});
}

function approveCommand(io: Io): Command {
	const command = new Command("approve")
		.description(peopleHelp.approve)
		.argument("<code>", peopleHelp.code)
		.addOption(new Option("--role <role>", sharedHelp.role).choices(roles).default("member"));
	return command.action(async (code: string) => {
		const flags: PeopleFlags & { readonly role: Role } = command.optsWithGlobals();
		const { role } = flags;
		await printRole(flags, io, (client) => client.request("approve_person", { code, role }));
	});
}

function denyCommand(io: Io): Command {
	const command = new Command("deny")
		.aliases(["withdraw", "refuse"])
		.description(peopleHelp.deny)
		.argument("<code>", peopleHelp.codeOrName);
	return command.action(async (named: string) => {
		const flags: PeopleFlags = command.optsWithGlobals();
		const { findWaiting, deniedWords } = await import("../../tables/people-and-channels.ts");
		const withdrawn = await withGateway(flags, io, async (client) => {
			const found = findWaiting((await client.request("list_people", {})).waiting, named);
			if (found.length > 1) {
				throw new UsageError(
					peopleMessages.severalRequests({ name: named, ids: found.map(({ id }) => id).join(", ") }),
				);
			}
			// Any other text may be a code, which only the gateway can check.
			return client.request("withdraw_pairing", { pairing: found[0]?.id ?? named });
		});
		if (flags.json) return printJson(withdrawn, io);
		printRows([deniedWords(withdrawn.pairing)], io);
	});
}

function roleCommand(io: Io): Command {
	const command = new Command("role")
		.description(peopleHelp.role)
		.argument("<person>", sharedHelp.person)
		.addArgument(new Argument("<role>", sharedHelp.role).choices(roles));
	return command.action((person: string, role: Role) =>
		printRole(command.optsWithGlobals(), io, (client) => client.request("set_person_role", { person, role })),
	);
}

async function printRole(
	flags: PeopleFlags,
	io: Io,
	change: Parameters<typeof withGateway<{ person: string; name: string; role: Role }>>[2],
): Promise<void> {
	const changed = await withGateway(flags, io, change);
	if (flags.json) return printJson(changed, io);
	const { personWords } = await import("../../tables/people-and-channels.ts");
	printRows([peopleMessages.hasRole({ person: personWords(changed), role: changed.role })], io);
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description(peopleHelp.remove)
		.argument("<person>", sharedHelp.person);
	return command.action(async (person: string) => {
		const flags: PeopleFlags = command.optsWithGlobals();
		const removed = await withGateway(flags, io, (client) => client.request("remove_person", { person }));
		if (flags.json) return printJson(removed, io);
		printRows([peopleMessages.removed({ notes: removed.forgotten })], io);
	});
}
