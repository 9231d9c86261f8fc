import type { MethodResult } from "@parley/protocol";
import { token } from "./question-scene.ts";
import type { ScriptedAnswers } from "./scripted-requests.ts";

type Listed = MethodResult<"list_prompts">["prompts"][number];

/** Returns an approval that Mia requested in a channel of Slack, with the changes of the test. */
export function listedPrompt(
	changes: Partial<Listed> = {},
	context: Partial<Listed["context"]> = {},
): Listed {
	return {
		type: "confirm",
		label: "Allow run npm test?",
		token,
		required: true,
		options: [],
		default: null,
		placeholder: "",
		validation: "",
		context: {
			call_id: "call_1",
			tool: "run_command",
			arguments: { cmd: "npm test" },
			preview: "",
			risk: "normal",
			allow_session: true,
			notes: ["in /srv/app"],
			...context,
			expires_at: "1970-01-02T00:00:00.000Z",
		},
		session_id: "sess_7",
		session_title: "Release",
		created_at: "1970-01-01T00:00:10.000Z",
		person: "slack:T:U7",
		name: "Mia *M*",
		place: "slack:T:C",
		always_ask: false,
		...changes,
	};
}

export function waiting(...prompts: readonly Listed[]): ScriptedAnswers {
	return {
		list_prompts: ({ token: named }) => ({
			prompts: prompts.filter((prompt) => named === undefined || prompt.token === named),
		}),
	};
}
