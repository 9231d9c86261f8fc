import { writeFile } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { playFixture } from "./fixture.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const fixtures = new URL("../fixtures/ozzie/", import.meta.url);

verifiesOn(
	"ozzie",
	["run.stream", "run.message", "event.form"],
	"the document's basic conversation, frame by frame",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		await using client = await OzzieClient.connect(gateway.url);
		await playFixture(client, new URL("basic-conversation.jsonl", fixtures), gateway.path("work"));
	},
);

verifiesOn(
	"ozzie",
	["tool.call", "tool.before-prompt", "prompt.form"],
	"the document's tool call, frame by frame",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		for (const name of ["file1", "file2"]) await writeFile(gateway.path("work", name), "");
		await using client = await OzzieClient.connect(gateway.url);
		await playFixture(client, new URL("conversation-with-tool-call.jsonl", fixtures), gateway.path("work"));
	},
);
