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
import { trustHelp, trustMessages } from "../../texts/commands/access/trust.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

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

/**
 * Creates `parley trust`, which lists and changes the trust grants of channels. In a trusted channel, tool calls
 * run without approval for a limited time.
 */
export function trustCommand(io: Io): Command {
	const command = new Command("trust")
		.description(trustHelp.description)
		.helpCommand(false)
		.addHelpText("after", trustHelp.notes.trimEnd());
	return command
		.addCommand(listCommand(io))
		.addCommand(grantCommand(io))
		.addCommand(approveCommand(io))
		.addCommand(denyCommand(io))
		.addCommand(revokeCommand(io));
}

function listCommand(io: Io): Command {
	const command = new Command("list")
		.description(trustHelp.list)
		.option("--all", trustHelp.all)
		.option("--json", sharedHelp.json);
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
		const none = [trustMessages.noChannel];
		printRows(grants.length === 0 ? none : grantTable(grants, now, format), io);
		if (requests.length > 0) printRows(["", ...requestRows(requests, now, format)], io);
	});
}

function grantCommand(io: Io): Command {
	const command = new Command("grant")
		.description(trustHelp.grant)
		.argument("<channel>", trustHelp.channel)
		.requiredOption("--reason <text>", trustHelp.reason)
		.option("--tools <names>", sharedHelp.tools, readNames)
		.option("--classes <names>", trustHelp.classes, readClasses)
		.option("--people <ids>", trustHelp.people, readNames)
		.option("--minutes <n>", trustHelp.minutes, readNumber)
		.option("--max <n>", trustHelp.max, readNumber)
		.option("--unseen", trustHelp.unseen)
		.option("--json", sharedHelp.json);
	return addAddressFlags(command).action(async (channel: string, flags: GrantFlags) => {
		const answer = await withGateway(flags, io, (client) =>
			client.request("request_grant", requestOf(channel, flags)),
		);
		if (flags.json) return printJson(answer, io);
		if (answer.status !== "granted") return printRows([trustMessages.requested], io);
		const { localTime } = await import("../../text/local-time.ts");
		const { grant_id, place, expires_at, max_actions } = answer.grant;
		const until = localTime(new Date(expires_at));
		const row = trustMessages.granted({ channel: visibleLine(place), until, calls: max_actions });
		printRows([row, trustMessages.howToRevoke({ id: grant_id })], io);
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
		.description(trustHelp.approve)
		.argument("<request>", trustHelp.request)
		.option("--json", sharedHelp.json);
	return addAddressFlags(command).action(async (id: string, flags: TrustFlags) => {
		const answered = await withGateway(flags, io, (client) => answerRequest(client, id, { value: true }));
		if (flags.json) return printJson(answered, io);
		printRows([trustMessages.approved({ channel: visibleLine(answered.place) })], io);
	});
}

function denyCommand(io: Io): Command {
	const command = new Command("deny")
		.alias("refuse")
		.description(trustHelp.deny)
		.argument("<request>", trustHelp.request)
		.option("--json", sharedHelp.json);
	return addAddressFlags(command).action(async (id: string, flags: TrustFlags) => {
		const answered = await withGateway(flags, io, (client) => answerRequest(client, id, { cancelled: true }));
		if (flags.json) return printJson(answered, io);
		printRows([trustMessages.denied], io);
	});
}

function revokeCommand(io: Io): Command {
	const command = new Command("revoke")
		.description(trustHelp.revoke)
		.argument("<id>", trustHelp.grantId)
		.option("--reason <text>", trustHelp.reason)
		.option("--json", sharedHelp.json);
	return addAddressFlags(command).action(
		async (id: string, flags: TrustFlags & { readonly reason?: string }) => {
			const answer = await withGateway(flags, io, async (client) => {
				const grant_id = await findGrant(client, id);
				return client.request("revoke_grant", defined({ grant_id, reason: flags.reason }));
			});
			if (flags.json) return printJson(answer, io);
			printRows([trustMessages.revoked], io);
		},
	);
}

type Class = NonNullable<MethodInput<"request_grant">["classes"]>[number];

/** Classes that a grant can cover. */
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
	if (other !== undefined)
		throw new InvalidArgumentError(trustMessages.allowedClasses({ classes: classes.join(", ") }));
	// The cast is safe because each name was found in the list.
	return names as Class[];
}

function readNames(text: string): readonly string[] {
	return text.split(",").map((name) => name.trim());
}

function readNumber(text: string): number {
	if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
	throw new InvalidArgumentError(trustMessages.invalidNumber);
}

/**
 * Answers a request for a trust grant. The id may be abbreviated. Returns the status of the answer and the
 * channel of the request. Rejects if the id is too short, or if no request or several requests match.
 */
export async function answerRequest(
	client: Client,
	id: string,
	answer: { readonly value: true } | { readonly cancelled: true },
): Promise<{ readonly status: string; readonly place: string }> {
	const { wishes: requests } = await client.request("list_grants", {});
	const exact = requests.filter(({ token }) => token === id);
	const [request, ...others] = exact.length > 0 ? exact : requests.filter(({ token }) => beginsId(token, id));
	if (!request) requireLongId(id);
	if (!request) throw new UsageError(trustMessages.noRequest({ id }));
	if (others.length > 0) {
		const ids = [request, ...others].map(({ token }) => token).join(", ");
		throw new UsageError(trustMessages.severalRequests({ id, ids }));
	}
	const { token, place } = request;
	return { ...(await client.request("prompt_response", { token, ...answer })), place };
}

/**
 * Resolves with the complete id of the grant. If no grant matches, resolves with the id unchanged, so that the
 * gateway refuses it. Rejects if the id is too short or ambiguous.
 */
export async function findGrant(client: Client, given: string): Promise<string> {
	const { grants } = await client.request("list_grants", {});
	const ids = grants.map(({ grant_id }) => grant_id);
	if (ids.includes(given)) return given;
	const [only, ...others] = ids.filter((id) => beginsId(id, given));
	if (only === undefined) requireLongId(given);
	if (others.length > 0)
		throw new UsageError(trustMessages.severalGrants({ given, ids: [only, ...others].join(", ") }));
	return only ?? given;
}
