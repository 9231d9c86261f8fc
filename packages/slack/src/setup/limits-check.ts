import type { Finding } from "@parley/connector";
import * as z from "zod";
import type { SlackPort } from "../vocabulary/slack-port.ts";
import { appSettings } from "./ask-slack.ts";

/** https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps */
const fewest = 15;

const Channels = z.object({ channels: z.array(z.object({ id: z.string() })) });
const History = z.object({ messages: z.array(z.unknown()), has_more: z.boolean().optional() });

/**
 * Which kind of app it is, by which Slack limits how fast history is read. No method tells it; it shows where a channel
 * has more messages than those who are limited get at once.
 */
export async function checkLimits({ bot }: { readonly bot: Pick<SlackPort, "call"> }): Promise<Finding> {
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

/** How many messages of a channel Slack gives where one more is asked for; undefined where it gives none. */
async function readHistory(
	bot: Pick<SlackPort, "call">,
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
