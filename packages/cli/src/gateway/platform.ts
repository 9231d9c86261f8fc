import type { Io } from "../command-line/io.ts";
import { platformTexts } from "../texts/connectors/platforms.ts";

type Environment = Io["environment"];

/** A chat platform, without the modules of its connector. */
export interface Platform {
	/** Name in commands, tokens and files. */
	readonly name: "discord" | "slack";
	/** Name in texts. */
	readonly title: string;
	/** Environment variables that only its connector gets. */
	readonly variables: readonly string[];
	/** Whether the environment has the tokens of the connector, so that `parley start` runs it. */
	isRequested(environment: Environment): boolean;
	/** Variables with the tokens that the connector needs. */
	readonly wants: string;
	/** Instruction that makes the person of the setup the owner. */
	pairing(code: string): string;
}

export const discord: Platform = {
	name: "discord",
	title: "Discord",
	variables: ["DISCORD_TOKEN"],
	isRequested: (environment) => isSet(environment, "DISCORD_TOKEN"),
	wants: "DISCORD_TOKEN",
	pairing: (code) => platformTexts.discordPairing({ code }),
};

/** The bot's token in the environment; undefined if it is not set. */
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
	wants: platformTexts.slackVariables,
	pairing: (code) => platformTexts.slackPairing({ code }),
};

/** Slack over HTTP. */
export const slackOverHttp: Platform = {
	...slack,
	wants: platformTexts.slackHttpVariables,
};

export const platforms: readonly Platform[] = [discord, slack];

/** Whether a variable has a value that is more than blanks. */
function isSet(environment: Environment, name: string): boolean {
	return (environment[name] ?? "").trim() !== "";
}
