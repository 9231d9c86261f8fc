import { expect, test } from "vitest";
import { self } from "../testing/scripted-slack.ts";
import { readAppNotice } from "./slack-client.ts";

const removed = { type: "event_callback", team_id: "T1", event: { type: "app_uninstalled" } };
const revoked = (tokens: object, team = "T1") => ({
	team_id: team,
	event: { type: "tokens_revoked", tokens },
});

test.each([
	["the app is removed", removed, "removed"],
	["our token is taken back", revoked({ bot: ["UBOT"] }), "removed"],
	["Slack limits the events", { type: "app_rate_limited" }, "limited"],
	["somebody's own token is taken back", revoked({ oauth: ["UADA"], bot: [] }), undefined],
	["another bot's token is", revoked({ bot: ["UOTHER"] }), undefined],
	["another workspace removes it", { ...removed, team_id: "T2" }, undefined],
	["a message comes", { team_id: "T1", event: { type: "message" } }, undefined],
	["nothing comes", null, undefined],
])("%s", (_, body, news) => {
	expect(readAppNotice(body, self)).toBe(news);
});
