import { type Clock, ParleyError } from "@parley/base";
import { type CommandShape, checkClockOf, checkTexts, type Finding } from "@parley/connector";
import * as z from "zod";
import { readAccount } from "../client/account.ts";
import { appTexts } from "../texts/app.ts";
import { doctorTexts } from "../texts/doctor.ts";
import { scopes } from "../vocabulary/needs.ts";
import type { SlackApi } from "../vocabulary/slack-port.ts";
import { appSettings, callSlack } from "./call-slack.ts";
import type { ProbeResult } from "./probe-address.ts";

/** Access to Slack and settings for the checks. */
export interface SlackChecks {
	readonly bot: SlackApi;
	/** API with the app token, for Socket Mode. */
	readonly app?: SlackApi;
	/**
	 * HTTP endpoint of the connector, if it receives events over HTTP. `probe` checks the connector's address;
	 * absent if the address is unknown.
	 */
	readonly http?: { readonly probe?: () => Promise<ProbeResult> };
	/** Invalid settings, which are reported without a request to Slack. `fix` replaces the fix of the check. */
	readonly wrong?: Readonly<Partial<Record<"token" | "transport", WrongSetting>>>;
	/** Returns Slack's time in milliseconds since the epoch, or undefined if Slack does not report it. */
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

/** Scopes from the header `x-oauth-scopes`. The web client adds these scopes to the response. */
const Scoped = z.object({ response_metadata: z.object({ scopes: z.array(z.string()) }) });
const Rooms = z.object({
	channels: z.array(z.unknown()),
	response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});

const page = { settings: appSettings };

const tokenFix = doctorTexts.tokenFix(page);

async function checkToken({ bot, wrong }: SlackChecks): Promise<Finding> {
	const id = "slack-token";
	if (wrong?.token) return { id, status: "fail", fix: tokenFix, ...wrong.token };
	const tried = readAccount({ type: "ok", body: await callSlack(bot, "auth.test") });
	if ("account" in tried) {
		return { id, status: "ok", what: doctorTexts.token(tried.account) };
	}
	const what = "refused" in tried ? tried.refused : tried.lost;
	return { id, status: "fail", what, fix: tokenFix };
}

async function checkScopes({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-scopes";
	const read = Scoped.safeParse(await callSlack(bot, "auth.test"));
	if (!read.success) return { id, status: "ok", what: doctorTexts.scopesUnknown };
	const granted = new Set(read.data.response_metadata.scopes);
	const missing = scopes.filter((scope) => !granted.has(scope));
	const fix = doctorTexts.scopesFix(page);
	if (missing.length > 0) {
		const list = missing.map((scope) => `${scope} (${appTexts.purposes[scope]})`).join(", ");
		return { id, status: "fail", what: doctorTexts.scopesLacking({ scopes: list }), fix };
	}
	const needed: ReadonlySet<string> = new Set(scopes);
	const unneeded = [...granted].filter((scope) => !needed.has(scope));
	if (unneeded.length === 0) return { id, status: "ok", what: doctorTexts.scopes };
	return { id, status: "warn", what: doctorTexts.scopesUnneeded({ scopes: unneeded.join(", ") }), fix };
}

async function checkTransport({ app, http, wrong }: SlackChecks): Promise<Finding> {
	const id = "slack-transport";
	const fix = http === undefined ? doctorTexts.appTokenFix(page) : doctorTexts.secretFix(page);
	if (wrong?.transport) return { id, status: "fail", fix, ...wrong.transport };
	if (http?.probe !== undefined) return { id, ...entranceWords(await http.probe()) };
	if (app === undefined) return { id, status: "fail", what: doctorTexts.noTransport, fix };
	await callSlack(app, "apps.connections.open");
	return { id, status: "ok", what: doctorTexts.sockets };
}

function entranceWords({ at, by }: ProbeResult): Omit<Finding, "id"> {
	// This machine sees only the local response. Only the settings of the app show whether Slack reaches the address.
	switch (by) {
		case "connector":
			return { status: "ok", what: doctorTexts.answers({ at }), fix: doctorTexts.answersFix(page) };
		case "another-secret":
			return { status: "fail", what: doctorTexts.otherSecret({ at }), fix: doctorTexts.otherSecretFix(page) };
		case "another":
			return { status: "fail", what: doctorTexts.otherServer({ at }), fix: doctorTexts.otherServerFix };
		case "nobody":
			return { status: "warn", what: doctorTexts.noServer({ at }), fix: doctorTexts.noServerFix({ at }) };
		case "unknown":
			return { status: "warn", what: doctorTexts.anyPort({ at }), fix: doctorTexts.anyPortFix };
	}
}

async function checkClock({ theirTime, clock }: SlackChecks): Promise<Finding> {
	const id = "slack-clock";
	const serverTime = await theirTime();
	// Over HTTP, the connector refuses requests that are too old by its own clock.
	return checkClockOf({ id, platform: "Slack", ownTime: clock.now(), theirTime: serverTime });
}

async function checkRooms({ bot }: SlackChecks): Promise<Finding> {
	const id = "slack-rooms";
	const query = { types: "public_channel,private_channel", exclude_archived: true, limit: 200 };
	const { channels, response_metadata: more } = Rooms.parse(
		await callSlack(bot, "users.conversations", query),
	);
	const count = channels.length;
	// A page may be short or empty even if more pages follow.
	const isComplete = !more?.next_cursor;
	if (count === 0 && isComplete)
		return { id, status: "warn", what: doctorTexts.noRooms, fix: doctorTexts.noRoomsFix };
	return { id, status: "ok", what: doctorTexts.rooms({ count: Math.max(1, count), isComplete }) };
}

/** Checks in the order in which they run. */
export const checks = {
	token: checkToken,
	scopes: checkScopes,
	transport: checkTransport,
	clock: checkClock,
	rooms: checkRooms,
	limits: checkLimits,
} as const satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

/** Runs one check. Never rejects: a failed check becomes a finding. */
export async function runCheck(name: CheckName, parts: SlackChecks): Promise<Finding> {
	try {
		return await checks[name](parts);
	} catch (reason) {
		return failed(`slack-${name}`, ParleyError.from(reason));
	}
}

/**
 * Yields the findings of the checks, and ends if the check of the token fails. Never rejects: a failed check
 * becomes a finding.
 */
export async function* examineSlack(parts: SlackChecks): AsyncGenerator<Finding> {
	// The cast is safe because these are the keys of the object.
	for (const name of Object.keys(checks) as CheckName[]) {
		const finding = await runCheck(name, parts);
		yield finding;
		if (name === "token" && finding.status === "fail") return;
	}
}

function failed(id: string, { code, message }: ParleyError): Finding {
	if (code === "unauthenticated") {
		return { id, status: "fail", what: message, fix: doctorTexts.tokensFix(page) };
	}
	return { id, status: "fail", what: message, fix: fixes[code] ?? fixes.permission_denied };
}

const fixes: Partial<Record<ParleyError["code"], string>> & { readonly permission_denied: string } = {
	resource_exhausted: doctorTexts.limitedFix,
	unavailable: checkTexts.unavailableFix({ host: "slack.com", statusPage: "https://slack-status.com" }),
	// The message describes the required change.
	failed_precondition: doctorTexts.settingsFix(page),
	permission_denied: doctorTexts.refusedFix(page),
};

/**
 * Maximum messages per request of a limited app:
 * https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
 */
const fewest = 15;

const Channels = z.object({ channels: z.array(z.object({ id: z.string() })) });
const History = z.object({ messages: z.array(z.unknown()), has_more: z.boolean().optional() });

async function checkLimits({ bot }: { readonly bot: SlackApi }): Promise<Finding> {
	const id = "slack-limits";
	// No method reports the limit of history requests, but a limited app gets fewer messages of a long channel.
	const given = await readHistory(bot);
	if (given !== undefined && given.count > fewest) {
		return { id, status: "ok", what: doctorTexts.history };
	}
	if (given?.count === fewest && given.hasMore) {
		const what = doctorTexts.limitedHistory({ maximum: fewest });
		return { id, status: "warn", what, fix: doctorTexts.limitedHistoryFix(page) };
	}
	const fix = doctorTexts.unknownHistoryFix({ ...page, maximum: fewest });
	return { id, status: "warn", what: doctorTexts.unknownHistory, fix };
}

/**
 * Requests one message more than a limited app gets, and returns the number of received messages. Returns
 * undefined without a readable channel.
 */
async function readHistory(
	bot: SlackApi,
): Promise<{ readonly count: number; readonly hasMore: boolean } | undefined> {
	const query = { types: "public_channel,private_channel", exclude_archived: true, limit: 200 };
	const rooms = await bot.call({ method: "users.conversations", args: query });
	const [first] = (rooms.type === "ok" && Channels.safeParse(rooms.body).data?.channels) || [];
	if (first === undefined) return undefined;
	const answer = await bot.call({
		method: "conversations.history",
		args: { channel: first.id, limit: fewest + 1 },
	});
	const read = answer.type === "ok" ? History.safeParse(answer.body).data : undefined;
	return read && { count: read.messages.length, hasMore: read.has_more === true };
}
