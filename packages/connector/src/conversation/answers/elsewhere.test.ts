import { expect, test } from "vitest";
import { chatScene } from "../../testing/chat-scene.ts";
import { parseText } from "../../text/parse-text.ts";
import { elsewhereOf } from "./elsewhere.ts";

const run = { id: "run_1", about: "", author: { id: "chat:guild:ada", name: "Ada" } };
const room = { platform: "chat", tenant: "guild", channel: "general" };
const channel = "https://discord.com/channels/2/3";
const thread = "https://team.slack.com/archives/C1/p1767225650000100";

test.each([
	[channel, `[the thread of your request](${channel})`],
	[thread, `[the thread of your request](${thread})`],
	[undefined, "the thread of your request"],
])("the note above a copy is that of its Markdown, with the link %s", (link, written) => {
	const { elsewhere } = elsewhereOf(run, { ...chatScene, room, ...(link !== undefined && { link }) });
	const markdown = `I can no longer write in ${written}, because it is closed. My answer:`;
	expect(elsewhere).toEqual({ person: "ada", note: parseText(markdown).blocks[0] });
});
