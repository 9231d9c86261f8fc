import * as z from "zod";
import type { OwnAccount } from "../vocabulary/slack-port.ts";

/** https://docs.slack.dev/apis/events-api#rate-limiting */
const Limited = z.object({ type: z.literal("app_rate_limited") });

/** https://docs.slack.dev/reference/events/app_uninstalled and /tokens_revoked, which names the owners of the tokens. */
const Removed = z.object({
	team_id: z.string().optional(),
	event: z.discriminatedUnion("type", [
		z.object({ type: z.literal("app_uninstalled") }),
		z.object({
			type: z.literal("tokens_revoked"),
			tokens: z.object({ bot: z.array(z.string()).default([]) }),
		}),
	]),
});

/** What Slack tells of the app itself: events are held back, or our token may count no more. */
export type AppNews = "limited" | "removed";

/** Undefined for what is not about the app, or about it in another workspace. */
export function readAppNews(body: unknown, { team, user }: OwnAccount): AppNews | undefined {
	if (Limited.safeParse(body).success) return "limited";
	const removed = Removed.safeParse(body).data;
	if (removed === undefined || (removed.team_id ?? team) !== team) return undefined;
	const { event } = removed;
	return event.type === "app_uninstalled" || event.tokens.bot.includes(user) ? "removed" : undefined;
}
