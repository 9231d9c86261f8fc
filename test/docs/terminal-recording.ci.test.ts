import { expect, test } from "vitest";
import { recordFirstConversation } from "./terminal-recording.ts";

test("the README shows the present command; `node test/docs/record-terminal.ts` writes its recording", async () => {
	await expect(await recordFirstConversation()).toMatchFileSnapshot(
		"../../docs/images/first-conversation.svg",
	);
});
