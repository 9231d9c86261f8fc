import { calls, ScriptedModel, says } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

function as(user: string) {
	return { actor: { id: user, name: user }, place: { tenant: "111", channel: "ops" } };
}

const rule = { effect: "ask", tool: "write_file", approvals: 2 };

verifiesOn(
	"ozzie",
	["prompt.votes"],
	"two people approve a call, with arguments that one changed",
	async () => {
		const model = new ScriptedModel(
			[calls("c1", "write_file", { path: "a.txt", content: "x" })],
			[says("done")],
		);
		const data = { "policy.jsonc": JSON.stringify({ rules: [rule] }) };
		await using gateway = await TestGateway.start({ model, data, config: { auth: "token" } });
		const connect = (token: unknown) =>
			OzzieClient.connect(gateway.url, { headers: { authorization: `Bearer ${String(token)}` } });
		await using operator = await connect(await readOperatorToken(gateway.path("data")));
		const tokenRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
		await using connector = await connect((await operator.call("create_token", tokenRequest))["token"]);
		for (const [user, role] of Object.entries({ mia: "member", alex: "approver", olga: "approver" })) {
			await operator.call("set_person_role", { person: `discord:111:${user}`, role });
		}
		await connector.call("open_session", as("mia"));
		await connector.call("send_message", { content: "go", ...as("mia") });
		const prompt = (await connector.event("prompt.request")).payload;
		const { token } = prompt;
		expect(prompt["context"]).toMatchObject({ approvals: 2, allow_session: false });
		const answer = { token, value: "once" };
		expect(await connector.refusal("prompt_response", { ...answer, ...as("mia") })).toMatch(/^forbidden: /);
		expect(await connector.call("prompt_response", { ...answer, ...as("alex") })).toEqual({ status: "sent" });
		expect((await connector.event("prompt.vote")).payload).toEqual({
			...{ token, by: "discord:111:alex", approvals: 1, needed: 2 },
		});
		expect(await connector.refusal("prompt_response", { ...answer, ...as("alex") })).toMatch(
			/^forbidden: you have approved this call already/,
		);
		const changed = { path: "b.txt", content: "y" };
		await connector.call("prompt_response", { ...answer, arguments: changed, ...as("olga") });
		expect((await connector.event("prompt.vote")).payload).toMatchObject({
			...{ token, by: "discord:111:olga", approvals: 1, needed: 2 },
			changed: {
				token,
				label: "Allow write b.txt?",
				context: { arguments: changed, approvals: 2, changes: 1 },
			},
		});
		const reportOlga = async (): Promise<void> => {
			const { payload: check } = await connector.event("person.check");
			expect(check).toMatchObject({ user: "olga" });
			await connector.call("report_person", {
				...{ check_id: check["check_id"], present: true, roles: [], guest: false, shared: false },
			});
		};
		// Alex approves the call as it was before the change.
		const late = connector.refusal("prompt_response", { ...answer, changes: 0, ...as("alex") });
		await reportOlga();
		expect(await late).toMatch(/^forbidden: this call has changed/);
		const deciding = connector.call("prompt_response", { ...answer, changes: 1, ...as("alex") });
		await reportOlga();
		expect(await deciding).toEqual({ status: "sent" });
		expect((await connector.event("prompt.response")).payload).toEqual({
			...{ token, value: true, cancelled: false, by: "discord:111:alex" },
			...{ arguments: changed, voters: ["discord:111:olga"] },
		});
		await connector.event("assistant.message");
	},
);
