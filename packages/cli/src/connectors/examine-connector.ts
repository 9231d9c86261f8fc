import { systemClock } from "@parley/base";
import { type Finding, noticeTexts, readUnreached } from "@parley/connector";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import type { Platform } from "../gateway/platform.ts";
import { doctorRows } from "../tables/finding-rows.ts";
import { connectorCheckTexts } from "../texts/connectors/state.ts";
import { connectorFix, connectorWords, readConnectorStatuses } from "./connector-report.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";

export interface Examination {
	readonly platform: Platform;
	readonly flags: ConnectorFlags & { readonly json?: boolean };
	readonly io: Io;
	readonly found: AsyncIterable<Finding>;
}

/** Prints the findings about an app and its connector. Returns the exit code: 1 if a check fails. */
export async function examineConnector(examination: Examination): Promise<number> {
	const { platform, flags, io, found } = examination;
	const secrets = platform.variables.flatMap((name) => io.environment[name]?.trim() || []);
	const shown = (finding: Finding): Finding => ({
		...finding,
		what: secrets.reduce((what, secret) => what.replaceAll(secret, "…"), finding.what),
	});
	const own = [await connectorOf(examination), ...(await noticesOf(examination))];
	const findings = [...(await Array.fromAsync(found)), ...own].map(shown);
	if (flags.json) printJson(findings, io);
	else printRows(doctorRows(findings, outputFormat(io)), io);
	return findings.some(({ status }) => status === "fail") ? 1 : 0;
}

/** Resolves with a warning about notices that did not reach approvers by their first delivery method. */
async function noticesOf({ platform: { name }, flags, io }: Examination): Promise<Finding[]> {
	const { data: dataDir } = await readConnectorConfig(flags, io);
	const [newest, ...others] = await readUnreached({ platform: name, dataDir });
	if (newest === undefined) return [];
	const what = noticeTexts.finding({ count: others.length + 1, reason: newest.reason });
	return [{ id: `${name}-notices`, status: "warn", what, fix: noticeTexts.fix }];
}

async function connectorOf({ platform, flags, io }: Examination): Promise<Finding> {
	const { name, credential } = platform;
	const id = `${name}-connector`;
	const { data } = await readConnectorConfig(flags, io);
	const now = systemClock.now();
	const status = (await readConnectorStatuses(data, now)).find((one) => one.platform === name);
	if (status === undefined) {
		const fix = connectorCheckTexts.noneFix({ variables: credential, platform: name });
		return { id, status: "warn", what: connectorCheckTexts.none({ data, platform: platform.title }), fix };
	}
	const [what, fix] = [
		connectorCheckTexts.state({ words: connectorWords(status, now) }),
		connectorFix(status),
	];
	if (fix === undefined) return { id, status: "ok", what };
	return { id, status: status.state === "refused" ? "fail" : "warn", what, fix };
}
