import { mkdir, writeFile } from "node:fs/promises";
import { createIds, Redactor, systemClock } from "@parley/base";
import { shortToolNames, shortTools } from "@parley/core";
import { expect, test } from "vitest";
import { AgentPlace } from "../testing/agent-place.ts";
import type { RpcFlags } from "./rpc-flags.ts";
import { type StartedAgent, startAgent } from "./start-agent.ts";

async function start(place: AgentPlace, flags: RpcFlags = {}): Promise<StartedAgent> {
	return startAgent({
		...{ flags, clock: systemClock, ids: createIds(), log: place.log, redactor: new Redactor() },
		config: place.config("offline", flags.model),
		currentDirectory: place.path("work"),
	});
}

test("where nothing is kept the agent is one to come, and is what was said of it", async () => {
	await using place = await AgentPlace.make();
	const { agent, close } = await start(place, { model: "standard" });
	if (!("open" in agent)) throw new Error("it is there already");
	const opened = await agent.open();
	expect(opened.model).toBe(agent.model);
	expect(opened.settings.provider).toBe(agent.provider);
	await close();
});

test("one that was never opened has nothing to close", async () => {
	await using place = await AgentPlace.make();
	const { close } = await start(place);
	await close();
});

test("what is kept is opened before anything is answered, and so are rules", async () => {
	await using place = await AgentPlace.make();
	const kept = await start(place, { session: "../kept" });
	expect("open" in kept.agent).toBe(false);
	await kept.close();
	await mkdir(place.path("data"));
	await writeFile(place.path("data", "policy.jsonc"), '{"rules":[]}');
	const ruled = await start(place);
	expect("open" in ruled.agent).toBe(false);
	await ruled.close();
	await writeFile(place.path("data", "policy.jsonc"), "{");
	await expect(start(place)).rejects.toThrow("the policy cannot be used");
});

test.each<[RpcFlags, RegExp]>([
	[{ cwd: "nowhere" }, /--cwd .* is not a directory/],
	[{ model: "claude" }, /--model is "claude", but the provider offline/],
	[{ tools: "fly" }, /--tools names "fly"/],
	[{ maxSteps: "0" }, /--max-steps is "0"/],
])("flags that are wrong (%j) are refused before there is an agent", async (flags, says) => {
	await using place = await AgentPlace.make();
	await expect(start(place, flags)).rejects.toThrow(says);
});

test("the tools are called what flags are checked against", () => {
	expect(shortTools().map(({ name }) => name)).toEqual(shortToolNames);
});
