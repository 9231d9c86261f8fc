import { defined } from "@parley/base";
import type { Config } from "@parley/gateway";
import type { SlackChecks, WrongSetting } from "@parley/slack";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { slackSettingTexts } from "../texts/connectors/slack.ts";

/** Transport of Slack's events: Socket Mode with `appToken`, or HTTP requests with `signingSecret`. */
export type SlackTransport =
	| { readonly appToken: string }
	| { readonly signingSecret: string; readonly listen: { readonly host: string; readonly port: number } };

export interface SlackSettings {
	readonly botToken: string;
	readonly transport: SlackTransport;
}

interface SlackEnvironment {
	readonly environment: Io["environment"];
}

interface SlackConfig {
	readonly slack?: Config["slack"];
}

/**
 * Returns the settings of the connector: Socket Mode with SLACK_APP_TOKEN, HTTP with SLACK_SIGNING_SECRET. Throws
 * a `UsageError` for a missing or invalid setting. `listen`, the value of the flag, selects HTTP and overrides
 * the configured address.
 */
export function slackSettings(io: SlackEnvironment, config: SlackConfig, listen?: string): SlackSettings {
	return { botToken: readBotToken(io), transport: readTransport(io, config, listen) };
}

/**
 * Returns the same settings as `slackSettings`, but with errors as values, so that each check can report its own
 * error.
 */
export function trySlackSettings(
	io: SlackEnvironment,
	config: SlackConfig,
	listen?: string,
): {
	readonly botToken?: string;
	readonly transport?: SlackTransport;
	/** Whether the settings are for HTTP, even if they are incomplete. */
	readonly isHttp: boolean;
	readonly wrong: NonNullable<SlackChecks["wrong"]>;
} {
	const token = tried(() => readBotToken(io));
	const transport = tried(() => readTransport(io, config, listen));
	const isHttp =
		listen !== undefined ||
		(variable(io, "SLACK_APP_TOKEN") === undefined && variable(io, "SLACK_SIGNING_SECRET") !== undefined);
	return {
		...defined({ botToken: token.value, transport: transport.value }),
		isHttp,
		wrong: defined({ token: token.wrong, transport: transport.wrong }),
	};
}

function tried<Value>(read: () => Value): { readonly value?: Value; readonly wrong?: WrongSetting } {
	try {
		return { value: read() };
	} catch (reason) {
		if (!(reason instanceof UsageError)) throw reason;
		const [what = "", hint = slackSettingTexts.setupHint] = reason.message.split("\n");
		return { wrong: defined({ what, fix: hint === slackSettingTexts.setupHint ? undefined : hint }) };
	}
}

function variable({ environment }: SlackEnvironment, name: string): string | undefined {
	return environment[name]?.trim() || undefined;
}

function readBotToken(io: SlackEnvironment): string {
	const botToken = variable(io, "SLACK_BOT_TOKEN");
	if (botToken === undefined) throw new UsageError(slackSettingTexts.noBotToken);
	if (botToken.startsWith("xoxb-")) return botToken;
	throw new UsageError(slackSettingTexts.invalidBotToken);
}

function readTransport(io: SlackEnvironment, { slack }: SlackConfig, listen?: string): SlackTransport {
	const appToken = variable(io, "SLACK_APP_TOKEN");
	if (listen === undefined && appToken !== undefined) {
		if (appToken.startsWith("xapp-")) return { appToken };
		throw new UsageError(slackSettingTexts.invalidAppToken);
	}
	const signingSecret = variable(io, "SLACK_SIGNING_SECRET");
	if (signingSecret === undefined) {
		const requested = listen === undefined ? slackSettingTexts.appTokenOrSecret : "SLACK_SIGNING_SECRET";
		throw new UsageError(slackSettingTexts.missing({ variable: requested }));
	}
	const address = listen === undefined ? slack?.listen : readListen(listen);
	if (address === undefined) {
		throw new UsageError(slackSettingTexts.noListen);
	}
	return { signingSecret, listen: address };
}

function readListen(text: string): { readonly host: string; readonly port: number } {
	const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text) ?? [];
	const host = bracketed ?? plain;
	if (host === undefined || Number(port) > 65_535) {
		throw new UsageError(slackSettingTexts.invalidListen({ address: text }));
	}
	return { host, port: Number(port) };
}
