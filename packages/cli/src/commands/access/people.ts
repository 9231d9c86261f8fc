import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Argument, Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";

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

const notes = `
There are two ways to give a chat user access. You print a code with \`pair\`, and
the user types it in chat. Or the user requests access in chat and gets a code,
and you \`approve\` it. A code can be used once, within an hour; \`deny\` cancels
it. The first owner of a guild or team connects it to the gateway:
\`parley people pair --role owner\`.

A guest can ask the agent, with tools that only read. A member can let the agent
work, an approver can approve tool calls, and an owner can trust channels.
PERSON is PLATFORM:TENANT:USER.
`;

export function peopleCommand(io: Io): Command {
	const command = new Command("people")
		.description("list chat users and access requests; grant and remove access")
		.helpCommand(false)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
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

// Options of the parent command are also allowed after its subcommands.

function listCommand(io: Io): Command {
	const command = new Command("list").description("the same as `parley people`");
	return command.action(() => list(command.optsWithGlobals(), io));
}

function pairCommand(io: Io): Command {
	const command = new Command("pair")
		.alias("invite")
		.description("print a code that gives one person access")
		.addOption(new Option("--role <role>", "role of the person").choices(roles).default("member"))
		.option("--platform <name>", "limit the code to a platform, such as discord")
		.option("--tenant <id>", "limit the code to a guild or team");
	return command.action(async () => {
		const flags: PairFlags = command.optsWithGlobals();
		const { role, platform, tenant } = flags;
		const invited = await withGateway(flags, io, (client) =>
			client.request("invite_person", defined({ role, platform, tenant })),
		);
		if (flags.json) return printJson(invited, io);
		const { localTime } = await import("../../text/local-time.ts");
		// Only the code goes to stdout, so that it can be piped.
		io.stdout.write(`${invited.code}\n`);
		const until = localTime(new Date(invited.expires_at));
		io.stderr.write(
			`The first person who types this code gets the role ${role}. The code expires at ${until}. Keep it secret.\n`,
		);
	});
}

function approveCommand(io: Io): Command {
	const command = new Command("approve")
		.description("approve an access request by the code that the person received in chat")
		.argument("<code>", "the code")
		.addOption(new Option("--role <role>", "role of the person").choices(roles).default("member"));
	return command.action(async (code: string) => {
		const flags: PeopleFlags & { readonly role: Role } = command.optsWithGlobals();
		const { role } = flags;
		await printRole(flags, io, (client) => client.request("approve_person", { code, role }));
	});
}

function denyCommand(io: Io): Command {
	const command = new Command("deny")
		.aliases(["withdraw", "refuse"])
		.description("deny an access request, or cancel an invitation")
		.argument("<code>", "the code, or an id or a name that `parley people` shows");
	return command.action(async (named: string) => {
		const flags: PeopleFlags = command.optsWithGlobals();
		const { findWaiting, deniedWords } = await import("../../tables/people-and-channels.ts");
		const withdrawn = await withGateway(flags, io, async (client) => {
			const found = findWaiting((await client.request("list_people", {})).waiting, named);
			if (found.length > 1) {
				throw new UsageError(`${named} matches several requests: ${found.map(({ id }) => id).join(", ")}`);
			}
			// Any other text may be a code, which only the gateway knows.
			return client.request("withdraw_pairing", { pairing: found[0]?.id ?? named });
		});
		if (flags.json) return printJson(withdrawn, io);
		printRows([deniedWords(withdrawn.pairing)], io);
	});
}

function roleCommand(io: Io): Command {
	const command = new Command("role")
		.description("set the role of a person; a person without access gets access")
		.argument("<person>", "PLATFORM:TENANT:USER")
		.addArgument(new Argument("<role>", "role of the person").choices(roles));
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
	printRows([`${personWords(changed)} has the role ${changed.role}`], io);
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description("remove a person's access, and delete the notes about them")
		.argument("<person>", "PLATFORM:TENANT:USER");
	return command.action(async (person: string) => {
		const flags: PeopleFlags = command.optsWithGlobals();
		const removed = await withGateway(flags, io, (client) => client.request("remove_person", { person }));
		if (flags.json) return printJson(removed, io);
		const notes = removed.forgotten === 1 ? "1 note" : `${removed.forgotten} notes`;
		printRows(
			[`removed, with ${notes} about the person; roles in the configuration (chat.people) still apply`],
			io,
		);
	});
}
