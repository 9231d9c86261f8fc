import { expect, test } from "vitest";
import { readAccount } from "./account.ts";

const body = { team_id: "T1", user_id: "U1", bot_id: "B1", user: "parley", url: "https://acme.slack.com/" };

test("a bot's token identifies the bot", () => {
	const account = { team: "T1", user: "U1", bot: "B1", name: "parley", url: "https://acme.slack.com/" };
	expect(readAccount({ type: "ok", body })).toEqual({ account });
	expect(readAccount({ type: "ok", body: { ...body, enterprise_id: "E1" } })).toEqual({
		account: { ...account, enterprise: "E1" },
	});
	expect(readAccount({ type: "ok", body: { ...body, enterprise_id: null } })).toEqual({ account });
});

test("a person's token is refused with the required kind", () => {
	expect(readAccount({ type: "ok", body: { ...body, bot_id: undefined } })).toEqual({
		refused: expect.stringContaining("xoxb-"),
	});
});

test("an error that needs another token is refused with advice, and any other is retried", () => {
	expect(readAccount({ type: "refused", error: "token_revoked", body: {} })).toEqual({
		refused: expect.stringContaining("install the app again"),
	});
	expect(readAccount({ type: "refused", error: "not_authed", body: {} })).toEqual({
		refused: expect.stringMatching(/ set the environment variable SLACK_BOT_TOKEN$/),
	});
	expect(readAccount({ type: "refused", error: "missing_scope", body: {} })).toEqual({
		refused: expect.stringContaining("parley slack manifest"),
	});
	for (const error of ["internal_error", "service_unavailable", "fatal_error"]) {
		expect(readAccount({ type: "refused", error, body: {} })).toEqual({
			lost: expect.stringContaining(error),
		});
	}
	expect(readAccount({ type: "rate-limited", retryAfterMs: 1000 })).toHaveProperty("lost");
});
