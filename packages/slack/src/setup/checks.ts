import { type Clock, ParleyError } from "@parley/base";
import type { CommandShape, Finding } from "@parley/connector";
import * as z from "zod";
import { readAccount } from "../client/account.ts";
import type { SlackPort } from "../slack-port.ts";
import { appSettings, askSlack } from "./ask-slack.ts";
import { type Scope, scopes } from "./needs.ts";

type Api = Pick<SlackPort, "call">;

/** What the checks look at Slack with. */
export interface SlackChecks {
	readonly bot: Api;
	/** Over sockets. */
	readonly app?: Api;
	/** Over HTTP: where Slack is to reach the connector, if that is known. */
	readonly http?: { readonly publicUrl?: string };
	/** What time it is at Slack, in milliseconds since the epoch; undefined where it does not say. */
	readonly theirTime: () => Promise<number | undefined>;
	readonly clock: Clock;
	readonly shapes: readonly CommandShape[];
}

type Check = (checks: SlackChecks) => Promise<Finding>;

/** The web client puts the header `x-oauth-scopes` there. */
const Scoped = z.object({ response_metadata: z.object({ scopes: z.array(z.string()) }) });
const Rooms = z.object({ channels: z.array(z.unknown()) });

const skewMs = { warn: 30_000, fail: 300_000 } as const;

async function checkToken({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-token";
	const tried = readAccount({ type: "ok", body: await askSlack(bot, "auth.test") });
	if ("account" in tried) {
		const { name, url } = tried.account;
		return { id, status: "ok", what: `the token is that of ${name} in ${url}` };
	}
	const what = "refused" in tried ? tried.refused : tried.lost;
	const fix = `set SLACK_BOT_TOKEN to the one under "OAuth & Permissions" on ${appSettings}`;
	return { id, status: "fail", what, fix };
}

async function checkScopes({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-scopes";
	const read = Scoped.safeParse(await askSlack(bot, "auth.test"));
	if (!read.success) return { id, status: "ok", what: "Slack did not say what the bot may do" };
	const granted = new Set(read.data.response_metadata.scopes);
	// True because these are the keys of the object.
	const missing = (Object.keys(scopes) as Scope[]).filter((scope) => !granted.has(scope));
	if (missing.length === 0) return { id, status: "ok", what: "the bot may do what it needs" };
	const list = missing.map((scope) => `${scope} (${scopes[scope]})`).join(", ");
	const fix = `give the app what "parley slack manifest" shows, on ${appSettings}, and install it again`;
	return { id, status: "fail", what: `the bot lacks scopes: ${list}`, fix };
}

async function checkTransport({ app, http }: SlackChecks): Promise<Finding> {
	const id = "slack-transport";
	if (http !== undefined) {
		const fix = `on ${appSettings} Slack shows "Verified" beside the request URL once it reaches the connector`;
		const where = http.publicUrl ?? "the address in the app's settings";
		return { id, status: "ok", what: `Slack sends what happens to ${where}`, fix };
	}
	if (app === undefined) {
		const fix = `under "Basic Information" on ${appSettings} make an app-level token with connections:write, and set SLACK_APP_TOKEN to it`;
		return { id, status: "fail", what: "there is no way in for what people write", fix };
	}
	await askSlack(app, "apps.connections.open");
	return { id, status: "ok", what: "sockets to Slack can be opened" };
}

/** Over HTTP nothing counts that was signed at another time than this machine's. */
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
	const { channels } = Rooms.parse(await askSlack(bot, "users.conversations", asked));
	const count = channels.length;
	if (count > 0)
		return { id, status: "ok", what: `the bot is in ${count} ${count === 1 ? "channel" : "channels"}` };
	const fix = "type /invite @parley in a channel; direct messages to it work without";
	return { id, status: "warn", what: "the bot is in no channel yet", fix };
}

/** In the order in which they make sense: without the first no other can succeed. */
export const checks = {
	token: checkToken,
	scopes: checkScopes,
	transport: checkTransport,
	clock: checkClock,
	rooms: checkRooms,
} as const satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

/** What one check finds; a check that fails is a finding, too. */
export async function runCheck(name: CheckName, parts: SlackChecks): Promise<Finding> {
	try {
		return await checks[name](parts);
	} catch (reason) {
		return failed(`slack-${name}`, ParleyError.from(reason));
	}
}

/** Looks at everything, and changes nothing. Never rejects: what cannot be looked at is a finding. */
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
	const fix =
		code === "unavailable"
			? "look whether this machine reaches slack.com, and https://slack-status.com; then try again"
			: `look at the app on ${appSettings}, and try again`;
	return { id, status: "fail", what: message, fix };
}
