import { expect, test } from "vitest";
import { commanded, scriptedContext } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { trustCommands } from "./trust.ts";

const grant = {
	grant_id: "grant_1",
	place: "discord:1:2",
	people: null,
	tools: ["git"],
	classes: null,
	max_actions: 200,
	used_actions: 3,
	reason: "release",
	granted_by: "discord:1:7",
	created_at: "1970-01-01T00:00:10.000Z",
	expires_at: "1970-01-01T01:00:00.000Z",
};
const wish = {
	token: "prompt_1",
	session_id: "sess_1",
	place: "discord:1:2",
	person: "discord:1:42",
	name: "Ada",
	people: null,
	tools: null,
	classes: null,
	max_actions: 200,
	minutes: 480,
	reason: "tests.",
	created_at: "1970-01-01T00:00:10.000Z",
	expires_at: "1970-01-01T01:00:00.000Z",
};
const scripted: ScriptedAnswers = {
	request_grant: () => ({ status: "requested", token: "prompt_1", session_id: "sess_1" }),
};

interface Scenario {
	readonly name: string;
	readonly command: string;
	readonly options?: Readonly<Record<string, string | number | boolean>>;
	readonly answers: ScriptedAnswers;
	readonly says: string | RegExp;
	readonly asks: { readonly method: string; readonly params: object };
}

const scenarios: readonly Scenario[] = [
	{
		name: "trust is asked for a working day unless told",
		command: "trust on",
		options: { reason: "tests" },
		answers: scripted,
		says: /^Requested trust for 8 h\. An owner or the operator must confirm it\.$/,
		asks: { method: "request_grant", params: { minutes: 480, reason: "tests", session_id: "sess_1" } },
	},
	{
		name: "trust is asked for less, where somebody wants less",
		command: "trust on",
		options: { reason: "tests", minutes: 90, tools: "git, run_command,", max_actions: 5 },
		answers: scripted,
		says: /^Requested trust for 1 h 30 min\./,
		asks: {
			method: "request_grant",
			params: { minutes: 90, tools: ["git", "run_command"], max_actions: 5, actor: { id: "42" } },
		},
	},
	{
		name: "trust ends by command",
		command: "trust off",
		answers: {
			list_grants: () => ({ grants: [grant], wishes: [] }),
			revoke_grant: () => ({ status: "revoked" }),
		},
		says: "Ended: tools require approval here again.",
		asks: { method: "revoke_grant", params: { grant_id: "grant_1", key: "key", actor: { id: "42" } } },
	},
	{
		name: "where there is no trust, there is nothing to end",
		command: "trust off",
		answers: { list_grants: () => ({ grants: [], wishes: [] }) },
		says: "This channel is not trusted.",
		asks: { method: "list_grants", params: { place: { tenant: "1", channel: "2" } } },
	},
	{
		name: "the status says what runs unasked and until when",
		command: "trust status",
		answers: { list_grants: () => ({ grants: [grant], wishes: [] }) },
		says: /trusted\.\*\* The trust grant expires \{until 3600 s\}\.\n- Covered: the tool `git`, .*; 3 calls so far\n- Granted by @7: release\n- Still requires/,
		asks: { method: "list_grants", params: {} },
	},
	{
		name: "the status tells of a wish that nobody has answered",
		command: "trust status",
		answers: { list_grants: () => ({ grants: [], wishes: [wish] }) },
		says: /not trusted\. .*\n\n❓ @42 requests trust for 8 h: tests\. An owner/,
		asks: { method: "list_grants", params: {} },
	},
];

test.each(scenarios)("$name", async ({ command, options, answers, says, asks }) => {
	const { context, gateway } = scriptedContext(answers);
	const reply = await trustCommands
		.find(({ name }) => name === command)
		?.run(context, commanded(command, options));
	expect(reply?.text).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
	expect(gateway.requests.at(-1)).toMatchObject(asks);
});
