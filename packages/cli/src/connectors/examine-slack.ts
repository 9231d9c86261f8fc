import { silentLogger, systemClock } from "@parley/base";
import { examineSlack as examine, openChecks, type SlackChecks } from "@parley/slack";
import type { Io } from "../io.ts";
import { examineConnector } from "./examine-connector.ts";
import { slack } from "./platform.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";

/** Says what is wrong with the app, and returns the exit code: 1 where something fails. */
export async function examineSlack(options: {
	readonly flags: ConnectorFlags & { readonly json?: boolean };
	readonly io: Io;
}): Promise<number> {
	const { flags, io } = options;
	const checks = await openSlackChecks(options);
	return examineConnector({ platform: slack, flags, io, found: examine(checks) });
}

/** What checks look at Slack with, by the environment and the settings of the gateway's configuration. */
export async function openSlackChecks({
	flags,
	io,
}: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
}): Promise<SlackChecks> {
	const config = await readConnectorConfig(flags, io);
	const read = (name: string): string | undefined => io.environment[name]?.trim() || undefined;
	const appToken = read("SLACK_APP_TOKEN");
	const isHttp = appToken === undefined && read("SLACK_SIGNING_SECRET") !== undefined;
	return openChecks({
		...{ botToken: read("SLACK_BOT_TOKEN") ?? "", appToken, apiUrl: config.slack?.apiUrl },
		...{ clock: systemClock, log: silentLogger, http: isHttp ? {} : undefined },
	});
}
