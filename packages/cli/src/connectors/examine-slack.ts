import { silentLogger, systemClock } from "@parley/base";
import { examineSlack as examine, openChecks, type SlackChecks } from "@parley/slack";
import type { Io } from "../io.ts";
import { examineConnector } from "./examine-connector.ts";
import { type Platform, slack, slackOverHttp } from "./platform.ts";
import { readConnectorConfig } from "./run-connector.ts";
import type { SlackFlags } from "./run-slack-connector.ts";
import { trySlackSettings } from "./slack-settings.ts";

/** Says what is wrong with the app, and returns the exit code: 1 where something fails. */
export async function examineSlack(options: {
	readonly flags: SlackFlags & { readonly json?: boolean };
	readonly io: Io;
}): Promise<number> {
	const { flags, io } = options;
	const checks = await openSlackChecks(options);
	return examineConnector({ platform: platformOf(checks), flags, io, found: examine(checks) });
}

/** Slack, with the words for the way in that is set. */
export function platformOf({ http }: SlackChecks): Platform {
	return http === undefined ? slack : slackOverHttp;
}

/** What checks look at Slack with, by the same settings as the connector's own. */
export async function openSlackChecks({
	flags,
	io,
}: {
	readonly flags: SlackFlags;
	readonly io: Io;
}): Promise<SlackChecks> {
	const config = await readConnectorConfig(flags, io);
	const { botToken = "", entrance, isHttp, wrong } = trySlackSettings(io, config, flags.listen);
	return openChecks({
		...{ botToken, wrong, apiUrl: config.slack?.apiUrl, clock: systemClock, log: silentLogger },
		...(entrance && "appToken" in entrance ? entrance : isHttp && { http: entrance ?? {} }),
	});
}
