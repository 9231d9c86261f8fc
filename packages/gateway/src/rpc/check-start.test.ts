import { mkdir, writeFile } from "node:fs/promises";
import { createIds, Redactor, systemClock } from "@parley/base";
import { shortToolNames, shortTools } from "@parley/core";
import { expect, test } from "vitest";
import { AgentPlace } from "../testing/agent-place.ts";
import type { OpenAgent } from "./open-agent.ts";
import { openAgent } from "./open-agent.ts";
import type { RpcFlags } from "./rpc-flags.ts";

async function start(place: AgentPlace, flags: RpcFlags = {}): Promise<OpenAgent> {
	return openAgent({
		flags,
		clock: systemClock,
		ids: createIds(),
		log: place.log,
		redactor: new Redactor(),
		config: place.config("offline", flags.model),
		currentDirectory: place.path("work"),
	});
}

test("the agent has the provider and the model of the flags", async () => {
	await using place = await AgentPlace.make();
	const { agent, close } = await start(place, { model: "standard" });
	expect([agent.settings.provider, agent.model]).toEqual(["offline", "offline"]);
	await close();
});

test("invalid rules are refused at the start", async () => {
	await using place = await AgentPlace.make();
	await mkdir(place.path("data"));
	await writeFile(place.path("data", "policy.jsonc"), "{");
	await expect(start(place)).rejects.toThrow("the policy cannot be used");
});

test.each<[RpcFlags, RegExp]>([
	[{ cwd: "nowhere" }, /--cwd .* is not a directory/],
	[{ model: "claude" }, /--model is "claude", but the provider offline/],
	[{ tools: "fly" }, /--tools contains unknown names: "fly"/],
	[{ maxSteps: "0" }, /--max-steps is "0"/],
])("invalid flags (%j) are refused before the agent exists", async (flags, says) => {
	await using place = await AgentPlace.make();
	await expect(start(place, flags)).rejects.toThrow(says);
});

test("the tools have the names that flags are checked against", () => {
	expect(shortTools().map(({ name }) => name)).toEqual(shortToolNames);
});
