import { defined } from "@parley/base/defined";
import type { Client, MethodInput, MethodResult } from "@parley/protocol";
import { Command, InvalidArgumentError } from "commander";
import type { AuditCheck } from "../../audit/audit-rows.ts";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readMoment } from "../../command-line/read-moment.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { auditHelp, auditMessages } from "../../texts/commands/access/audit.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

type AuditRecords = MethodResult<"read_audit">["records"];

interface Anchor {
	readonly seq: number;
	readonly hash: string;
}

interface AuditFlags extends AddressFlags {
	readonly since?: string;
	readonly until?: string;
	readonly principal?: string;
	readonly limit: number;
	readonly all?: boolean;
	readonly verify?: boolean;
	readonly anchor?: Anchor;
	readonly json?: boolean;
}

export function auditCommand(io: Io): Command {
	const command = new Command("audit")
		.description(auditHelp.description)
		.option("--since <time>", auditHelp.since)
		.option("--until <time>", auditHelp.until)
		.option("--principal <id>", auditHelp.principal)
		.option("--limit <n>", auditHelp.limit, readLimit, 50)
		.option("--all", auditHelp.all)
		.option("--verify", auditHelp.verify)
		.option("--anchor <seq:hash>", auditHelp.anchor, readAnchor)
		.option("--json", sharedHelp.json)
		.addHelpText("after", auditHelp.notes.trimEnd());
	return addAddressFlags(command).action((flags: AuditFlags) =>
		flags.verify || flags.anchor ? verify(flags, io) : list(flags, io),
	);
}

async function list(flags: AuditFlags, io: Io): Promise<void> {
	const filter = await filterOf(flags);
	const records = await withGateway(flags, io, (client) =>
		flags.all ? readAll(client, filter) : readNewest(client, { ...filter, limit: flags.limit }),
	);
	if (flags.json) return printJson(records, io);
	if (records.length === 0) return printRows([auditMessages.noRows], io);
	const { auditTable } = await import("../../audit/audit-rows.ts");
	printRows(auditTable(records, outputFormat(io)), io);
	if (!flags.all && records.length === flags.limit) {
		io.stderr.write(`${auditMessages.moreRows({ limit: flags.limit })}\n`);
	}
}

async function filterOf({ since, until, principal }: AuditFlags): Promise<MethodInput<"read_audit">> {
	const { systemClock } = await import("@parley/base");
	const now = systemClock.now();
	return defined({
		since: since === undefined ? undefined : readMoment(since, now),
		until: until === undefined ? undefined : readMoment(until, now),
		principal,
	});
}

async function readNewest(client: Client, filter: MethodInput<"read_audit">): Promise<AuditRecords> {
	return (await client.request("read_audit", filter)).records;
}

async function readAll(client: Client, filter: MethodInput<"read_audit">): Promise<AuditRecords> {
	const limit = 1000;
	const records: AuditRecords = [];
	for (let after = 0; ; after = records.at(-1)?.seq ?? 0) {
		const page = await readNewest(client, { ...filter, after, limit });
		records.push(...page);
		if (page.length < limit) return records;
	}
}

async function verify(flags: AuditFlags, io: Io): Promise<void> {
	const check = await checkOf(flags, io);
	if (!check.ok || check.messages?.ok === false) io.exitCode = 1;
	if (flags.json) return printJson(check, io);
	const { checkRows } = await import("../../audit/audit-rows.ts");
	printRows(checkRows(check), io);
}

/**
 * Resolves with the result of the check. A gateway that `--url` or PARLEY_URL names runs the complete check.
 * Otherwise, this process checks the messages in the database of the data directory. The audit log is checked by the
 * running gateway, or by this process if no gateway is running.
 */
async function checkOf(flags: AuditFlags, io: Io): Promise<AuditCheck> {
	const { anchor, url } = flags;
	const data = await chosenDataDirectory(flags.data, io);
	const { findRunningGateway } = await import("../../client/running-gateway.ts");
	const named = url !== undefined || Boolean(io.environment["PARLEY_URL"]);
	const params = anchor ? { anchor } : {};
	if (named) {
		return withGateway(flags, io, (client) => client.request("verify_audit", { ...params, messages: true }));
	}
	const [{ checkAuditFile, checkMessagesFile }, { progressLine }] = await Promise.all([
		import("../../audit/check-files.ts"),
		import("../../command-line/progress-line.ts"),
	]);
	const audit = (await findRunningGateway(data))
		? await withGateway(flags, io, (client) => client.request("verify_audit", params))
		: await checkAuditFile(data, anchor ? [anchor] : []);
	const progress = progressLine(io);
	const messages = await checkMessagesFile(data, { onProgress: progress.show }).finally(progress.end);
	return { ...audit, ...defined({ messages }) };
}

function readAnchor(text: string): Anchor {
	const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
	if (seq !== undefined && hash !== undefined && Number(seq) > 0) return { seq: Number(seq), hash };
	throw new InvalidArgumentError(auditMessages.invalidAnchor);
}
