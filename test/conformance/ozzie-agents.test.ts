import { ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const data = {
	"agents/poet/config.toml":
		'name = "The poet"\ntools = ["read_file"]\n\n[sampling]\ntemperature = 0.5\ntop_p = 0.9\n',
	"agents/poet/agent.md": "You answer in rhyme.",
	"agents/broken/config.toml": "[sampling]\ntemperature = 9\n",
};

verifiesOn("ozzie", ["agent.list"], "agents are listed, and unusable agents with the reason", async () => {
	await using gateway = await TestGateway.start({ data });
	await using client = await OzzieClient.connect(gateway.url);
	expect(await client.call("list_agents")).toEqual({
		agents: [
			{ name: "default", title: expect.any(String), sampling: {} },
			{
				...{ name: "poet", title: "The poet", tools: ["read_file"] },
				sampling: { temperature: 0.5, top_p: 0.9 },
			},
		],
		problems: [{ name: "broken", message: expect.stringContaining("sampling.temperature") }],
	});
});

verifiesOn(
	"ozzie",
	["agent.profile"],
	"a session has the instructions, tools and sampling of its agent",
	async () => {
		const model = new ScriptedModel([says("Here I am, to please you, ma'am.")], [says("yes")]);
		await using gateway = await TestGateway.start({ data, model });
		await using client = await OzzieClient.connect(gateway.url);
		for (const profile of ["poet", ""]) {
			await client.open({ profile });
			await client.call("send_message", { content: "hello" });
			await client.event("assistant.message", { error: "" });
		}
		const [poet, other] = model.requests;
		expect(poet?.system).toContain("You answer in rhyme.");
		expect(poet?.tools.map(({ name }) => name)).toEqual(["read_file"]);
		expect(poet?.sampling).toMatchObject({ temperature: 0.5, topP: 0.9 });
		expect(other?.system).not.toContain("You answer in rhyme.");
		expect(other?.tools.length).toBeGreaterThan(1);
		const { sessions } = await client.call("list_sessions");
		const profiles = Array.isArray(sessions) ? sessions.map(({ profile }) => profile).sort() : [];
		expect(profiles).toEqual(["default", "poet"]);
	},
);

verifiesOn("ozzie", ["agent.unknown"], "a session cannot be opened with an unknown agent", async () => {
	await using gateway = await TestGateway.start({ data });
	await using client = await OzzieClient.connect(gateway.url);
	for (const profile of ["nobody", "../poet", "POET/..", "broken"]) {
		expect(await client.refusal("open_session", { profile })).toMatch(/^invalid params\b/);
	}
	expect(await client.refusal("open_session", { profile: "nobody" })).toBe(
		"invalid params: agent not found: nobody; available: default, poet",
	);
	expect(await client.call("list_sessions")).toEqual({ sessions: [] });
});
