import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";

const one: SceneStep = { says: "one", in: "general/a", mentions: "us" };
const two: SceneStep = { says: "two", in: "general/b", mentions: "us" };
const named: SceneStep = {
	does({ gateway: { sessions } }) {
		for (const [index, title] of ["Release", "Report", "Lunch"].entries()) {
			const session = sessions[index];
			if (session) session.title = title;
		}
	},
};
const isPrivate: SceneStep = { does: ({ platform }) => void platform.privateThreads.set("b", ["max"]) };
const link = (thread: string, title: string): string =>
	`[${title}](https://chat.example/guild/general/${thread})`;

const scenes: Readonly<Record<string, readonly SceneStep[]>> = {
	"stop in a channel stops the only run in its threads, and names it": [
		one,
		named,
		{ commands: "stop", in: "general" },
		{ privately: [`Stopped: ${link("a", "Release")}`] },
		{ requested: "cancel_turn", times: 1, with: { place: { thread: "a" } } },
	],
	"a conversation without a title has the start of its message": [
		one,
		{ commands: "stop", in: "general" },
		{ privately: [`Stopped: ${link("a", "one")}`] },
	],
	"stop in a channel without a run says so": [
		one,
		{ gateway: { answers: "done" } },
		{ commands: "stop", in: "general" },
		{ privately: ["I am not working on anything here."] },
	],
	"stop in a channel offers several runs by title, and a button stops one": [
		one,
		two,
		named,
		{ says: "three", in: "other/c", mentions: "us" },
		named,
		{ commands: "stop", in: "general", by: "max" },
		{
			privately: [
				`Choose the conversation to stop:\n\n1. ${link("b", "Report")} · working\n2. ${link("a", "Release")} · working [1. Report] [2. Release]`,
			],
		},
		{ requested: "cancel_turn", times: 0 },
		{ presses: "2. Release", in: "general", by: "max" },
		{ privately: [`Stopped: ${link("a", "Release")}`] },
		{ requested: "cancel_turn", times: 1, with: { actor: { id: "max" }, place: { thread: "a" } } },
		{ presses: "2. Release", in: "general", by: "max" },
		{ privately: [`I am no longer working on ${link("a", "Release")}.`] },
	],
	"stop in a thread stops only that thread": [
		one,
		two,
		{ commands: "stop", in: "general/a" },
		{ privately: ["Stopped."] },
		{ requested: "cancel_turn", times: 1, with: { place: { thread: "a" } } },
	],
	"a person who is not in a private thread neither sees nor stops its run": [
		one,
		two,
		named,
		isPrivate,
		{ commands: "stop", in: "general" },
		{ privately: [`Stopped: ${link("a", "Release")}`] },
		{ commands: "stop", in: "general" },
		{ privately: ["I am not working on anything here."] },
		{ commands: "session list", in: "general" },
		{ privately: [`Conversations in threads:\n\n1. ${link("a", "Release")}`] },
	],
	"a button is refused after the person has lost the thread": [
		one,
		two,
		named,
		{ commands: "stop", in: "general" },
		{ privately: ["Choose the conversation to stop"] },
		isPrivate,
		{ presses: "1. Report", in: "general" },
		{ privately: ["you cannot see it"] },
		{ requested: "cancel_turn", times: 0 },
	],
	"another person's own conversation is not offered": [
		{
			does: ({ gateway }) =>
				void gateway.facts.set("guild:general", { mention: "required", sessions: "person" }),
		},
		one,
		{ commands: "stop", in: "general", by: "max" },
		{ privately: ["I am not working on anything here."] },
	],
	"usage, session info and model act on the only conversation of the threads": [
		one,
		named,
		{ commands: "usage", in: "general" },
		{ commands: "session info", in: "general" },
		{ commands: "model", options: { name: "other" }, in: "general" },
		{
			privately: [
				`${link("a", "Release")}\n\nThis conversation:`,
				`${link("a", "Release")}\n\n1 message, the last`,
				`Model chosen for ${link("a", "Release")}: \`other\`. It applies from the next message.`,
			],
		},
		{ requested: "set_model", times: 1, with: { model: "other" } },
		{ requested: "open_session", times: 1 },
	],
	"session compact in a channel summarises the only conversation of the threads, and session commands names its place":
		[
			one,
			{ gateway: { answers: "done" } },
			named,
			{ commands: "session compact", in: "general" },
			{ privately: [`${link("a", "Release")}\n\nSummarising the conversation…`] },
			{ requested: "compact_session", times: 1, with: { place: { thread: "a" } } },
			{ commands: "session commands", in: "general" },
			{ privately: ["Write `!session commands` in the thread of a conversation."] },
		],
	"session compact in a thread summarises only that thread": [
		one,
		two,
		{ gateway: { answers: "done" } },
		{ commands: "session compact", in: "general/a" },
		{ privately: ["Summarising the conversation…"] },
		{ requested: "compact_session", times: 1, with: { place: { thread: "a" } } },
	],
	"session compact in a channel offers several conversations, and a button summarises one": [
		one,
		two,
		named,
		{ commands: "session compact", in: "general" },
		{ privately: ["Choose the conversation to summarise:"] },
		{ requested: "compact_session", times: 0 },
		{ presses: "2. Release", in: "general" },
		{ privately: [`${link("a", "Release")}\n\nSummarising the conversation…`] },
		{ requested: "compact_session", times: 1, with: { place: { thread: "a" } } },
		{ requested: "open_session", times: 2 },
	],
	"usage, session info and model offer several conversations, with the channel's own": [
		one,
		{ says: "two", in: "general", mentions: "us" },
		named,
		{ commands: "usage", in: "general" },
		{ privately: ["1. [Report](https://chat.example/guild/general) (this channel)"] },
		{ presses: "2. Release", in: "general" },
		{ privately: [`${link("a", "Release")}\n\nThis conversation:`] },
		{ commands: "session info", in: "general" },
		{ privately: ["Choose a conversation:"] },
		{ presses: "2. Release", in: "general" },
		{ privately: [`${link("a", "Release")}\n\n1 message, the last`] },
		{ commands: "model", options: { name: "other" }, in: "general" },
		{ privately: ["Choose the conversation for the model **other**"] },
		{ presses: "2. Release", in: "general" },
		{ privately: [`Model chosen for ${link("a", "Release")}: \`other\`. It applies from the next message.`] },
		{ requested: "set_model", times: 1, with: { model: "other", place: { thread: "a" } } },
	],
	"a long name of a model does not fit into a button, so it is chosen in the thread": [
		one,
		two,
		{ commands: "model", options: { name: "m".repeat(90) }, in: "general" },
		{ privately: ["or use this command in its thread"] },
		{ does: (stage) => expect(() => stage.control("1. two")).toThrow() },
	],
};

test.each(Object.entries(scenes))("%s", async (_, steps) => {
	const stage = await playScene(steps);
	await stage.connector.stop();
	await stage.store.close();
});
