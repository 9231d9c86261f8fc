import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { ScriptedSession } from "../testing/scripted-session.ts";
import { Stage } from "../testing/stage.ts";

const thread = "general/post 1";
const asks = { type: "text", label: "Which colour?", context: { tool: undefined } } as const;
const offers = ["tea", "ale"].map((value) => ({ value, label: value, description: "", disabled: false }));
const question = (
	payload: Pick<Parameters<ScriptedSession["ask"]>[0] & object, "type" | "options"> = {},
): SceneStep => ({
	gateway: { asks: { ...asks, ...payload } },
});
const approval: SceneStep = { gateway: { asks: {} } };
const starts: SceneStep = { says: "clean up", in: thread };

const unanswered: readonly SceneStep[] = [{ requested: "prompt_response", times: 0 }];

function queues(content: string): SceneStep[] {
	return [...unanswered, { requested: "send_message", times: 2, with: { content } }];
}

async function openStage(): Promise<Stage> {
	const stage = await Stage.open();
	stage.platform.ticketOf = ({ message }) => ({ id: message, token: "", expiresAt: 9e15 });
	return stage;
}

const scenes: Readonly<Record<string, readonly SceneStep[]>> = {
	"a message of the person who is asked answers the only question of a thread, and is not sent to the agent":
		[
			starts,
			question(),
			{ says: "dark blue", in: thread },
			{
				requested: "prompt_response",
				times: 1,
				with: { text: "dark blue", typed: true, actor: { id: "ada" } },
			},
			{ requested: "send_message", times: 1 },
			{ shows: ["Which colour?", "✅ Answered."], in: thread },
			{ commands: "why", options: { message: "m2" }, in: thread },
			{ privately: ["it answered a question"] },
		],
	"a message in direct messages answers, too": [
		{ says: "clean up" },
		question(),
		{ says: "dark blue" },
		{ requested: "prompt_response", times: 1, with: { text: "dark blue" } },
		{ requested: "send_message", times: 1 },
	],
	"in a channel outside of threads, only a reply answers": [
		{ says: "clean up", in: "general", mentions: "us" },
		question(),
		{ says: "blue", in: "general", mentions: "us" },
		...queues("blue"),
		{ says: "green", in: "general", replyTo: "post 1" },
		{ requested: "prompt_response", times: 1, with: { text: "green" } },
	],
	"a choice is answered by the number of an option, and an unknown one is listed to its author alone": [
		starts,
		question({ type: "select", options: offers }),
		{ says: "milk", in: thread },
		...unanswered,
		{ privately: ["“milk” is not an option"] },
		{ says: "2", in: thread },
		{ requested: "prompt_response", times: 1, with: { value: "ale" } },
		{ requested: "send_message", times: 1 },
	],
	"several choices are answered by names and numbers": [
		starts,
		question({ type: "multi", options: offers }),
		{ says: "1, ale", in: thread },
		{ requested: "prompt_response", times: 1, with: { values: ["tea", "ale"] } },
	],
	"an answer that the gateway refuses is explained to its author alone, and the question still waits": [
		starts,
		question(),
		{
			does({ gateway: { methods } }) {
				const accept = methods.prompt_response;
				methods.prompt_response = () => {
					Object.assign(methods, { prompt_response: accept });
					throw new ParleyError("invalid params: the answer does not match [a-z]+", {
						code: "invalid_argument",
					});
				};
			},
		},
		{ says: "8", in: thread },
		{ privately: ["The question is still open"] },
		{ says: "eight", in: thread },
		{ requested: "prompt_response", times: 2, with: { text: "eight" } },
		{ requested: "send_message", times: 1 },
	],
	"an approver approves by the phrase in the thread of the card": [
		starts,
		approval,
		{ says: "Approve.", in: thread, by: "olga" },
		{ requested: "prompt_response", times: 1, with: { value: "once", typed: true, actor: { id: "olga" } } },
		{ shows: ["Approved once** by @olga", "✅ Approved."], in: thread },
		{ requested: "send_message", times: 1 },
	],
	"an approval by message of a call that needs several approvals is only recorded": [
		starts,
		{ gateway: { asks: { context: { approvals: 2 } } } },
		{ says: "approve", in: thread, by: "olga" },
		{ requested: "prompt_response", times: 1, with: { value: "once" } },
		{
			shows: ["run_command", "Your approval is recorded. The call needs 2 approvals in total."],
			in: thread,
		},
	],
	"the approval by message that completes a call with several approvals is acknowledged as approved": [
		starts,
		{ gateway: { asks: { context: { approvals: 2 } } } },
		{
			does({ gateway: { newest } }) {
				const token = [...newest.asking][0] ?? "";
				newest.record("prompt.vote", { token, by: "chat:guild:max", approvals: 1, needed: 2 });
			},
		},
		{ says: "approve", in: thread, by: "olga" },
		{ requested: "prompt_response", times: 1, with: { value: "once" } },
		{ shows: ["Approved once** by @olga", "✅ Approved."], in: thread },
	],
	"a denial by message has its reason": [
		starts,
		approval,
		{ says: "deny: use tabs", in: thread, by: "olga" },
		{ requested: "prompt_response", times: 1, with: { cancelled: true, reason: "use tabs" } },
		{ shows: ["Denied** by @olga", "⛔ Denied."], in: thread },
	],
	"any other message queues, and its notice names the request that the run waits for": [
		starts,
		approval,
		{ says: "yes, but only the tests", in: thread },
		...queues("yes, but only the tests"),
		{ shows: ["rm -rf build", "I am waiting for the approval above. Your message is next."], in: thread },
		{ presses: "Approve once", in: thread, by: "olga" },
		{ shows: ["rm -rf build", "I am working on another message. Your message is next."], in: thread },
	],
	"the notice of a queued message names a question that is asked later": [
		starts,
		{ says: "and tidy up", in: thread },
		{ shows: ["I am working on another message. Your message is next."], in: thread },
		question(),
		{
			shows: ["I am waiting for an answer to the question above. Your message is next.", "Which colour?"],
			in: thread,
		},
		{ says: "blue", in: thread },
		{
			shows: ["I am working on another message. Your message is next.", "Which colour?", "✅ Answered."],
			in: thread,
		},
	],
	"a person without the right does not approve, and the message queues": [
		starts,
		approval,
		{
			does({ gateway: { methods } }) {
				methods.prompt_response = () => {
					throw new ParleyError("forbidden: only approvers of this channel can approve this", {
						code: "permission_denied",
					});
				};
			},
		},
		{ says: "approve", in: thread, by: "max" },
		{ requested: "prompt_response", times: 1 },
		{ requested: "send_message", times: 2, with: { content: "approve", actor: { id: "max" } } },
	],
	"another person's message does not answer a question": [
		starts,
		question(),
		{ says: "blue", in: thread, by: "max" },
		...queues("blue"),
	],
	"a forwarded message does not answer": [
		starts,
		approval,
		{ says: "approve", in: thread, by: "olga", forwards: true },
		...queues("approve"),
		{ says: "approve", in: thread, by: "olga", forwards: true, replyTo: "post 1" },
		...unanswered,
	],
	"an edited message does not answer": [
		{ says: "hm", in: thread, bot: true },
		starts,
		approval,
		{ says: "approved?", in: thread, mentions: "others" },
		{ edits: "m3", to: "approve", in: thread },
		...queues("approve"),
	],
	"a bot's message does not answer": [
		starts,
		approval,
		{ says: "approve", in: thread, by: "robo", bot: true },
		...unanswered,
		{ requested: "send_message", times: 1 },
	],
	"a message with a file does not answer, so that the file is not lost": [
		starts,
		question(),
		{ says: "blue", in: thread, attaches: ["a.png"] },
		...queues("blue"),
	],
	"with two open requests in a thread, no message decides": [
		starts,
		approval,
		{ gateway: { asks: { context: { call_id: "call_2" } } } },
		{ says: "approve", in: thread, by: "olga" },
		...queues("approve"),
	],
	"with an open request of another session in the same thread, no message decides": [
		{
			does: ({ gateway }) =>
				void gateway.facts.set("guild:general", { mention: "required", sessions: "person" }),
		},
		starts,
		approval,
		{ says: "clean up too", in: thread, by: "max" },
		approval,
		{ says: "approve", in: thread, by: "olga" },
		...unanswered,
	],
	"a question that only the gateway knows counts as open": [
		starts,
		approval,
		{
			does({ gateway }) {
				const list = gateway.methods.list_prompts;
				gateway.methods.list_prompts = async (params, call) => {
					const { prompts } = (await list?.(params, call)) ?? { prompts: [] };
					return { prompts: prompts.flatMap((prompt) => [prompt, { ...prompt, token: "prompt_new" }]) };
				};
			},
		},
		{ says: "approve", in: thread, by: "olga" },
		...queues("approve"),
	],
	"a call that always requires approval is not decided by a message": [
		starts,
		{ gateway: { asks: { context: { risk: "critical" } } } },
		{ says: "approve", in: thread, by: "olga" },
		...queues("approve"),
		{ says: "deny", in: thread, by: "olga" },
		...unanswered,
	],
	"a trust request is not decided by a message": [
		starts,
		question({ type: "confirm" }),
		{ says: "approve", in: thread, by: "olga" },
		...queues("approve"),
	],
	"a password is not taken from a message": [
		starts,
		question({ type: "password" }),
		{ says: "sesame", in: thread, replyTo: "post 1" },
		...unanswered,
		{ privately: ["Delete your message"] },
		{ requested: "send_message", times: 1 },
		{ says: "and tidy up", in: thread },
		...queues("and tidy up"),
	],
	"a press that is first decides, and the message queues": [
		starts,
		approval,
		{ presses: "Approve once", in: thread, by: "olga" },
		{ says: "deny", in: thread, by: "max" },
		{ requested: "prompt_response", times: 1 },
		{ requested: "send_message", times: 2, with: { content: "deny" } },
	],
	"a question that closes before the gateway gets the answer makes the message an ordinary one": [
		starts,
		question(),
		{
			does({ gateway: { methods } }) {
				methods.prompt_response = () => ({ status: "sent", late: true });
			},
		},
		{ says: "blue", in: thread },
		{ requested: "prompt_response", times: 1 },
		{ requested: "send_message", times: 2, with: { content: "blue" } },
	],
};

test.each(Object.entries(scenes))("%s", async (_, steps) => {
	const stage = await playScene(steps, await openStage());
	await stage.connector.stop();
	await stage.store.close();
});

test("a message that is older than the card does not answer", async () => {
	const stage = await playScene([starts, approval]);
	const at = stage.clock.now() - 1000;
	const event = {
		type: "message" as const,
		message: "old",
		text: "approve",
		at,
		room: stage.room(thread),
		person: stage.person("olga"),
		address: { us: false, others: false, everyone: false },
		attachments: [],
		ourThread: true,
	};
	await stage.arrive({ ...event, at: stage.clock.now() - 60_000 }, "message:old");
	await playScene(queues("approve"), stage);
	await stage.connector.stop();
	await stage.store.close();
});

test.each(["before", "after"])(
	"a kill %s the gateway's decision neither loses the answer nor doubles it",
	async (when) => {
		const stage = await playScene([starts, question()]);
		const { methods } = stage.gateway;
		const decide = methods.prompt_response;
		const tries: string[] = [];
		methods.prompt_response = async (params, call) => {
			tries.push(`${params.key} ${params.token} ${params.text}`);
			// A real gateway returns the same result for a repeated key.
			if (tries.length > 1 && when === "after") return { status: "sent" };
			if (tries.length === 1 && when === "before") throw lost();
			const decided = await decide?.(params, call);
			if (tries.length === 1) throw lost();
			return decided ?? { status: "sent" };
		};
		await playScene([{ says: "blue", in: thread }], stage);
		await stage.restart();
		await playScene(
			[
				{ passes: 5000 },
				{ requested: "send_message", times: 1 },
				{ shows: ["Answered** by @ada", "✅ Answered."], in: thread },
			],
			stage,
		);
		expect(tries).toHaveLength(2);
		expect(new Set(tries).size).toBe(1);
		const answers = stage.gateway.newest.frames.filter(({ event }) => event === "prompt.response");
		expect(answers).toHaveLength(1);
		await stage.connector.stop();
		await stage.store.close();
	},
);

function lost(): ParleyError {
	return new ParleyError("the connection was lost", { code: "unavailable" });
}
