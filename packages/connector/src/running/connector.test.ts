import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";

const scenes: Readonly<Record<string, readonly SceneStep[]>> = {
	"a message is sent for who wrote it, and its answer replies to it": [
		{ says: "hello" },
		{
			requested: "send_message",
			times: 1,
			with: { content: "hello", correlation_id: "m1", actor: { id: "ada" }, place: { channel: "dm-ada" } },
		},
		{ gateway: { answers: "hi" } },
		{ shows: ["hi"] },
	],
	"in a channel only what speaks to us is sent": [
		{ says: "who has the key?", in: "general" },
		{ says: "ask Bo", in: "general", mentions: "others" },
		{ says: "all hands", in: "general", mentions: "everyone" },
		{ says: "I can help", in: "general", by: "beep", bot: true, mentions: "us" },
		{ requested: "send_message", times: 0 },
		{ says: "help me", in: "general", mentions: "us" },
		{ requested: "send_message", times: 1, with: { content: "help me" } },
	],
	"in a channel that is open to everything, all is sent that names nobody else": [
		{
			does: ({ gateway }) =>
				void gateway.facts.set("guild:general", { mention: "always", sessions: "shared" }),
		},
		{ says: "one", in: "general" },
		{ says: "two", in: "general", mentions: "others" },
		{ requested: "send_message", times: 1, with: { content: "one" } },
	],
	"how a channel works is asked again after half a minute": [
		{ says: "one", in: "general" },
		{ says: "two", in: "general" },
		{ requested: "whoami", times: 1 },
		{ passes: 30_000 },
		{ says: "three", in: "general" },
		{ requested: "whoami", times: 2 },
	],
	"people of one channel share a session, unless each has one of their own": [
		{ says: "one", in: "general", mentions: "us" },
		{ says: "two", in: "general", mentions: "us", by: "bo" },
		{ requested: "open_session", times: 1, with: { external_key: "chat:guild:general" } },
		{
			does: ({ gateway }) => void gateway.facts.set("guild:own", { mention: "required", sessions: "person" }),
		},
		{ says: "three", in: "own", mentions: "us" },
		{ says: "four", in: "own", mentions: "us", by: "bo" },
		{ requested: "open_session", times: 3, with: { external_key: "chat:guild:own@bo" } },
	],
	"who waits sees how many are before them, and answers keep their order": [
		{ says: "one" },
		{ says: "two" },
		{ shows: ["Your message is next"] },
		{ gateway: { answers: "first" } },
		{ gateway: { answers: "second" } },
		{ shows: ["first", "second"] },
	],
	"whatever the platform repeats, nothing is done or shown twice": [
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ commands: "session new" },
		{ privately: ["Started a new conversation"] },
		{ repeats: true },
		{ repeats: true },
		{ requested: "send_message", times: 1 },
		{ requested: "open_session", times: 2 },
		{ shows: ["first"] },
		{ privately: [] },
	],
	"what happens while the connector is away is shown when it comes back": [
		{ says: "one" },
		{ does: ({ connector }) => connector.stop() },
		{ gateway: { answers: "first" } },
		{ shows: [] },
		{ restarts: true },
		{ shows: ["first"] },
	],
	"while the gateway is away everything waits, and goes on by itself": [
		{ says: "one" },
		{ gateway: "goes away" },
		{ gateway: { answers: "first" } },
		{ says: "two" },
		{ passes: 3_600_000 },
		{ shows: [] },
		{ requested: "send_message", times: 1 },
		{ gateway: "comes back" },
		{ shows: ["first"] },
		{ requested: "send_message", times: 2 },
		{ gateway: { answers: "second" } },
		{ shows: ["first", "second"] },
	],
	"a connector that starts while the gateway is away begins when that is there": [
		{ says: "one" },
		{ gateway: "goes away" },
		{ restarts: true },
		{ says: "two" },
		{ gateway: "comes back" },
		{ requested: "send_message", times: 2 },
		{ gateway: { answers: "first" } },
		{ gateway: { answers: "second" } },
		{ shows: ["first", "second"] },
	],
	"the database is lost: sessions are found again, and nothing is posted twice": [
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ says: "two" },
		{ losesDatabase: true },
		{ passes: 60_000 },
		{ shows: ["first"] },
		{ gateway: { answers: "second" } },
		{ passes: 60_000 },
		{ shows: ["first", "second"] },
		{ says: "three" },
		{ requested: "send_message", times: 3 },
		{ does: ({ gateway }) => expect(gateway.sessions).toHaveLength(1) },
	],
	"the database is lost, and what was never posted is": [
		{ says: "one" },
		{ does: ({ connector }) => connector.stop() },
		{ gateway: { answers: "first" } },
		{ losesDatabase: true },
		{ passes: 60_000 },
		{ shows: ["first"] },
	],
	"the database is lost, and what is older than a day is left alone": [
		{ says: "one" },
		{ does: ({ connector }) => connector.stop() },
		{ gateway: { answers: "first" } },
		{ does: ({ clock }) => clock.advance(25 * 3_600_000) },
		{ losesDatabase: true },
		{ passes: 60_000 },
		{ shows: [] },
		{ says: "two" },
		{ gateway: { answers: "second" } },
		{ shows: ["second"] },
	],
	"a question stays open over a loss of the database, and its button works": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ shows: ["rm -rf build"] },
		{ losesDatabase: true },
		{ passes: 60_000 },
		{ presses: "Approve once" },
		{ requested: "prompt_response", times: 1, with: { value: "once" } },
		{ passes: 60_000 },
		{ shows: ["rm -rf build"] },
	],
	"a button is pressed after a restart": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ restarts: true },
		{ presses: "Approve once" },
		{ requested: "prompt_response", times: 1, with: { value: "once", actor: { id: "ada" } } },
	],
	"a button that this connector has not made is explained": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{
			does: async (stage) => {
				const { id, ticket } = stage.nextInteraction();
				const happened = { room: stage.room(), person: stage.person(), at: 0, ticket };
				await stage.arrive({ type: "press", ...happened, control: "1a.x.y.zzz", values: [], fields: {} }, id);
			},
		},
		{ privately: ["no longer works"] },
		{ requested: "prompt_response", times: 0 },
	],
	"a reply to a question answers it": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ says: "approve", replyTo: "post 1" },
		{ requested: "prompt_response", times: 1, with: { actor: { id: "ada" } } },
		{ requested: "send_message", times: 1 },
	],
};

for (const [name, steps] of Object.entries(scenes)) {
	test(name, async () => {
		const { connector, store } = await playScene(steps);
		await connector.stop();
		await store.close();
	});
}
