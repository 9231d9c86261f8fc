import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const fixture = new URL("../fixtures/zot/tool-turn.jsonl", import.meta.url);

function shown(line: string): string {
	return line
		.replace(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"time":"TIME"')
		.replace(/"version":"[^"]+"/, '"version":"VERSION"');
}

verifiesOn(
	"zot",
	["zot.event-form", "zot.order-tools", "zot.line", "zot.hello", "zot.usage", "zot.messages"],
	"a prompt with a tool call, byte for byte",
	async () => {
		await using service = await FakeAnthropic.start();
		const usage = () => ({
			...{ input_tokens: 100, output_tokens: 12 },
			...{ cache_read_input_tokens: 20, cache_creation_input_tokens: 30 },
		});
		const call = { ...uses("toolu_01", "bash", { command: "echo hi" }), usage };
		const words = { type: "text" as const, text: "Let me say it." };
		service.script({ ...call, content: [words, ...call.content] }, { ...says("It said <hi>."), usage });
		await using agent = await ZotClient.start({ service });
		agent.send({ id: "0", type: "hello" });
		agent.send({ id: "1", type: "prompt", message: "say hi & go" });
		await agent.until("done");
		agent.send({ id: "2", type: "get_messages" });
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		const recorded = (await readFile(fixture, "utf8")).trimEnd().split("\n");
		expect(agent.lines.map(shown)).toEqual(recorded);
	},
);
