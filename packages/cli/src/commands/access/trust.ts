import { defined } from "@parley/base/defined";
import type { Client, MethodInput } from "@parley/protocol";
import { Command, InvalidArgumentError } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { beginsId, requireLongId } from "../../command-line/ids.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import { visibleLine } from "../../text/visible.ts";

interface TrustFlags extends AddressFlags {
	readonly json?: boolean;
}

interface GrantFlags extends TrustFlags {
	readonly reason: string;
	readonly tools?: readonly string[];
	readonly classes?: readonly Class[];
	readonly people?: readonly string[];
	readonly minutes?: number;
	readonly max?: number;
	readonly unseen?: boolean;
}

const notes = `
In a trusted channel, tool calls for members run without approval, in the
sandbox. Some calls always require approval: keys and passwords, control of this
machine, changes that cannot be undone, writes outside the roots. Trust ends at
its limit of time or calls. It also ends if a member revokes it, stops the work
or denies three calls, if the policy changes, a budget is spent or the sandbox
fails, or if a person without access or of another organisation joins.
Without --classes, trust covers all classes except outside-read.

Examples:
  parley trust grant discord:111:222 --reason "release night" --minutes 60
  parley trust grant slack:T1:C2 --reason tests --tools run_command,write_file
  parley trust approve prompt_7fd1
  parley trust revoke grant_4k2x

Members of a channel can request trust: \`list\` shows the requests with their
reasons, and \`approve\` or \`deny\` answers them. A channel without any
messages requires --unseen, because its id may be mistyped.
`;

/** `parley trust`: channels whose tool calls run without approval for a limited time. */
export function trustCommand(io: Io): Command {
	const command = new Command("trust")
		.description("run the tools of a channel without approval for a limited time")
		.helpCommand(false)
		.addHelpText("after", notes.trimEnd());
	return command
		.addCommand(listCommand(io))
		.addCommand(grantCommand(io))
		.addCommand(approveCommand(io))
		.addCommand(denyCommand(io))
		.addCommand(revokeCommand(io));
}

function listCommand(io: Io): Command {
	const command = new Command("list")
		.description("list trusted channels and requests for trust")
		.option("--all", "include ended grants")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (flags: TrustFlags & { readonly all?: boolean }) => {
		const listed = await withGateway(flags, io, (client) =>
			client.request("list_grants", { ended: flags.all === true }),
		);
		if (flags.json) return printJson(listed, io);
		const { grants, wishes: requests } = listed;
		const [{ systemClock }, { grantTable, requestRows }] = await Promise.all([
			import("@parley/base"),
			import("../../tables/access-tables.ts"),
		]);
		const [now, format] = [systemClock.now(), outputFormat(io)];
		const none = ["No channel is trusted. Use `parley trust grant`."];
		printRows(grants.length === 0 ? none : grantTable(grants, now, format), io);
		if (requests.length > 0) printRows(["", ...requestRows(requests, now, format)], io);
	});
}

function grantCommand(io: Io): Command {
	const command = new Command("grant")
		.description("trust a channel; replaces its previous trust")
		.argument("<channel>", "PLATFORM:TENANT:CHANNEL")
		.requiredOption("--reason <text>", "reason, which is shown in the channel")
		.option("--tools <names>", "only these tools, separated by commas", readNames)
		.option("--classes <names>", "only these classes of calls, such as write,exec-sandboxed", readClasses)
		.option("--people <ids>", "only these members: PLATFORM:TENANT:USER", readNames)
		.option("--minutes <n>", "duration in minutes, up to 1440 (default: 240)", readNumber)
		.option("--max <n>", "maximum number of calls, up to 10000 (default: 200)", readNumber)
		.option("--unseen", "allow a channel without any messages")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (channel: string, flags: GrantFlags) => {
		const answer = await withGateway(flags, io, (client) =>
			client.request("request_grant", requestOf(channel, flags)),
		);
		if (flags.json) return printJson(answer, io);
		if (answer.status !== "granted")
			return printRows(["The request waits for an answer in the channel."], io);
		const { localTime } = await import("../../text/local-time.ts");
		const { grant_id, place, expires_at, max_actions } = answer.grant;
		const until = localTime(new Date(expires_at));
		const row = `${visibleLine(place)} is trusted until ${until}, for at most ${max_actions} calls`;
		printRows([row, `\`parley trust revoke ${grant_id}\` ends the grant`], io);
	});
}

function requestOf(channel: string, flags: GrantFlags): MethodInput<"request_grant"> {
	const { reason, tools, classes, people, minutes, max, unseen } = flags;
	return defined({
		channel,
		reason,
		tools: tools && [...tools],
		classes: classes && [...classes],
		people: people && [...people],
		minutes,
		max_actions: max,
		unseen: unseen || undefined,
	});
}

function approveCommand(io: Io): Command {
	const command = new Command("approve")
		.alias("confirm")
		.description("approve a request to trust a channel")
		.argument("<request>", "id of the request; may be abbreviated")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (id: string, flags: TrustFlags) => {
		const answered = await withGateway(flags, io, (client) => answerRequest(client, id, { value: true }));
		if (flags.json) return printJson(answered, io);
		printRows(
			[`${visibleLine(answered.place)} is trusted; \`parley trust list\` shows when the trust ends`],
			io,
		);
	});
}

function denyCommand(io: Io): Command {
	const command = new Command("deny")
		.alias("refuse")
		.description("deny a request to trust a channel")
		.argument("<request>", "id of the request; may be abbreviated")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (id: string, flags: TrustFlags) => {
		const answered = await withGateway(flags, io, (client) => answerRequest(client, id, { cancelled: true }));
		if (flags.json) return printJson(answered, io);
		printRows(["denied; the channel shows the denial"], io);
	});
}

function revokeCommand(io: Io): Command {
	const command = new Command("revoke")
		.description("stop trusting a channel immediately")
		.argument("<id>", "id of the grant; may be abbreviated")
		.option("--reason <text>", "reason, which is shown in the channel")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(
		async (id: string, flags: TrustFlags & { readonly reason?: string }) => {
			const answer = await withGateway(flags, io, async (client) => {
				const grant_id = await findGrant(client, id);
				return client.request("revoke_grant", defined({ grant_id, reason: flags.reason }));
			});
			if (flags.json) return printJson(answer, io);
			printRows(["the channel is no longer trusted"], io);
		},
	);
}

type Class = NonNullable<MethodInput<"request_grant">["classes"]>[number];

/** Classes that a grant can cover. All others require approval in every channel. */
const classes: readonly string[] = [
	"read",
	"write",
	"exec-sandboxed",
	"egress",
	"outside-read",
	"person",
] satisfies Class[];

function readClasses(text: string): readonly Class[] {
	const names = readNames(text);
	const other = names.find((name) => !classes.includes(name));
	if (other !== undefined) throw new InvalidArgumentError(`allowed: ${classes.join(", ")}`);
	// True because each was just found among them.
	return names as Class[];
}

function readNames(text: string): readonly string[] {
	return text.split(",").map((name) => name.trim());
}

function readNumber(text: string): number {
	if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
	throw new InvalidArgumentError("use a whole number from 1");
}

/** Answers the request with this id, which may be abbreviated, as the operator. Returns its channel. */
export async function answerRequest(
	client: Client,
	id: string,
	answer: { readonly value: true } | { readonly cancelled: true },
): Promise<{ readonly status: string; readonly place: string }> {
	const { wishes: requests } = await client.request("list_grants", {});
	const exact = requests.filter(({ token }) => token === id);
	const [request, ...others] = exact.length > 0 ? exact : requests.filter(({ token }) => beginsId(token, id));
	if (!request) requireLongId(id);
	if (!request)
		throw new UsageError(`no request has the id ${id}; \`parley trust list\` shows the open requests`);
	if (others.length > 0) {
		const ids = [request, ...others].map(({ token }) => token).join(", ");
		throw new UsageError(`several requests begin with ${id}: ${ids}`);
	}
	const { token, place } = request;
	return { ...(await client.request("prompt_response", { token, ...answer })), place };
}

/** Complete id of the grant. An id without a match is left for the gateway to refuse. */
export async function findGrant(client: Client, given: string): Promise<string> {
	const { grants } = await client.request("list_grants", {});
	const ids = grants.map(({ grant_id }) => grant_id);
	if (ids.includes(given)) return given;
	const [only, ...others] = ids.filter((id) => beginsId(id, given));
	if (only === undefined) requireLongId(given);
	if (others.length > 0)
		throw new UsageError(`several grants begin with ${given}: ${[only, ...others].join(", ")}`);
	return only ?? given;
}
