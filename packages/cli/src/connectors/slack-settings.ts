import type { Config } from "@parley/gateway";
import type { Io } from "../io.ts";
import { UsageError } from "../usage.ts";

/** Where Slack's events come in, by what the operator has set. */
export type SlackEntrance =
	| { readonly appToken: string }
	| { readonly signingSecret: string; readonly listen: { readonly host: string; readonly port: number } };

export interface SlackSettings {
	readonly botToken: string;
	readonly entrance: SlackEntrance;
}

const setupHint = "parley slack setup says where they come from";

/**
 * What the connector is started with: Socket Mode where SLACK_APP_TOKEN is set, HTTP with SLACK_SIGNING_SECRET. Throws a
 * `UsageError` that says what is missing. `listen` is the flag, before the configuration's.
 */
export function slackSettings(
	{ environment }: Pick<Io, "environment">,
	{ slack }: Pick<Config, "slack">,
	listen?: string,
): SlackSettings {
	const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
	const botToken = read("SLACK_BOT_TOKEN");
	if (botToken === undefined) throw new UsageError(`SLACK_BOT_TOKEN is not set\n${setupHint}`);
	const appToken = read("SLACK_APP_TOKEN");
	if (!botToken.startsWith("xoxb-")) {
		throw new UsageError(`SLACK_BOT_TOKEN is not a bot's token, which begins with xoxb-\n${setupHint}`);
	}
	if (listen === undefined && appToken !== undefined) {
		if (appToken.startsWith("xapp-")) return { botToken, entrance: { appToken } };
		throw new UsageError(`SLACK_APP_TOKEN is not an app's token, which begins with xapp-\n${setupHint}`);
	}
	const signingSecret = read("SLACK_SIGNING_SECRET");
	if (signingSecret === undefined) {
		const wanted =
			listen === undefined ? "SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET)" : "SLACK_SIGNING_SECRET";
		throw new UsageError(`${wanted} is not set\n${setupHint}`);
	}
	const address = listen === undefined ? slack?.listen : readListen(listen);
	if (address === undefined) {
		throw new UsageError(
			"with SLACK_SIGNING_SECRET Slack calls this machine: say where it is waited for\n--listen 127.0.0.1:3000, or slack.listen in the configuration",
		);
	}
	return { botToken, entrance: { signingSecret, listen: address } };
}

function readListen(text: string): { readonly host: string; readonly port: number } {
	const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text) ?? [];
	const host = bracketed ?? plain;
	if (host === undefined || Number(port) > 65_535) {
		throw new UsageError(`--listen ${text} is no address\nwrite HOST:PORT, for instance 127.0.0.1:3000`);
	}
	return { host, port: Number(port) };
}
