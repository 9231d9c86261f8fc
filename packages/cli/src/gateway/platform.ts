import type { Io } from "../command-line/io.ts";
import { platformTexts } from "../texts/connectors/platforms.ts";

type Environment = Io["environment"];

/** A chat platform without the modules of its connector, which load slowly. */
export interface Platform {
	/** Name of the platform in commands, tokens and files. */
	readonly name: "discord" | "slack";
	/** Display name of the platform. */
	readonly title: string;
	/** Environment variables that Parley passes to the connector of this platform, but not to other connectors. */
	readonly variables: readonly string[];
	/**
	 * Whether the environment contains all credentials that the connector needs. If so, `parley start` runs the
	 * connector.
	 */
	isRequested(environment: Environment): boolean;
	/** Names of the variables that the connector needs, as a phrase for messages. */
	readonly credential: string;
	/** Returns the instruction for the person who sets up the bot and wants to become an owner. */
	pairing(code: string): string;
}

export const discord: Platform = {
	name: "discord",
	title: "Discord",
	variables: ["DISCORD_TOKEN"],
	isRequested: (environment) => isSet(environment, "DISCORD_TOKEN"),
	credential: "DISCORD_TOKEN",
	pairing: (code) => platformTexts.discordPairing({ code }),
};

/**
 * Returns the bot's token from the environment, without the prefix `Bot `. Returns undefined if the variable is
 * missing or empty.
 */
export function discordToken({ environment }: { readonly environment: Environment }): string | undefined {
	return environment["DISCORD_TOKEN"]?.trim().replace(/^Bot /, "") || undefined;
}

export const slack: Platform = {
	name: "slack",
	title: "Slack",
	variables: ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"],
	isRequested: (environment) =>
		isSet(environment, "SLACK_BOT_TOKEN") &&
		(isSet(environment, "SLACK_APP_TOKEN") || isSet(environment, "SLACK_SIGNING_SECRET")),
	credential: platformTexts.slackVariables,
	pairing: (code) => platformTexts.slackPairing({ code }),
};

/** The platform Slack with HTTP instead of Socket Mode. */
export const slackOverHttp: Platform = {
	...slack,
	credential: platformTexts.slackHttpVariables,
};

export const platforms: readonly Platform[] = [discord, slack];

function isSet(environment: Environment, name: string): boolean {
	return (environment[name] ?? "").trim() !== "";
}
