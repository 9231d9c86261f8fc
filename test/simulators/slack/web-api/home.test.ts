import { expect, test } from "vitest";
import { storeUpload } from "../platform/files.ts";
import { fullManifest } from "../platform/manifest.ts";
import { Contract } from "./contract.ts";
import { buttons, errorOf, pausedSimulator, section } from "./direct-client.ts";

function watchedSimulator(manifest: object = fullManifest) {
	const standing = pausedSimulator({ manifest });
	const received: Readonly<Record<string, unknown>>[] = [];
	standing.simulator.state.listen((events) => received.push(...events.map(({ body }) => body)));
	const last = (type: string) => received.findLast((body) => body["type"] === type);
	return { ...standing, received, last };
}

const home = (...blocks: readonly object[]) => ({ type: "home", blocks });

test("a person sees the published Home, and presses its buttons", () => {
	const { simulator, app, anna, last } = watchedSimulator();
	const publish = (blocks: readonly object[], more: object = {}) =>
		app.call("views.publish", { user_id: anna.id, view: home(...blocks), ...more });
	anna.opensHome();
	expect(last("app_home_opened")).toMatchObject({
		user: anna.id,
		channel: anna.dm.id,
		tab: "home",
		context: {},
	});
	expect(anna.home).toBeUndefined();
	const { body } = publish([section("2 tasks run"), buttons("Stop all")]);
	const { id, hash } = Object(body["view"]);
	expect(anna.home).toMatchObject({ text: "2 tasks run", buttons: ["Stop all"] });
	anna.clicksHome("Stop all");
	expect(last("block_actions")).toMatchObject({
		...{ container: { type: "view", view_id: id }, view: { id, type: "home" } },
		actions: [{ type: "button", value: "Stop all" }],
	});
	expect(last("block_actions")).not.toHaveProperty("response_url");
	expect(Object(publish([section("none")], { hash }).body["view"]).id).toBe(id);
	expect(errorOf(publish([section("late")], { hash }))).toBe("hash_conflict");
	expect(anna.home?.text).toBe("none");
	anna.opensHome();
	expect(last("app_home_opened")).toMatchObject({ view: { id } });
	expect(simulator.violations).toEqual([]);
});

test("a Home with wrong blocks, of another kind or for an unknown user is refused", () => {
	const { simulator, app, anna } = watchedSimulator();
	const publish = (view: object, user_id = anna.id) => errorOf(app.call("views.publish", { user_id, view }));
	const many = (count: number) => Array.from({ length: count }, () => ({ type: "divider" }));
	expect(publish(home(...many(100)))).toBeUndefined();
	expect(simulator.violations).toEqual([]);
	expect(publish(home(...many(101)))).toBe("invalid_arguments");
	expect(publish(home({ type: "unknown" }))).toBe("invalid_arguments");
	expect(publish(home(buttons()))).toBe("invalid_blocks");
	const title = { type: "plain_text", text: "x" };
	expect(publish({ type: "modal", title, blocks: [] })).toBe("invalid_arguments");
	expect(simulator.drainViolations().length).toBeGreaterThanOrEqual(4);
	expect(publish(home(), "U0")).toBe("user_not_found");
});

test("an app without a Home tab cannot publish one", () => {
	const { app_home: _, ...features } = fullManifest.features;
	const { app, anna } = watchedSimulator({ ...fullManifest, features });
	expect(errorOf(app.call("views.publish", { user_id: anna.id, view: home() }))).toBe("not_enabled");
	expect(() => anna.opensHome()).toThrow("not_enabled");
});

test("an agent receives the channel that a person looks at", () => {
	const { simulator, anna, general, last } = watchedSimulator();
	const context = {
		entities: [{ type: "slack#/types/channel_id", value: general.id, team_id: simulator.home.id }],
	};
	anna.says("Hello", { in: anna.dm });
	expect(last("message")).not.toHaveProperty("app_context");
	anna.looksAt(general);
	expect(last("app_context_changed")).toMatchObject({ channel: anna.dm.id, user: anna.id, context });
	anna.says("What is this about?", { in: anna.dm });
	expect(last("message")).toMatchObject({ app_context: context });
	anna.opensHome("messages");
	expect(last("app_home_opened")).toMatchObject({ tab: "messages", context });
	const closed = simulator.home.channel("closed", { private: true, members: [simulator.member("Bob")] });
	expect(() => anna.looksAt(closed)).toThrow("not_in_channel");
});

test("an assistant receives a new thread and its context", () => {
	const { agent_view: _, ...features } = fullManifest.features;
	const assistant = { ...features, assistant_view: { assistant_description: "An assistant" } };
	const { app, anna, general, last } = watchedSimulator({ ...fullManifest, features: assistant });
	const thread = anna.startsAssistant();
	const about = { user_id: anna.id, channel_id: anna.dm.id, thread_ts: thread.threadTs };
	expect(last("assistant_thread_started")).toMatchObject({ assistant_thread: { ...about, context: {} } });
	anna.looksAt(general, { thread });
	const changed = last("assistant_thread_context_changed");
	expect(changed).toMatchObject({ assistant_thread: { ...about, context: { channel_id: general.id } } });
	expect(last("app_context_changed")).toBeUndefined();
	const where = { channel_id: anna.dm.id, thread_ts: thread.threadTs };
	app.asks("assistant.threads.setTitle", { ...where, title: "Help" });
	expect(thread.session).toEqual({ status: "active", title: "Help" });
	const faults = [last("assistant_thread_started"), changed].flatMap((event) =>
		Contract.load().faults("event", event),
	);
	expect(faults).toEqual([]);
});

test("people press suggestions of the manifest, of the channel and of a thread", () => {
	const prompt = (title: string) => ({ title, message: `${title}, please` });
	const agent_view = { suggested_prompts: [prompt("Help")] };
	const features = { ...fullManifest.features, agent_view };
	const { simulator, app, anna, general } = watchedSimulator({ ...fullManifest, features });
	expect([anna.dm.prompts, general.prompts]).toEqual([["Help"], []]);
	const suggest = (args: object) =>
		errorOf(app.call("assistant.threads.setSuggestedPrompts", { channel_id: anna.dm.id, ...args }));
	expect(suggest({ prompts: [prompt("Status"), prompt("Usage")], title: "Try" })).toBeUndefined();
	expect(anna.picks("Usage", { in: anna.dm }).text).toBe("Usage, please");
	const thread = anna.dm.thread(anna.dm.last());
	expect(suggest({ prompts: [prompt("Again")], thread_ts: thread.threadTs })).toBeUndefined();
	expect([thread.prompts, anna.dm.prompts]).toEqual([["Again"], ["Status", "Usage"]]);
	expect(suggest({ prompts: Array.from({ length: 5 }, () => prompt("x")) })).toBe("invalid_arguments");
	expect(simulator.drainViolations()).toHaveLength(1);
});

test("feedback is given with the native buttons", () => {
	const { app, anna, general, last } = watchedSimulator();
	const button = (text: string, value: string) => ({ text: { type: "plain_text", text }, value });
	const feedback = {
		...{ type: "feedback_buttons", action_id: "feedback" },
		...{ positive_button: button("Good", "up"), negative_button: button("Bad", "down") },
	};
	app.posts(general, {
		text: "x",
		blocks: [section("x"), { type: "context_actions", elements: [feedback] }],
	});
	expect(general.last()).toMatchObject({ text: "x", buttons: ["Good", "Bad"] });
	anna.clicks("Bad");
	const action = { type: "feedback_buttons", action_id: "feedback", value: "down" };
	expect(last("block_actions")).toMatchObject({ actions: [action] });
	const wrong = { type: "feedback_buttons", action_id: "feedback", positive_button: button("Good", "up") };
	for (const elements of [[wrong], []]) {
		const { body } = app.call("chat.postMessage", {
			...{ channel: general.id, text: "x" },
			blocks: [{ type: "context_actions", elements }],
		});
		expect(body["error"]).toBe("invalid_blocks");
	}
});

test("a snippet is a file whose text people read", () => {
	const { simulator, app, general } = watchedSimulator();
	const bytes = new TextEncoder().encode("const a = 1;");
	const upload = { filename: "a.ts", length: bytes.byteLength, snippet_type: "typescript" };
	const { upload_url: url, file_id: id } = app.asks("files.getUploadURLExternal", upload);
	expect(storeUpload(simulator.state, String(url), bytes)).toBe(true);
	app.asks("files.completeUploadExternal", { files: [{ id }], channel_id: general.id });
	const file = { mode: "snippet", filetype: "typescript", mimetype: "text/plain", editable: true };
	expect(app.asks("files.info", { file: id })).toMatchObject({ file });
	const { body } = app.call("files.getUploadURLExternal", { ...upload, length: 1024 * 1024 + 1 });
	expect([body["error"], simulator.drainViolations()]).toEqual(["snippet_too_large", ["snippet_too_large"]]);
});
