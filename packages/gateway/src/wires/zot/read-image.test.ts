import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { calls, ScriptedModel, says, testImages } from "@parley/core/testing";
import { expect, test } from "vitest";
import { ZotSetup } from "../../testing/zot-setup.ts";

test("an image that a tool reads is shown by its size, in the result and in the transcript", async () => {
	const [{ content: png }] = testImages;
	const model = new ScriptedModel(
		[calls("c1", "read", { path: "photo.png" }), calls("c2", "read", { path: "nothing.png" })],
		[says("A pixel.")],
	);
	await using setup = await ZotSetup.open({ model });
	const file = join(setup.t.directory, "work", "photo.png");
	await writeFile(file, png);
	setup.send({ id: "1", type: "prompt", message: "What is in photo.png?" });
	await setup.waitFor("done");
	await rm(file);
	const content = [
		{ type: "text", text: `"photo.png" is a PNG image, 1 x 1 pixels, ${png.length} bytes` },
		{ type: "image", mime_type: "image/png", bytes: png.length },
	];
	expect(setup.frames.filter(({ type }) => type === "tool_result")).toMatchObject([
		{ type: "tool_result", id: "c1", is_error: false, content },
		{ type: "tool_result", id: "c2", is_error: true },
	]);
	const data = png.toString("base64");
	const shown = model.requests[1]?.messages.at(-1)?.content;
	expect(shown).toMatchObject([
		{ pictures: [{ type: "image", mediaType: "image/png", data }] },
		{ failed: true },
	]);
	expect(await setup.ask({ id: "2", type: "get_messages" })).toMatchObject({
		data: {
			messages: [
				{ role: "user" },
				{ role: "assistant" },
				{
					role: "tool",
					content: [
						{ type: "tool_result", call_id: "c1", is_error: false, content },
						{ type: "tool_result", call_id: "c2", is_error: true },
					],
				},
				{ role: "assistant" },
			],
		},
	});
	expect(JSON.stringify(setup.frames)).not.toContain(data);
});
