import { ApplicationFlags } from "discord-api-types/v10";
import * as z from "zod";
import { developerPortal } from "../client/refusals.ts";
import { askDiscord, type Discord, type Finding } from "./check.ts";

const User = z.object({ id: z.string(), username: z.string() });

const Application = z.object({
	id: z.string(),
	name: z.string(),
	flags: z.int().default(0),
	bot_require_code_grant: z.boolean().default(false),
	interactions_endpoint_url: z.string().nullish(),
});
/** The application that the token belongs to. */
export type Application = z.output<typeof Application>;

const Gateway = z.object({
	shards: z.int(),
	session_start_limit: z.object({ remaining: z.int(), reset_after: z.int() }),
});

/** Below this number of new sessions, a program may be restarting in a loop. */
const fewSessions = 50;

const skewMs = { warn: 30_000, fail: 300_000 } as const;

/** Returns the user of the bot. */
export async function readUser({ port }: Discord): Promise<z.output<typeof User>> {
	return User.parse((await askDiscord(port, "/users/@me")).body);
}

export async function readApplication({ port }: Discord): Promise<Application> {
	return Application.parse((await askDiscord(port, "/applications/@me")).body);
}

export async function checkToken(discord: Discord): Promise<Finding> {
	const { username } = await readUser(discord);
	return { id: "discord-token", status: "ok", what: `the token is that of ${username}` };
}

/** Checks the settings of the application that events and interactions need. */
export async function checkApplication(discord: Discord): Promise<Finding[]> {
	const application = await readApplication(discord);
	return [intentOf(application), interactionsOf(application), grantOf(application)];
}

function page({ id }: Application, name: "bot" | "information"): string {
	return `${developerPortal}/${id}/${name}`;
}

function intentOf(application: Application): Finding {
	const id = "discord-intents";
	const enabled = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
	if ((application.flags & enabled) !== 0) return { id, status: "ok", what: "the bot may read messages" };
	const fix = `switch "Message Content Intent" on under "Privileged Gateway Intents" on ${page(application, "bot")}`;
	return { id, status: "fail", what: "the bot may not read messages, and Discord will refuse it", fix };
}

function interactionsOf(application: Application): Finding {
	const id = "discord-interactions";
	const { interactions_endpoint_url: url } = application;
	if (!url) return { id, status: "ok", what: "commands and buttons come to the connector" };
	const fix = `empty "Interactions Endpoint URL" on ${page(application, "information")}`;
	return { id, status: "fail", what: `Discord sends commands and buttons to ${url} instead`, fix };
}

function grantOf(application: Application): Finding {
	const id = "discord-invite";
	if (!application.bot_require_code_grant) return { id, status: "ok", what: "the bot can be invited" };
	const fix = `switch "Requires OAuth2 Code Grant" off on ${page(application, "bot")}`;
	return { id, status: "fail", what: "Discord lets nobody in by an invite link alone", fix };
}

/** Checks whether a connection is possible, and how many more Discord allows today. */
export async function checkGateway({ port }: Discord): Promise<Finding> {
	const id = "discord-gateway";
	const { shards, session_start_limit: limit } = Gateway.parse((await askDiscord(port, "/gateway/bot")).body);
	const hours = Math.ceil(limit.reset_after / 3_600_000);
	if (limit.remaining === 0) {
		const fix = `wait ${hours} hours, and find out what starts again and again`;
		return { id, status: "fail", what: "Discord allows no new session today", fix };
	}
	if (limit.remaining < fewSessions) {
		const fix = "find out what starts again and again: at none left Discord closes the door for the day";
		return { id, status: "warn", what: `Discord allows only ${limit.remaining} new sessions today`, fix };
	}
	if (shards > 1) {
		const fix = "a connector holds one: from 2,500 servers on Discord will refuse it";
		return { id, status: "warn", what: `Discord recommends ${shards} connections`, fix };
	}
	return {
		id,
		status: "ok",
		what: `Discord can be reached, and allows ${limit.remaining} new sessions today`,
	};
}

/** Compares the clock of this machine with that of Discord: the age of an interaction depends on it. */
export async function checkClock({ port, clock }: Discord): Promise<Finding> {
	const id = "discord-clock";
	const { headers } = await askDiscord(port, "/gateway");
	const theirs = Date.parse(headers["date"] ?? "");
	if (Number.isNaN(theirs)) return { id, status: "ok", what: "Discord did not say what time it is" };
	// A header has whole seconds.
	const apart = Math.max(0, Math.abs(clock.now() - theirs) - 1000);
	const seconds = Math.round(apart / 1000);
	if (apart < skewMs.warn) return { id, status: "ok", what: "the clock is Discord's" };
	const fix = "let the system set its clock by the network";
	const what = `the clock is ${seconds} seconds away from Discord's`;
	return { id, status: apart < skewMs.fail ? "warn" : "fail", what, fix };
}
