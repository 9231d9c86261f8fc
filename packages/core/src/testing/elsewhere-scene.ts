import { ManualClock } from "@parley/base/testing";
import type { AssignableRole } from "../trust/people/person-rows.ts";
import { noChat, type PlaceProfile } from "../vocabulary/chat-settings.ts";
import type { Principal, Role } from "../vocabulary/principal.ts";
import type { Elicitation } from "../vocabulary/prompt.ts";
import { EventLog } from "./event-log.ts";
import { noSandboxes } from "./no-sandboxes.ts";
import { probeTool } from "./probe-tool.ts";
import { calls, ScriptedModel, says } from "./scripted-model.ts";
import { TestRuntime, unkeyed } from "./test-runtime.ts";

/** Slack channel of the run. */
export const asking = "slack:team:ask";
/** Discord channel in which people can also answer the approvals of the run. */
export const answering = "discord:guild:desk";
const usual: Readonly<Record<string, PlaceProfile>> = {
	[asking]: { approveIn: [answering] },
	[answering]: { mention: "required" },
};

export function acting(user: string, role: Role, where = answering, shared = false): Principal {
	const [platform = "", tenant = "", channel = ""] = where.split(":");
	const place = { platform, tenant, channel, shared };
	const person = { id: `${platform}:${tenant}:${user}`, name: `Name of ${user}`, role, place };
	return { id: `connector:${platform}`, kind: "connector", platform, person };
}

/** Default requester in the Slack channel. */
export const ada = acting("ada", "member", asking);
export const abe = acting("abe", "approver");
const password: Elicitation = {
	type: "password",
	label: "Key?",
	options: [],
	required: true,
	validation: "",
};

interface Scene {
	readonly tool?: "edit" | "critical" | "question" | "secret";
	readonly places?: Readonly<Record<string, PlaceProfile>>;
	readonly asker?: Principal;
	readonly roles?: Readonly<Record<string, AssignableRole>>;
	/** Whether the model repeats the tool call. */
	readonly again?: true;
}

/** Starts a run in the Slack channel. The run waits for an answer to its question. */
export async function openElsewhere(scene: Scene = {}) {
	const { tool = "edit", places = usual, asker = ada, roles = {}, again } = scene;
	const further = again ? [[calls("c2", tool)]] : [];
	const model = new ScriptedModel([calls("c1", tool)], ...further, [says("done")]);
	const asks = (elicitation: Elicitation) => ({
		classes: ["person" as const],
		run: async (context: { ask(openElsewhere: Elicitation): Promise<unknown> }) =>
			JSON.stringify(await context.ask(elicitation)),
	});
	const tools = [
		probeTool("edit", { classes: ["write"], grantRoot: "/srv" }),
		probeTool("critical", { classes: ["irreversible"] }),
		probeTool("question", asks({ ...password, type: "text" })),
		probeTool("secret", asks(password)),
	];
	const clock = new ManualClock();
	const none = noSandboxes(clock);
	// A channel can be trusted only if its commands run in a sandbox.
	const state = { ...none.state, chat: "bubblewrap" as const };
	const sandbox = { ...none, state, check: async () => state };
	const chat = { ...noChat, places, tenants: { slack: ["team"] } };
	const t = await TestRuntime.open({ model, tools, clock, sandbox, chat });
	for (const [id, role] of Object.entries(roles)) await t.runtime.trust.people.setRole(unkeyed(), id, role);
	const session = await t.create(asker);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(asker), session, { content: "go" });
	const { prompt } = await log.next("prompt.requested");
	return {
		t,
		log,
		prompt,
		session,
		/** Answers the question. Resolves with "" if the answer was accepted, otherwise with the error message. */
		answer: (by: Principal, response: object = { value: "once" }): Promise<string> =>
			t.runtime.answer(unkeyed(by), prompt.token, response).then(
				() => "",
				(reason: Error) => reason.message,
			),
		/** Resolves with the tokens of the approvals that `by` may see, or with the error message. */
		listed: (by: Principal): Promise<readonly string[] | string> =>
			t.runtime.prompts.list(by, { limit: 10, approvals: true }).then(
				(open) => open.map(({ prompt: { token } }) => token),
				(reason: Error) => reason.message,
			),
		[Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
	};
}
