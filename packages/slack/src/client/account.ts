import { defined } from "@parley/base";
import * as z from "zod";
import { connectionTexts } from "../texts/connection.ts";
import type { OwnAccount, SlackAnswer } from "../vocabulary/slack-port.ts";
import { tokenRefusalText } from "./transport/refusals.ts";

/** Response of `auth.test`: https://docs.slack.dev/reference/methods/auth.test */
const Tested = z.object({
	team_id: z.string(),
	user_id: z.string(),
	bot_id: z.string(),
	user: z.string(),
	url: z.string().default(""),
	enterprise_id: z.string().nullish(),
});

export type Tried =
	| { readonly account: OwnAccount }
	/** Text of Slack's permanent refusal of the token. */
	| { readonly refused: string }
	| { readonly lost: string };

export function readAccount(answer: SlackAnswer): Tried {
	if (answer.type === "rate-limited") return { lost: connectionTexts.limited({ method: "auth.test" }) };
	if (answer.type === "refused") {
		const refused = tokenRefusalText(answer.error, "bot");
		return refused === undefined
			? { lost: connectionTexts.answered({ error: answer.error, method: "auth.test" }) }
			: { refused };
	}
	const read = Tested.safeParse(answer.body);
	if (!read.success) {
		// The response for a token of a person has no `bot_id`.
		return { refused: connectionTexts.notABotToken };
	}
	const { team_id: team, user_id: user, bot_id: bot, user: name, url, enterprise_id } = read.data;
	return { account: defined({ team, user, bot, name, url, enterprise: enterprise_id || undefined }) };
}
