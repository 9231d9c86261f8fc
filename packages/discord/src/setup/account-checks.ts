import { checkClockOf, type Finding } from "@parley/connector";
import { ApplicationFlags } from "discord-api-types/v10";
import * as z from "zod";
import { developerPortal } from "../client/refusals.ts";
import { accountTexts } from "../texts/account.ts";
import { askDiscord, type Discord } from "./check.ts";

const User = z.object({ id: z.string(), username: z.string() });

const Application = z.object({
	id: z.string(),
	name: z.string(),
	flags: z.int().default(0),
	bot_require_code_grant: z.boolean().default(false),
	interactions_endpoint_url: z.string().nullish(),
});
/** Application to which the token belongs. */
export type Application = z.output<typeof Application>;

const Gateway = z.object({
	shards: z.int(),
	session_start_limit: z.object({ remaining: z.int(), reset_after: z.int() }),
});

/** Number of remaining sessions below which a program may be restarting in a loop. */
const fewSessions = 50;

export async function readUser({ port }: Discord): Promise<z.output<typeof User>> {
	return User.parse((await askDiscord(port, "/users/@me")).body);
}

export async function readApplication({ port }: Discord): Promise<Application> {
	return Application.parse((await askDiscord(port, "/applications/@me")).body);
}

export async function checkToken(discord: Discord): Promise<Finding> {
	const { username } = await readUser(discord);
	return { id: "discord-token", status: "ok", what: accountTexts.token({ name: username }) };
}

/** Checks the settings of the application for messages, interactions and invitations. */
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
	if ((application.flags & enabled) !== 0) return { id, status: "ok", what: accountTexts.intent };
	const fix = accountTexts.noIntentFix({ page: page(application, "bot") });
	return { id, status: "fail", what: accountTexts.noIntent, fix };
}

function interactionsOf(application: Application): Finding {
	const id = "discord-interactions";
	const { interactions_endpoint_url: url } = application;
	if (!url) return { id, status: "ok", what: accountTexts.interactions };
	const fix = accountTexts.interactionsElsewhereFix({ page: page(application, "information") });
	return { id, status: "fail", what: accountTexts.interactionsElsewhere({ url }), fix };
}

function grantOf(application: Application): Finding {
	const id = "discord-invite";
	if (!application.bot_require_code_grant) return { id, status: "ok", what: accountTexts.invite };
	const fix = accountTexts.noInviteFix({ page: page(application, "bot") });
	return { id, status: "fail", what: accountTexts.noInvite, fix };
}

/**
 * Checks how many new sessions Discord still allows until the limit resets, and how many shards Discord recommends
 * for this bot.
 */
export async function checkGateway({ port }: Discord): Promise<Finding> {
	const id = "discord-gateway";
	const { shards, session_start_limit: limit } = Gateway.parse((await askDiscord(port, "/gateway/bot")).body);
	const hours = Math.ceil(limit.reset_after / 3_600_000);
	if (limit.remaining === 0) {
		const fix = accountTexts.noConnectionsFix({ hours });
		return { id, status: "fail", what: accountTexts.noConnections, fix };
	}
	if (limit.remaining < fewSessions) {
		const what = accountTexts.fewConnections(limit);
		return { id, status: "warn", what, fix: accountTexts.fewConnectionsFix };
	}
	if (shards > 1) {
		return { id, status: "warn", what: accountTexts.shards({ shards }), fix: accountTexts.shardsFix };
	}
	return { id, status: "ok", what: accountTexts.connections(limit) };
}

/**
 * Compares the clock of this machine with Discord's clock, because the age of an interaction depends on both
 * clocks.
 */
export async function checkClock({ port, clock }: Discord): Promise<Finding> {
	const id = "discord-clock";
	const { headers } = await askDiscord(port, "/gateway");
	const serverTime = Date.parse(headers["date"] ?? "");
	const theirTime = Number.isNaN(serverTime) ? undefined : serverTime;
	return checkClockOf({ id, platform: "Discord", ownTime: clock.now(), theirTime });
}
