import { parseJson } from "@parley/base";
import { noUsage } from "@parley/core";
import { calls, ScriptedModel, type ScriptedReply } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Yields a reply with the call in the last message (`TOOL: JSON`), or an empty reply. */
const reply: ScriptedReply = async function* ({ messages }) {
	const last = messages.at(-1)?.content[0];
	const lastText = last?.type === "text" && messages.at(-1)?.role === "user" ? last.text : "";
	const [, tool, args = "{}"] = /> (\w+): (\{.*\})/.exec(lastText) ?? [];
	if (tool !== undefined) yield calls(`call_${messages.length}`, tool, parseJson(args));
	yield { type: "end", stop: tool ? "tool_use" : "end_turn", usage: noUsage, model: "m" };
};

function as(user: string, tenant: string, channel: string) {
	return { actor: { id: user, name: `Name of ${user}` }, place: { tenant, channel } };
}

const ada = as("ada", "T1", "ask");
const abe = as("abe", "111", "desk");

verifiesOn(
	"ozzie",
	["channel.approve-in", "prompt.first"],
	"a call in one channel is approved in another one, if the operator has set it",
	async () => {
		const model = new ScriptedModel(...Array.from({ length: 10 }, () => reply));
		await using gateway = await TestGateway.start({ model, config: { auth: "token" } });
		const connect = (token: unknown) =>
			OzzieClient.connect(gateway.url, { headers: { authorization: `Bearer ${String(token)}` } });
		await using operator = await connect(await readOperatorToken(gateway.path("data")));
		const connector = async (platform: string, tenant: string): Promise<OzzieClient> => {
			const tokenRequest = { kind: "connector", name: platform, platform, tenants: [tenant] };
			return connect((await operator.call("create_token", tokenRequest))["token"]);
		};
		await using slack = await connector("slack", "T1");
		await using discord = await connector("discord", "111");
		for (const [person, role] of [
			["slack:T1:ada", "member"],
			["discord:111:abe", "approver"],
			["discord:111:max", "member"],
		]) {
			await operator.call("set_person_role", { person, role });
		}

		const place = "slack:T1:ask";
		const profile = { approve_in: ["discord:111:desk"] };
		expect(await operator.refusal("set_place", { place, profile })).toMatch(
			/^invalid params: settings of slack:T1:ask: approveIn names discord:111:desk, which has no settings: .*parley channels set/,
		);
		for (const [key, tokenRequest] of [
			["slack:T1", profile],
			[place, { approve_in: ["discord:111"] }],
			[place, { approve_in: [place] }],
		] as const) {
			expect(await operator.refusal("set_place", { place: key, profile: tokenRequest })).toMatch(
				/^invalid params/,
			);
		}
		await operator.call("set_place", { place: "discord:111:desk", profile: { mention: "required" } });
		expect(await operator.call("set_place", { place, profile })).toEqual({ place, profile });

		await slack.call("open_session", ada);
		await slack.call("send_message", { content: 'write_file: {"path": "a.txt", "content": "x"}', ...ada });
		const prompt = (await slack.event("prompt.request")).payload;
		const { token } = prompt;
		expect(prompt["context"]).toMatchObject({ also_in: ["discord:111:desk"] });

		expect(await discord.call("list_prompts", abe)).toEqual({ prompts: [] });
		expect(await discord.call("list_prompts", { approvals: true, ...abe })).toMatchObject({
			prompts: [{ token, place, person: "slack:T1:ada", name: "Name of ada" }],
		});
		const [completePrompt] = (await discord.call("list_prompts", { approvals: true, token, ...abe }))[
			"prompts"
		] as [{ context: object }];
		expect(completePrompt.context).toMatchObject({
			tool: "write_file",
			arguments: { path: "a.txt", content: "x" },
		});
		const role = /^forbidden: only approvers of this channel can approve this/;
		const answer = { token, value: "once" };
		const max = as("max", "111", "desk");
		expect(await discord.refusal("list_prompts", { approvals: true, ...max })).toMatch(role);
		expect(await discord.refusal("prompt_response", { ...answer, ...max })).toMatch(role);
		const other = as("abe", "111", "other");
		expect(await discord.call("list_prompts", { approvals: true, ...other })).toEqual({ prompts: [] });
		expect(await discord.refusal("prompt_response", { ...answer, ...other })).toBe("prompt not found");
		// The Slack connector may not act for a Discord user.
		expect(await slack.refusal("prompt_response", { ...answer, ...abe })).toMatch(/^forbidden: /);
		const shared = { ...abe, place: { ...abe.place, shared: true } };
		expect(await discord.refusal("prompt_response", { ...answer, ...shared })).toBe("prompt not found");

		expect(await discord.call("prompt_response", { ...answer, ...abe })).toEqual({ status: "sent" });
		expect((await slack.event("prompt.response")).payload).toEqual({
			...{ token, value: true, cancelled: false, by: "discord:111:abe", by_name: "Name of abe" },
		});
		await slack.event("assistant.message");
		const late = { token, cancelled: true, ...abe };
		expect(await discord.call("prompt_response", late)).toEqual({ status: "sent", late: true });
		const { records } = await operator.call("read_audit", { principal: "discord:111:abe" });
		expect(records).toContainEqual(
			expect.objectContaining({
				...{ action: "approval.decide", decision: "approved", args: { place: "discord:111:desk" } },
			}),
		);
	},
);
