import { expect, test } from "vitest";
import { chatScene } from "../../testing/chat-scene.ts";
import { elsewhereOf } from "./elsewhere.ts";

const room = { platform: "chat", tenant: "guild", channel: "general" };
const scene = { ...chatScene, room };

const runOf = (author: string) => ({ id: "run_1", about: "", author: { id: author, name: "Ada" } });

test("the copy of an answer names the author of the message, and has the link to the channel if there is one", () => {
	const link = "https://discord.com/channels/2/3";
	expect(elsewhereOf(runOf("chat:guild:ada"), { ...scene, link })).toEqual({
		elsewhere: { person: "ada", link },
	});
	expect(elsewhereOf(runOf("chat:guild:ada"), scene)).toEqual({ elsewhere: { person: "ada" } });
});

test.each(["chat:other:ada", "other:guild:ada", "operator"])("an answer for %s has no copy", (author) => {
	expect(elsewhereOf(runOf(author), scene)).toEqual({});
});
