import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { type StreamedReply, says, thinks } from "../simulators/anthropic/reply.ts";
import { only, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const summaries: Readonly<Record<string, StreamedReply>> = {
	"a refusal": { content: [], stop: "refusal" },
	"thinking alone": { content: [thinks("Hm.")], stop: "end_turn" },
	"a reply that was cut before its text": { content: [thinks("Hm.")], stop: "max_tokens" },
};

for (const [title, summary] of Object.entries(summaries)) {
	verifiesOn(
		"zot",
		["model.compacted-without-summary"],
		`prompts continue if a summary is ${title}`,
		async () => {
			await using service = await FakeAnthropic.start();
			service.otherwise(({ body }) => ((body.tools?.length ?? 0) > 0 ? says("I see.") : summary));
			const small = {
				id: "claude-sonnet-4-5",
				provider: "anthropic",
				context_window: 20_000,
				max_output: 1_000,
			};
			await using agent = await ZotClient.start({ service, models: [small] });
			const summaryRequests = () => service.requests.filter(({ body }) => (body.tools?.length ?? 0) === 0);
			for (let n = 0; summaryRequests().length === 0; n++) {
				agent.send({ id: `p${n}`, type: "prompt", message: `prompt ${n}: ${"beans ".repeat(800)}` });
				await agent.until("done");
			}
			expect(summaryRequests()).toHaveLength(2);
			agent.send({ id: "next", type: "prompt", message: "And now?" });
			await agent.until("done");
			expect(summaryRequests()).toHaveLength(2);
			expect(only(agent.frames, "error")).toEqual([]);
			expect(await agent.end()).toEqual({ code: 0, signal: null });
		},
	);
}
