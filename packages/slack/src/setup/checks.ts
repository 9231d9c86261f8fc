import { type Clock, ParleyError } from "@parley/base";
import type { CommandShape, Finding } from "@parley/connector";
import * as z from "zod";
import { readAccount } from "../client/account.ts";
import { type Scope, scopes } from "../vocabulary/needs.ts";
import type { SlackApi } from "../vocabulary/slack-port.ts";
import { appSettings, askSlack } from "./ask-slack.ts";
import type { Knocked } from "./knock.ts";

/** Access to Slack for the checks. */
export interface SlackChecks {
	readonly bot: SlackApi;
	/** For Socket Mode. */
	readonly app?: SlackApi;
	/** For HTTP: checks the connector's address; `knock` is absent if the address is unknown. */
	readonly http?: { readonly knock?: () => Promise<Knocked> };
	/** Errors in the settings, which are reported without a request to Slack. `fix` replaces that of the check. */
	readonly wrong?: Readonly<Partial<Record<"token" | "transport", WrongSetting>>>;
	/** Time according to Slack, in milliseconds since the epoch; undefined if Slack does not report it. */
	readonly theirTime: () => Promise<number | undefined>;
	readonly clock: Clock;
	readonly shapes: readonly CommandShape[];
}

/** A missing or invalid setting. */
export interface WrongSetting {
	readonly what: string;
	readonly fix?: string;
}

type Check = (checks: SlackChecks) => Promise<Finding>;

/** The web client adds the header `x-oauth-scopes` here. */
const Scoped = z.object({ response_metadata: z.object({ scopes: z.array(z.string()) }) });
const Rooms = z.object({
	channels: z.array(z.unknown()),
	response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});

const skewMs = { warn: 30_000, fail: 300_000 } as const;

const tokenFix = `set SLACK_BOT_TOKEN to the one under "OAuth & Permissions" on ${appSettings}`;

async function checkToken({ bot, wrong }: SlackChecks): Promise<Finding> {
	const id = "slack-token";
	if (wrong?.token) return { id, status: "fail", fix: tokenFix, ...wrong.token };
	const tried = readAccount({ type: "ok", body: await askSlack(bot, "auth.test") });
	if ("account" in tried) {
		const { name, url } = tried.account;
		return { id, status: "ok", what: `the token is that of ${name} in ${url}` };
	}
	const what = "refused" in tried ? tried.refused : tried.lost;
	return { id, status: "fail", what, fix: tokenFix };
}

async function checkScopes({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-scopes";
	const read = Scoped.safeParse(await askSlack(bot, "auth.test"));
	if (!read.success) return { id, status: "ok", what: "Slack did not say what the bot may do" };
	const granted = new Set(read.data.response_metadata.scopes);
	// True because these are the keys of the object.
	const missing = (Object.keys(scopes) as Scope[]).filter((scope) => !granted.has(scope));
	const fix = `give the app the manifest of "parley slack manifest" on ${appSettings}, and install it again`;
	if (missing.length > 0) {
		const list = missing.map((scope) => `${scope} (${scopes[scope]})`).join(", ");
		return { id, status: "fail", what: `the bot lacks scopes: ${list}`, fix };
	}
	const unneeded = [...granted].filter((scope) => !Object.hasOwn(scopes, scope));
	if (unneeded.length === 0) return { id, status: "ok", what: "the bot has the scopes that it needs" };
	return {
		id,
		status: "warn",
		what: `the bot has scopes that it does not need: ${unneeded.join(", ")}`,
		fix,
	};
}

const appTokenFix = `under "Basic Information" on ${appSettings} make an app-level token with connections:write, and set SLACK_APP_TOKEN to it`;
const secretFix = `set SLACK_SIGNING_SECRET to the signing secret under "Basic Information" on ${appSettings}, and say with --listen where the connector waits`;

async function checkTransport({ app, http, wrong }: SlackChecks): Promise<Finding> {
	const id = "slack-transport";
	const fix = http === undefined ? appTokenFix : secretFix;
	if (wrong?.transport) return { id, status: "fail", fix, ...wrong.transport };
	if (http?.knock !== undefined) return { id, ...entranceWords(await http.knock()) };
	if (app === undefined) return { id, status: "fail", what: "there is no way in for what people write", fix };
	await askSlack(app, "apps.connections.open");
	return { id, status: "ok", what: "sockets to Slack can be opened" };
}

/** Only the local response is visible here. Whether Slack reaches the address is shown in the settings of the app. */
function entranceWords({ at, by }: Knocked): Omit<Finding, "id"> {
	switch (by) {
		case "connector":
			return {
				status: "ok",
				what: `the connector answers at ${at}`,
				fix: `whether Slack reaches it from outside is not checked here: under "Event Subscriptions" on ${appSettings} press "Retry" beside the request URL, until it says "Verified"`,
			};
		case "another-secret":
			return {
				status: "fail",
				what: `what answers at ${at} does not take what is signed with this secret`,
				fix: `set SLACK_SIGNING_SECRET, here and for the connector, to the one under "Basic Information" on ${appSettings}, and start the connector again`,
			};
		case "another":
			return {
				status: "fail",
				what: `what answers at ${at} is not the connector`,
				fix: "say with --listen, or slack.listen in the configuration, where the connector waits",
			};
		case "nobody":
			return {
				status: "warn",
				what: `nothing answers at ${at}: Slack is not heard`,
				fix: `with SLACK_SIGNING_SECRET set, run \`parley slack --listen ${at}\`, or \`parley start\` with slack.listen in the configuration`,
			};
		case "unknown":
			return {
				status: "warn",
				what: `not checked whether the connector answers: ${at} is any free port`,
				fix: "say with --listen, or slack.listen in the configuration, a port to which a proxy can lead",
			};
	}
}

/** Over HTTP, signatures are valid only if both clocks agree. */
async function checkClock({ theirTime, clock }: SlackChecks): Promise<Finding> {
	const id = "slack-clock";
	const theirs = await theirTime();
	if (theirs === undefined) return { id, status: "ok", what: "Slack did not say what time it is" };
	// A header has whole seconds.
	const apart = Math.max(0, Math.abs(clock.now() - theirs) - 1000);
	if (apart < skewMs.warn) return { id, status: "ok", what: "the clock is Slack's" };
	const what = `the clock is ${Math.round(apart / 1000)} seconds away from Slack's`;
	const status = apart < skewMs.fail ? "warn" : "fail";
	return { id, status, what, fix: "let the system set its clock by the network" };
}

async function checkRooms({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-rooms";
	const asked = { types: "public_channel,private_channel", exclude_archived: true, limit: 200 };
	const { channels, response_metadata: more } = Rooms.parse(
		await askSlack(bot, "users.conversations", asked),
	);
	const count = channels.length;
	// A page may be short or empty although more pages follow.
	const least = more?.next_cursor ? "at least " : "";
	if (count > 0 || least !== "") {
		const what = `the bot is in ${least}${Math.max(1, count)} ${count > 1 ? "channels" : "channel"}`;
		return { id, status: "ok", what };
	}
	const fix = "type /invite @parley in a channel; direct messages to it work without";
	return { id, status: "warn", what: "the bot is in no channel yet", fix };
}

/** In a useful order: all other checks need the first one. */
export const checks = {
	token: checkToken,
	scopes: checkScopes,
	transport: checkTransport,
	clock: checkClock,
	rooms: checkRooms,
	limits: checkLimits,
} as const satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

/** Returns the finding of one check, also if the check itself fails. */
export async function runCheck(name: CheckName, parts: SlackChecks): Promise<Finding> {
	try {
		return await checks[name](parts);
	} catch (reason) {
		return failed(`slack-${name}`, ParleyError.from(reason));
	}
}

/** Runs all checks without changing anything. Never rejects: a failed check is a finding. */
export async function* examineSlack(parts: SlackChecks): AsyncGenerator<Finding> {
	// True because these are the keys of the object.
	for (const name of Object.keys(checks) as CheckName[]) {
		const finding = await runCheck(name, parts);
		yield finding;
		if (name === "token" && finding.status === "fail") return;
	}
}

function failed(id: string, { code, message }: ParleyError): Finding {
	if (code === "unauthenticated") {
		const fix = `copy the tokens again from ${appSettings}: xoxb- from "OAuth & Permissions", xapp- from "Basic Information"`;
		return { id, status: "fail", what: message, fix };
	}
	return { id, status: "fail", what: message, fix: fixes[code] ?? fixes.permission_denied };
}

const fixes: Partial<Record<ParleyError["code"], string>> & { readonly permission_denied: string } = {
	unavailable: "look whether this machine reaches slack.com, and https://slack-status.com; then try again",
	// The message has the required change.
	failed_precondition: `see to that on ${appSettings}, then look again`,
	permission_denied: `look at the app on ${appSettings}, and try again`,
};

/** https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps */
const fewest = 15;

const Channels = z.object({ channels: z.array(z.object({ id: z.string() })) });
const History = z.object({ messages: z.array(z.unknown()), has_more: z.boolean().optional() });

/**
 * Detects the rate limit class of the app. No method reports it, but a limited app gets fewer messages of a long channel.
 */
async function checkLimits({ bot }: { readonly bot: SlackApi }): Promise<Finding> {
	const id = "slack-limits";
	const given = await readHistory(bot);
	if (given !== undefined && given.count > fewest) {
		return { id, status: "ok", what: "Slack lets the app read history freely, about 50 requests a minute" };
	}
	if (given?.count === fewest && given.hasMore) {
		const what = `Slack gives ${fewest} messages at once, as to apps that are sold outside its Marketplace: with one request a minute what was missed is read slowly`;
		const fix = `make an app of your own for your workspace on ${appSettings}, and do not distribute it`;
		return { id, status: "warn", what, fix };
	}
	const what = "not checked which kind of app it is: no method tells it, and no channel shows it";
	const fix = `look on ${appSettings} under "Manage Distribution": an app of your own workspace that is not distributed may read history about 50 times a minute; one that is sold outside Slack's Marketplace once a minute, ${fewest} messages`;
	return { id, status: "warn", what, fix };
}

/** Number of messages that Slack returns if one more is requested; undefined without any. */
async function readHistory(
	bot: SlackApi,
): Promise<{ readonly count: number; readonly hasMore: boolean } | undefined> {
	const asked = { types: "public_channel,private_channel", exclude_archived: true, limit: 200 };
	const rooms = await bot.call({ method: "users.conversations", args: asked });
	const [first] = (rooms.type === "ok" && Channels.safeParse(rooms.body).data?.channels) || [];
	if (first === undefined) return undefined;
	const answer = await bot.call({
		method: "conversations.history",
		args: { channel: first.id, limit: fewest + 1 },
	});
	const read = answer.type === "ok" ? History.safeParse(answer.body).data : undefined;
	return read && { count: read.messages.length, hasMore: read.has_more === true };
}
