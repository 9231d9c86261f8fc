import { type ErrorCode, ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";

const scenes: Readonly<Record<string, readonly SceneStep[]>> = {
	"stop stops at once, even behind a message that cannot be sent": [
		{ says: "one" },
		{ says: "two", attaches: ["endless"] },
		{ says: "stop" },
		{ requested: "cancel_turn", times: 1 },
		{ shows: ["Stopped"] },
		{ requested: "send_message", times: 1 },
	],
	"stop takes back what was said before and not yet sent, and nothing that comes later": [
		{ gateway: "goes away" },
		{ says: "one" },
		{ says: "stop" },
		{ says: "two" },
		{ gateway: "comes back" },
		{ passes: 60_000 },
		{ requested: "send_message", times: 1, with: { content: "two" } },
		{ commands: "why", options: { message: "m1" } },
		{ privately: ["it was stopped or deleted"] },
	],
	"the platform's own button stops whatever is at work in the room, and says nothing where nothing is": [
		{ says: "one", in: "general/post 1" },
		{ says: "two", in: "general/post 1" },
		{ stops: true, in: "general/post 1", by: "bob" },
		{ requested: "cancel_turn", times: 1, with: { actor: { id: "bob" } } },
		{ says: "three" },
		{ stops: true, in: "general/post 2" },
		{ requested: "cancel_turn", times: 1 },
		{ shows: [], in: "general/post 2" },
	],
	"the platform's own button is not for strangers": [
		{ says: "one", in: "general", mentions: "us" },
		{ does: ({ gateway }) => void gateway.roles.set("eve", "stranger") },
		{ stops: true, in: "general", by: "eve" },
		{ does: ({ gateway }) => expect(gateway.newest.runs).toHaveLength(1) },
	],
	"stop says so where nothing is at work": [
		{ says: "!stop" },
		{ shows: ["I am not working"] },
		{ requested: "open_session", times: 0 },
	],
	"a typed command to stop is confirmed below itself, because the answer ends above it": [
		{ says: "one" },
		{ gateway: { streams: "Half " } },
		{ passes: 1000 },
		{ says: "!stop" },
		{ requested: "cancel_turn", times: 1 },
		{ shows: ["Stopped: “one”", "Stopped."] },
	],
	"the word stop is not a command, so the end of the answer confirms it": [
		{ says: "one" },
		{ gateway: { streams: "Half " } },
		{ passes: 1000 },
		{ says: "stop" },
		{ requested: "cancel_turn", times: 1 },
		{ shows: ["Stopped: “one”"] },
	],
	"an edit of a message that waits replaces it": [
		{ says: "one" },
		{ says: "two" },
		{ edits: "m2", to: "three" },
		{ requested: "cancel_turn", times: 1 },
		{ requested: "send_message", times: 3, with: { content: "three", correlation_id: "m2" } },
		{ gateway: { answers: "first" } },
		{ gateway: { answers: "third" } },
		{ does: ({ gateway }) => expect(gateway.newest.runs).toEqual([]) },
	],
	"an edit of what is at work or answered is offered to be answered": [
		{ says: "one" },
		{ edits: "m1", to: "better" },
		{ shows: ["[Answer the edited message]"] },
		{ requested: "send_message", times: 1 },
		{ presses: "Answer the edited message" },
		{ requested: "send_message", times: 2, with: { content: "better" } },
	],
	"an edit that names us for the first time is a message": [
		{ says: "one", in: "general" },
		{ edits: "m1", to: "help me", in: "general", mentions: "us" },
		{ requested: "send_message", times: 1, with: { content: "help me" } },
	],
	"a message that is deleted is not answered": [
		{ says: "one" },
		{ says: "two" },
		{ deletes: "m2" },
		{ requested: "cancel_turn", times: 1, with: { actor: { id: "ada" } } },
		{ deletes: "m1" },
		{ requested: "cancel_turn", times: 2 },
		{ does: ({ gateway }) => expect(gateway.newest.runs).toEqual([]) },
		{ deletes: "m7" },
		{ requested: "cancel_turn", times: 2 },
	],
	"what a message has started is known after a loss of the database, too": [
		{ says: "one" },
		{ losesDatabase: true },
		{ deletes: "m1" },
		{ requested: "cancel_turn", times: 1, with: { actor: { id: "ada" } } },
	],
	"signs at a message or an answer do what buttons do": [
		{ says: "one" },
		{ reacts: "stop", to: "m1" },
		{ requested: "cancel_turn", times: 1 },
		{ says: "two" },
		{ gateway: { answers: "first" } },
		{ reacts: "again", to: "post 2" },
		{ requested: "retry", times: 1 },
		{ reacts: "again", to: "post 99" },
		{ requested: "retry", times: 1 },
	],
	"a thumb at any post of an answer is feedback, and one at a message of a person is not": [
		{ says: "one" },
		{ gateway: { answers: "word ".repeat(500) } },
		{ shows: ["word", "word"] },
		{ reacts: "good", to: "post 1", by: "bob" },
		{ requested: "feedback", times: 1, with: { run_id: "run_0001_1", rating: "good", actor: { id: "bob" } } },
		{ reacts: "bad", to: "post 2" },
		{ requested: "feedback", times: 2, with: { run_id: "run_0001_1", rating: "bad" } },
		{ reacts: "good", to: "m1", by: "bob" },
		{ reacts: "bad", to: "post 99" },
		{ requested: "feedback", times: 2 },
		{ shows: ["word", "word"] },
		{ privately: [] },
	],
	"a thumb at an answer without a reply is ignored": [
		{
			does({ gateway }) {
				gateway.methods.feedback = () => {
					throw new ParleyError("no reply to rate: the run ended without a reply", {
						code: "failed_precondition",
					});
				};
			},
		},
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ reacts: "bad", to: "post 1" },
		{ requested: "feedback", times: 1 },
		{ shows: ["first"] },
	],
	"a title that the platform reports renames the conversation of its thread, unless it has this title or another bot gave it":
		[
			{ says: "one", in: "general/post 1", mentions: "us" },
			retitles("Plans", "post 1"),
			{ requested: "rename_session", times: 1, with: { title: "Plans", actor: { id: "ada" } } },
			retitles("Plans", "post 1", 2),
			{ requested: "rename_session", times: 1 },
			retitles("Other", "post 2"),
			{ requested: "rename_session", times: 1 },
			retitles("Solved", "post 1", 3, { bot: true }),
			{ requested: "rename_session", times: 1 },
		],
	"a refused rename is logged as such": [
		{
			does({ gateway }) {
				gateway.methods.rename_session = () => {
					throw new ParleyError("only members can change a conversation", { code: "permission_denied" });
				};
			},
		},
		{ says: "one", in: "general/post 1", mentions: "us" },
		retitles("Plans", "post 1"),
		{
			does({ log }) {
				const refused = log.records.filter(({ message }) => message.endsWith("was refused"));
				expect(refused.map(({ fields }) => fields)).toMatchObject([{ event: "retitled" }]);
			},
		},
	],
	"a stranger gets instructions once a day": [
		{ does: ({ gateway }) => void gateway.roles.set("eve", "stranger") },
		{ says: "hello", in: "general", by: "eve", mentions: "us" },
		{ says: "hello?", in: "general", by: "eve", mentions: "us" },
		{ shows: ["/pair"], in: "general" },
		{ passes: 86_400_000 },
		{ says: "hello??", in: "general", by: "eve", mentions: "us" },
		{ shows: ["/pair", "/pair"], in: "general" },
		{ commands: "ask", options: { text: "hello" }, in: "general", by: "eve" },
		{ commands: "session new", in: "general", by: "eve" },
		{ privately: ["/pair", "/pair"] },
		{ commands: "pair", in: "general", by: "eve" },
		{ privately: ["ABCD-EFGH"] },
		{ requested: "send_message", times: 0 },
	],
	"a refusal to pair is told with its reason, also where the gateway wants it slower": [
		{
			does({ gateway }) {
				gateway.roles.set("eve", "stranger");
				const failures: [ErrorCode, string][] = [
					["permission_denied", "forbidden: this code has expired: ask the operator for another code"],
					["resource_exhausted", "you tried 5 codes within a minute: wait a minute, then try again"],
				];
				gateway.methods.pair = () => {
					const [code, message] = failures.shift() ?? ["internal", "it was asked once more"];
					throw new ParleyError(message, { code });
				};
			},
		},
		{ commands: "pair", options: { code: "AAAAAAAA" }, in: "general", by: "eve" },
		{ commands: "pair", options: { code: "AAAAAAAA" }, in: "general", by: "eve" },
		{ privately: ["This code has expired", "You tried 5 codes within a minute"] },
	],
	"a message with files brings them, and says what it cannot bring": [
		{ says: "look", attaches: ["a.png", "missing"] },
		{
			requested: "send_message",
			times: 1,
			with: {
				content: "look\n\n[Missing files: `missing`: it cannot be downloaded any more]",
				attachments: ["file_a.png"],
			},
		},
		{ shows: ["`missing`: it cannot be downloaded any more"] },
		{ says: "", attaches: ["b.png"] },
		{
			requested: "send_message",
			times: 2,
			with: { content: "Attached: b.png", attachments: ["file_b.png"] },
		},
		{ says: "", attaches: ["missing"] },
		{ requested: "send_message", times: 2 },
	],
	"a file that its server does not hand out holds nothing up: after 8 s the message goes on without it": [
		{ says: "one", attaches: ["unserved", "a.png"] },
		{ says: "two" },
		{ requested: "send_message", times: 0 },
		...Array.from({ length: 8 }, () => ({ passes: 1000 })),
		{ requested: "send_message", times: 2, with: { content: "two" } },
		{ shows: ["`unserved`: its server answered 503", "Your message is next"] },
		{
			does: ({ gateway }) => {
				const content = "one\n\n[Missing files: `unserved`: its server answered 503]";
				expect(gateway.requests).toContainEqual(
					expect.objectContaining({
						params: expect.objectContaining({ content, attachments: ["file_a.png"] }),
					}),
				);
			},
		},
	],
	"an edit of a waiting message says which file it cannot bring": [
		{ says: "one" },
		{ says: "two" },
		{ edits: "m2", to: "three", attaches: ["missing"] },
		{
			shows: [
				"Removed from the queue",
				"`missing`: it cannot be downloaded any more",
				"Your message is next",
			],
		},
	],
	"a bare mention is greeted, and nothing is opened for it": [
		{ says: " ", in: "general", mentions: "us" },
		{ shows: ["Hello!"], in: "general" },
		{ requested: "open_session", times: 0 },
	],
	"what is too long for one message is refused with words": [
		{ says: "x".repeat(1_100_000) },
		{ shows: ["more than the maximum of"] },
		{ requested: "send_message", times: 0 },
	],
	"commands are obeyed as texts": [
		{ says: "!session new title:Plans", in: "general", mentions: "us" },
		{ requested: "open_session", times: 1, with: { title: "Plans", external_key: "chat:guild:general" } },
		{ shows: ["**Plans**"], in: "general" },
		{ says: "!ask how are you?", in: "general", mentions: "us" },
		{ requested: "send_message", times: 1, with: { content: "how are you?", correlation_id: "m2" } },
	],
	"a room goes on with a fresh session, and back with an older one": [
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ commands: "session new", options: { title: "Other" } },
		{ says: "two" },
		{ gateway: { answers: "second" }, of: 2 },
		{ commands: "session list" },
		{ privately: ["Started a new conversation **Other**", "▸ **Other**"] },
		{ commands: "session switch", options: { session: "2" } },
		{ says: "three" },
		{ gateway: { answers: "third" }, of: 1 },
		{ shows: ["first", "second", "third"] },
		{ commands: "session switch", options: { session: "nonsense" } },
		{ privately: ["Switched to", "No conversation here has the title or number"] },
	],
	"after a loss of the database a room goes on with the session used last": [
		{ says: "one" },
		{ commands: "session new" },
		{ says: "two" },
		{ losesDatabase: true },
		{ says: "three" },
		{ does: ({ gateway }) => expect(gateway.sessions.map(({ runs }) => runs.length)).toEqual([1, 2]) },
	],
	"a session that somebody deletes is followed by another one": [
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ does: ({ gateway }) => gateway.delete() },
		{ says: "two" },
		{ requested: "send_message", times: 2, with: { content: "two" } },
		{ gateway: { answers: "second" }, of: 2 },
		{ shows: ["first", "deleted", "second"] },
	],
	"why tells what was made of a message": [
		{ says: "who has the key?", in: "general" },
		{ says: "help me", in: "general", mentions: "us" },
		{ commands: "why", options: { message: "https://chat.example/guild/general/m1" }, in: "general" },
		{ commands: "why", in: "general" },
		{ commands: "why", options: { message: "m99" }, in: "general" },
		{ privately: ["does not mention me", "me; I accepted it as a request", "I have no record"] },
	],
	"why tells people of their own messages in other channels": [
		{ says: "help me", in: "general", mentions: "us" },
		{ commands: "why", options: { message: "https://chat.example/guild/general/m1" }, in: "random" },
		{ commands: "why", options: { message: "m1" }, in: "random", by: "bob" },
		{ privately: ["mentions me; I accepted it as a request", "I have no record"] },
	],
	"why finds a person's own message of another channel without the name of the channel": [
		{ says: "help me", in: "general", mentions: "us", as: "general-7" },
		{ commands: "why", options: { message: "7" }, in: "random" },
		{ commands: "why", options: { message: "7" }, in: "random", by: "bob" },
		{ commands: "why", options: { message: "8" }, in: "random" },
		{ privately: ["me; I accepted it as a request", "I have no record", "I have no record"] },
	],
	"the commands in the background are listed, and one is stopped by its number": [
		{ says: "serve", mentions: "us" },
		{ commands: "session commands" },
		{ privately: ["No background commands are running in this conversation."] },
		{
			does({ gateway }) {
				const started = { command: "npm `run` dev", started_at: "2026-01-01T00:00:00Z" };
				const ended = { ended_at: "2026-01-01T00:01:00Z", reason: "exited", exit_code: 1 } as const;
				const running = { number: 2, state: "running", ...started } as const;
				gateway.methods.list_commands = () => ({
					commands: [running, { number: 1, ...started, command: "make", state: "ended", ...ended }],
				});
				gateway.methods.stop_command = ({ number }) => ({
					command: { ...running, number, state: "ended", reason: "stopped" },
				});
			},
		},
		{ commands: "session commands" },
		{
			privately: [
				"**2** ``npm `run` dev`` · started 2026-01-01T00:00:00.000Z\n\nEnded:\n\n- **1** `make` · ended 2026-01-01T00:01:00.000Z with exit code 1",
			],
		},
		{ commands: "session info" },
		{ privately: ["In the background:\n\n- **2** ``npm `run` dev`` · started "] },
		{ commands: "session commands", options: { stop: 3 } },
		{ privately: ["There is no background command 3 here."] },
		{ requested: "stop_command", times: 0 },
		{ commands: "session commands", options: { stop: 2 } },
		{ privately: ["Stopped ``npm `run` dev``."] },
		{ requested: "stop_command", times: 1, with: { number: 2 } },
	],
	"what one is told about oneself, the model and help": [
		{ commands: "whoami" },
		{ commands: "model" },
		{ commands: "model", options: { name: "other" } },
		{ commands: "usage" },
		{ commands: "session info" },
		{ commands: "session rename", options: { title: "Plans" } },
		{ commands: "help" },
		{ commands: "dance" },
		{
			privately: [
				"**member**",
				"Current model: `scripted`",
				"Model chosen: `other`",
				"0 tokens in",
				"Model: `other`",
				"**Plans**",
				"`/session new`, `switch`",
				"Unknown command",
			],
		},
	],
};

for (const [name, steps] of Object.entries(scenes)) {
	test(name, async () => {
		const { connector, store } = await playScene(steps);
		await connector.stop();
		await store.close();
	});
}

function retitles(title: string, thread: string, count = 1, { bot = false } = {}): SceneStep {
	return {
		does: (stage) => {
			const room = stage.room(`general/${thread}`);
			const person = { ...stage.person(), bot };
			const event = { type: "retitled", room, person, title, at: stage.clock.now() } as const;
			return stage.arrive(event, `retitled:${title}:${count}`);
		},
	};
}
