import { expect, test } from "vitest";
import type { RoomDesk } from "../rooms/handler-context.ts";
import { commanded, scriptedDesk } from "../testing/question-context.ts";
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

/** A desk that keeps what is said. */
function talkingDesk() {
	const said: string[] = [];
	const { desk, gateway } = scriptedDesk(answers);
	const room: RoomDesk = {
		...desk,
		sessions: async () => [{ session: "s1", title: "", usedAt: 0, messages: 1, current: true }],
		whoami: refuse,
		stop: refuse,
		heard: refuse,
		say: async (_person, _room, { text }) => {
			said.push(text);
			return { session: "s", sent: true, failures: [] };
		},
	};
	return { desk: room, said, gateway };
}

const answers = { list_skills: () => ({ skills: [deploy, ...hidden], problems: [], digest: "" }) };

test("without a name the skills that people may start are listed", async () => {
	const { desk } = talkingDesk();
	const { text } = (await command?.run(desk, commanded("skill", {}))) ?? {};
	expect(text).toMatch(/^- `\S*skill deploy .*branch.*` Deploys .*$/);
});

test("a name completes with the skills of the room's session", async () => {
	const { desk, gateway } = talkingDesk();
	const { person, room } = commanded("skill", {}).arrival;
	const asked = { option: "name", typed: "/dep", options: {}, person, room };
	expect(await command?.complete?.(desk, asked)).toEqual([
		{ value: "deploy", label: "deploy: Deploys *it*" },
	]);
	expect(gateway.asked).toMatchObject([{ method: "list_skills", params: { session_id: "s1" } }]);
});

test.each([
	{ name: "deploy", arguments: "main now" },
	{ name: "/deploy main now" },
	{ name: "deploy main now" },
])("%j is said as a message that starts the skill", async (options) => {
	const { desk, said } = talkingDesk();
	await command?.run(desk, commanded("skill", options));
	expect(said).toEqual(["/deploy main now"]);
});
