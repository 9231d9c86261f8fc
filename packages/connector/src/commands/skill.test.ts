import { expect, test } from "vitest";
import type { RoomContext } from "../rooms/handler-context.ts";
import { commanded, scriptedContext } from "../testing/question-context.ts";
import { skillCommands } from "./skill.ts";

const [command] = skillCommands;
const deploy = {
	name: "deploy",
	description: "Deploys *it*",
	argument_hint: "[branch]",
	source: "data" as const,
	path: "skills/deploy.md",
	type: "simple" as const,
	trust: "operator" as const,
	hash: "",
	user_invocable: true,
	model_invocable: true,
};
const hidden = [
	{ ...deploy, name: "agent-only", user_invocable: false },
	{ ...deploy, name: "foreign", trust: "untrusted" as const },
];
const refuse = (): never => {
	throw new Error("not in this test");
};

function talkingContext() {
	const sentTexts: string[] = [];
	const { context, gateway } = scriptedContext(answers);
	const room: RoomContext = {
		...context,
		sessions: async () => [{ session: "s1", title: "", usedAt: 0, messages: 1, current: true }],
		whoami: refuse,
		stop: refuse,
		fork: refuse,
		events: refuse,
		messageRecord: refuse,
		send: async (_person, _room, { text }) => {
			sentTexts.push(text);
			return { session: "s", sent: true, failures: [] };
		},
	};
	return { context: room, sentTexts, gateway };
}

const answers = { list_skills: () => ({ skills: [deploy, ...hidden], problems: [], digest: "" }) };

test("the command without a name lists the skills that people may start", async () => {
	const { context } = talkingContext();
	const { text } = (await command?.run(context, commanded("skill", {}))) ?? {};
	expect(text).toMatch(/^- `\S*skill deploy .*branch.*` Deploys .*$/);
});

test("a name is completed from the skills of the channel's session", async () => {
	const { context, gateway } = talkingContext();
	const { person, room } = commanded("skill", {}).event;
	const query = { option: "name", typed: "/dep", options: {}, person, room };
	expect(await command?.complete?.(context, query)).toEqual([
		{ value: "deploy", label: "deploy: Deploys *it*" },
	]);
	expect(gateway.requests).toMatchObject([{ method: "list_skills", params: { session_id: "s1" } }]);
});

test.each([
	{ name: "deploy", arguments: "main now" },
	{ name: "/deploy main now" },
	{ name: "deploy main now" },
])("%j is sent as a message that starts the skill", async (options) => {
	const { context, sentTexts } = talkingContext();
	await command?.run(context, commanded("skill", options));
	expect(sentTexts).toEqual(["/deploy main now"]);
});
