import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { ScriptedSession } from "../testing/scripted-session.ts";
import { Stage } from "../testing/stage.ts";

/** Simulates a process that ends after it handled an inbound event, but before it stored that fact. */
function forgets(event: string): SceneStep {
	return {
		async does(stage) {
			await stage.store.commit((tx) =>
				tx.updateTable("inbound").set({ state: "waiting" }).where("id", "like", `${event}%`).execute(),
			);
			await stage.restart();
		},
	};
}

function editsAtOnce(message: string, text: string, version: number): SceneStep {
	return {
		async does(stage) {
			const happened = { room: stage.room(), person: stage.person(), at: stage.clock.now() };
			const address = { us: false, others: false, everyone: false };
			const sentMessage = { message, text, address, attachments: [], ourThread: false };
			await stage.arrive({ type: "edited", ...happened, ...sentMessage }, `edited:${message}:${version}`);
		},
	};
}

function remind(session: ScriptedSession): void {
	for (const token of session.asking)
		session.record("prompt.reminder", { token, label: "?", expires_at: "", run_id: "run_1" });
}

const scenes: Readonly<Record<string, readonly SceneStep[]>> = {
	"a message that is taken out of the line for its edit is not asked about again by the next process": [
		{ says: "one" },
		{ says: "two" },
		{ edits: "m2", to: "three" },
		forgets("edited:m2"),
		{ requested: "cancel_turn", times: 1 },
		{
			does: ({ gateway }) =>
				expect(gateway.newest.runs.map(({ content }) => content)).toEqual(["one", "three"]),
		},
		{ shows: ["Removed from the queue", "Your message is next"] },
	],
	"a message that waits is not answered again, and its edit takes it out of the line although the database was lost":
		[
			{ says: "one" },
			{ says: "two" },
			{ reacts: "again", to: "m2" },
			{ shows: ["Your message is next", "I am still busy here"] },
			{ does: ({ gateway }) => expect(gateway.newest.runs).toHaveLength(2) },
			{ losesDatabase: true },
			{ edits: "m2", to: "three" },
			{
				does: ({ gateway }) =>
					expect(gateway.newest.runs.map(({ content }) => content)).toEqual(["one", "three"]),
			},
		],
	"a message that is read after its edit was heard says nothing new": [
		{ edits: "m7", to: "two" },
		{ says: "two", as: "m7" },
		{ requested: "send_message", times: 1 },
	],
	"what was edited in the moment in which it was said is taken out of the line with its message": [
		{ says: "one" },
		{ says: "two" },
		editsAtOnce("m2", "three", 1),
		editsAtOnce("m2", "four", 2),
		{ deletes: "m2" },
		{ does: ({ gateway }) => expect(gateway.newest.runs.map(({ content }) => content)).toEqual(["one"]) },
	],
	"a stop still stops, although its edit was heard before it": [
		{ says: "one" },
		{ edits: "m7", to: "stop it, please" },
		{ says: "stop", as: "m7" },
		{ requested: "cancel_turn", times: 1 },
	],
	"an edited command is not obeyed a second time, and why says so": [
		{ says: "!session new" },
		{ edits: "m1", to: "!session new title:Plans" },
		{ requested: "open_session", times: 1 },
		{ shows: ["Started a new conversation"] },
		{ commands: "why", options: { message: "m1" } },
		{ privately: ["ignored the edit"] },
	],
	"why reports that a run was stopped, and not that it failed": [
		{ says: "one" },
		{ stops: true },
		{ commands: "why", options: { message: "m1" } },
		{ privately: ["I accepted it as a request.\n\nThe run was stopped."] },
	],
	"a command that was not understood is obeyed when it is mended": [
		{ says: "!session" },
		{ edits: "m1", to: "!session new" },
		{ requested: "open_session", times: 1 },
	],
	"an edit of a reply never answers a question, and its author is told so": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ says: "aprove", replyTo: "post 1" },
		{ shows: ["rm -rf build", "Not decided"] },
		{ edits: "m2", to: "approve", replyTo: "post 1" },
		{ requested: "prompt_response", times: 0 },
		{ shows: ["rm -rf build", "Not decided", "an edited message cannot answer a question"] },
		{ says: "approve!", replyTo: "post 1" },
		{ requested: "prompt_response", times: 1, with: { value: "once", typed: true } },
		{ edits: "m3", to: "deny", replyTo: "post 1" },
		{ requested: "prompt_response", times: 1 },
		{ shows: ["rm -rf build", "Not decided", "an edited message cannot answer a question", "✅ Approved."] },
		{ requested: "send_message", times: 1 },
	],
	"a reply to a reminder answers what it reminds of": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ does: ({ gateway: { newest } }) => remind(newest) },
		{ does: ({ gateway: { newest } }) => remind(newest) },
		{ shows: ["rm -rf build", "Reminder 1", "Reminder 2"] },
		{ says: "approve", replyTo: "post 2" },
		{ requested: "prompt_response", times: 1, with: { value: "once" } },
		{ says: "deny", replyTo: "post 3" },
		{ shows: ["rm -rf build", "Reminder 1", "Reminder 2", "✅ Approved.", "Already answered"] },
		{ requested: "send_message", times: 1 },
	],
	"a reply to a question that is over is told so": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ presses: "Approve once" },
		{ says: "deny", replyTo: "post 1" },
		{ shows: ["rm -rf build", "Already answered"] },
		{ requested: "send_message", times: 1 },
	],
	"where each has a conversation of their own, nobody takes back what another one has said": [
		{
			does: ({ gateway }) => void gateway.facts.set("guild:own", { mention: "required", sessions: "person" }),
		},
		{ says: "begin", in: "own", mentions: "us", by: "bo" },
		{ gateway: { answers: "begun" } },
		{ gateway: "goes away" },
		{ says: "one", in: "own", mentions: "us" },
		{ says: "stop", in: "own", mentions: "us", by: "bo" },
		{ gateway: "comes back" },
		{ passes: 60_000 },
		{ requested: "send_message", times: 2, with: { content: "one" } },
	],
	"an edit of what was answered before the database was lost is no second message": [
		{ says: "one" },
		{ gateway: { answers: "done" } },
		{ losesDatabase: true },
		{ edits: "m1", to: "two" },
		{ requested: "send_message", times: 1 },
		{ shows: ["done", "I accepted this message before you edited it."] },
	],
	"stop also stops what was at work before the room was turned to another conversation": [
		{ says: "one" },
		{ commands: "session new" },
		{ says: "stop" },
		{ shows: ["Stopped: “one”"] },
		{ does: ({ gateway }) => expect(gateway.sessions.map(({ runs }) => runs.length)).toEqual([0, 0]) },
	],
};

for (const [name, steps] of Object.entries(scenes)) {
	test(name, async () => {
		const { connector, store } = await playScene(steps);
		await connector.stop();
		await store.close();
	});
}

test("an edit of a queued message is sent although the gateway fails during it", async () => {
	const stage = await playScene([{ says: "one" }, { says: "two" }]);
	const { methods } = stage.gateway;
	const { send_message: send } = methods;
	methods.send_message = () => {
		if (send) methods.send_message = send;
		throw new ParleyError("the connection is lost", { code: "unavailable" });
	};
	await playScene([{ edits: "m2", to: "three" }, { passes: 30_000 }], stage);
	expect(stage.gateway.newest.runs.map(({ content }) => content)).toEqual(["one", "three"]);
});

test("a message or press that is abandoned gets an error reply, and other messages get none", async () => {
	const stage = await Stage.open();
	const { methods } = stage.gateway;
	for (const method of ["whoami", "send_message", "list_sessions"] as const) {
		methods[method] = () => {
			throw new ParleyError("it broke", { code: "internal" });
		};
	}
	await playScene(
		[
			{ says: "help me" },
			{ says: "help me", in: "general", mentions: "us" },
			{ says: "nice weather", in: "general" },
			{ commands: "session list" },
			{ passes: 60_000 },
			{ shows: ["I could not handle your message"] },
			{ shows: ["I could not handle your message"], in: "general" },
			{ privately: ["Your request failed"] },
			{ restarts: true },
			{ passes: 60_000 },
			{ shows: ["I could not handle your message"] },
		],
		stage,
	);
	const errors = stage.log.records.filter(({ level }) => level === "error").map(({ message }) => message);
	expect(errors).toContain("an event was given up");
});

test("an event whose error reply cannot be stored is retried until it can", async () => {
	const stage = await Stage.open();
	let tries = 0;
	stage.gateway.methods.send_message = () => {
		tries += 1;
		// Refuses the next commit, which would store the error reply.
		if (tries >= 5 && tries < 8) stage.store.refusals = 1;
		throw new ParleyError("it broke", { code: "internal" });
	};
	await playScene(
		[{ says: "help me" }, { passes: 120_000 }, { shows: ["I could not handle your message"] }],
		stage,
	);
	expect(tries).toBe(8);
	expect((await stage.connector.status()).waiting).toBe(0);
});

test("events during an invalid token wait for the operator", async () => {
	const stage = await Stage.open();
	const { methods } = stage.gateway;
	const { whoami } = methods;
	methods.whoami = () => {
		throw new ParleyError("requires a valid token", { code: "unauthenticated" });
	};
	await playScene([{ says: "help me", in: "general", mentions: "us" }, { passes: 600_000 }], stage);
	if (whoami) methods.whoami = whoami;
	await playScene([{ passes: 60_000 }, { requested: "send_message", times: 1 }], stage);
});

test("a choice is accepted while the session is still read again", async () => {
	const options = [{ value: "b", label: "Blue", description: "", disabled: false }];
	const stage = await playScene([{ says: "paint" }, { gateway: { asks: { type: "select", options } } }]);
	const { files } = stage.gateway;
	const { moments } = files;
	const slow = Promise.withResolvers<void>();
	Object.assign(files, {
		moments: (...params: Parameters<typeof moments>) => slow.promise.then(() => moments(...params)),
	});
	await playScene(
		[
			{ losesDatabase: true },
			{ presses: "Choose one", chooses: ["0"] },
			{ requested: "prompt_response", times: 0 },
			{ does: () => slow.resolve() },
			{ requested: "prompt_response", times: 1, with: { value: "b" } },
		],
		stage,
	);
});

test("typing is not shown while a question waits for a person", async () => {
	const stage = await playScene([{ says: "clean up" }, { gateway: { asks: {} } }, { passes: 1000 }]);
	const typed = (): number => stage.platform.surface.calls.filter((call) => call.startsWith("typing")).length;
	const before = typed();
	await playScene([{ passes: 60_000 }], stage);
	expect(typed()).toBe(before);
	expect(stage.platform.surface.calls.at(-1)).toBe("suspended dms/dm-ada");
	await playScene([{ presses: "Approve once" }, { passes: 10_000 }], stage);
	expect(typed()).toBeGreaterThan(before);
});
