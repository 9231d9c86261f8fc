import { expect, test } from "vitest";
import { recordSetup } from "./setup-recording.ts";
import { recordFirstConversation } from "./terminal-recording.ts";

test("the README shows the present command; `node test/docs/record-terminal.ts` writes its recording", async () => {
	await expect(await recordFirstConversation()).toMatchFileSnapshot(
		"../../docs/images/first-conversation.svg",
	);
});

test("the documentation shows the present wizard; `node test/docs/record-terminal.ts` writes its recording", async () => {
	await expect(await recordSetup()).toMatchFileSnapshot("../../docs/images/setup.svg");
});
