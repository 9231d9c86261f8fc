import { systemClock } from "@parley/base";
import { examineDiscord as examine, type Finding, openChecks } from "@parley/discord";
import { doctorRows } from "../doctor/doctor-rows.ts";
import type { Io } from "../io.ts";
import { outputLook, printJson, printRows } from "../with-gateway.ts";
import { readStandings } from "./connector-report.ts";
import { connectorFix, connectorWords } from "./connector-words.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";

/** Says what is wrong with the bot, and returns the exit code: 1 where something fails. */
export async function examineDiscord(options: {
	readonly flags: ConnectorFlags & { readonly json?: boolean };
	readonly io: Io;
	readonly token: string;
}): Promise<number> {
	const { flags, io, token } = options;
	const checks = await openDiscordChecks(options);
	try {
		const found = [...(await Array.fromAsync(examine(checks))), await connectorOf(options)];
		const findings = found.map((finding) => ({ ...finding, what: finding.what.replaceAll(token, "…") }));
		if (flags.json) printJson(findings, io);
		else printRows(doctorRows(findings, outputLook(io)), io);
		return findings.some(({ status }) => status === "fail") ? 1 : 0;
	} finally {
		checks.close();
	}
}

/** Whether the connector of this machine works. */
async function connectorOf({
	flags,
	io,
}: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
}): Promise<Finding> {
	const id = "discord-connector";
	const { data } = await readConnectorConfig(flags, io);
	const now = systemClock.now();
	const standing = (await readStandings(data, now)).find(({ platform }) => platform === "discord");
	if (standing === undefined) {
		const fix =
			"start the gateway with `parley start` where DISCORD_TOKEN is set, or run `parley discord` beside it";
		return { id, status: "warn", what: `no connector runs on ${data}`, fix };
	}
	const [what, fix] = [`connector: ${connectorWords(standing, now)}`, connectorFix(standing)];
	if (fix === undefined) return { id, status: "ok", what };
	return { id, status: standing.state === "refused" ? "fail" : "warn", what, fix };
}

/** What checks look at Discord with, by the settings of the gateway's configuration. */
export async function openDiscordChecks({
	flags,
	io,
	token,
}: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly token: string;
}): Promise<ReturnType<typeof openChecks>> {
	const { discord } = await readConnectorConfig(flags, io);
	return openChecks({ token, apiUrl: discord?.apiUrl, clock: systemClock });
}
