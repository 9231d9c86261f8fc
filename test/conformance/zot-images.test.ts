import { writeFile } from "node:fs/promises";
import { testImages } from "@parley/core/testing";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import type { ReceivedRequest } from "../simulators/anthropic/received-request.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { only, streamed, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const [{ content: png }] = testImages;
const line = `"photo.png" is a PNG image, 1 x 1 pixels, ${png.length} bytes`;
const text = { type: "text", text: line };
const reads = uses("toolu_1", "read", { path: "photo.png" });

function shownIn({ body }: ReceivedRequest): unknown[] {
	const blocks = body.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
	return blocks.flatMap((block) => (block.type === "tool_result" ? [block.content ?? []].flat() : []));
}

const source = { type: "base64", media_type: "image/png", data: png.toString("base64") };

async function received(agent: ZotClient, id: string): Promise<unknown> {
	const { messages } = Object(await agent.data({ id, type: "get_messages" }));
	return messages.flatMap(({ role, content }: { role: string; content: { content: unknown }[] }) =>
		role === "tool" ? content.map((result) => result.content) : [],
	);
}

verifiesOn(
	"zot",
	["zot.result-images", "zot.message-blocks"],
	"an image that the agent reads reaches the model, and is reported by its size",
	async () => {
		await using service = await FakeAnthropic.start();
		service.script(reads, says("A pixel."));
		await using agent = await ZotClient.start({ service });
		await writeFile(agent.path("work", "photo.png"), png);
		agent.send({ id: "1", type: "prompt", message: "What is in photo.png?" });
		expect(streamed(await agent.turn())).toBe("A pixel.");
		expect(shownIn(await service.received(2))).toMatchObject([text, { type: "image", source }]);
		const image = { type: "image", mime_type: "image/png", bytes: png.length };
		expect(only(agent.frames, "tool_result")).toMatchObject([{ is_error: false, content: [text, image] }]);
		expect(await received(agent, "2")).toEqual([[text, image]]);
		expect(agent.lines.join()).not.toContain(source.data);
	},
);

verifiesOn(
	"zot",
	["zot.result-images-stored"],
	"an image survives a kill of its process, and is removed if the model refuses it",
	async () => {
		await using service = await FakeAnthropic.start();
		service.script(reads, { ...says("A"), break: { at: "head", how: "hang" } });
		await using place = await ZotClient.start();
		const flags = ["--session", place.path("home", "kept")];
		await using first = await ZotClient.start({ service, flags });
		await writeFile(first.path("work", "photo.png"), png);
		first.send({ id: "1", type: "prompt", message: "What is in photo.png?" });
		await service.received(2);
		first.kill("SIGKILL");
		await first.exited;
		await using next = await ZotClient.start({ service, flags });
		expect(await received(next, "2")).toEqual([
			[text, { type: "image", mime_type: "image/png", bytes: png.length }],
		]);
		service.script({ status: 400 }, says("A pity."));
		next.send({ id: "3", type: "prompt", message: "And?" });
		expect(streamed(await next.turn())).toBe("A pity.");
		expect(shownIn(await service.received(3))).toMatchObject([text, { type: "image", source }]);
		const notice = {
			type: "text",
			text: `${line}\n[its image was removed: the provider refused the request that contained it; read a smaller copy]`,
		};
		expect(shownIn(await service.received(4))).toMatchObject([notice]);
		expect(await received(next, "4")).toEqual([[notice]]);
	},
);
