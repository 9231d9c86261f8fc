import { expect, test } from "vitest";
import { Contract } from "./contract.ts";
import { errorOf, pausedSimulator, section } from "./direct-client.ts";

const minute = 60_000;

function questionSimulator() {
	const standing = pausedSimulator();
	const { simulator, app, anna, general } = standing;
	const thread = general.thread(anna.says("Hello", { in: general }));
	const where = { channel: general.id, thread_ts: thread.threadTs };
	const recipient = { recipient_user_id: anna.id, recipient_team_id: simulator.home.id };
	const start = (args: object = {}) => app.call("chat.startStream", { ...where, ...recipient, ...args });
	const call = (method: string, ts: unknown, args: object = {}) =>
		app.call(`chat.${method}`, { channel: general.id, ts, ...args });
	return { ...standing, thread, where, recipient, start, call };
}

const task = { type: "task_update", id: "t1", title: "Read the log", status: "in_progress" };

test("a stream ends with the text that the app has appended", () => {
	const { app, clock, simulator, thread, start, call } = questionSimulator();
	const { ts } = start({ markdown_text: "Hel" }).body;
	const began = clock.now();
	expect(thread.last()).toMatchObject({ text: "Hel", streaming: true });
	clock.advance(1000);
	call("appendStream", ts, { markdown_text: "lo **wo" });
	clock.advance(1000);
	const chunks = [{ type: "markdown_text", text: "rld**" }];
	const metadata = { event_type: "parley_post", event_payload: { nonce: "n1" } };
	const feedback = {
		type: "feedback_buttons",
		action_id: "feedback",
		positive_button: { text: { type: "plain_text", text: "Good" }, value: "up" },
		negative_button: { text: { type: "plain_text", text: "Bad" }, value: "down" },
	};
	const blocks = [section("below"), { type: "context_actions", elements: [feedback] }];
	const { body } = call("stopStream", ts, { chunks, metadata, blocks });
	expect(body).toMatchObject({
		ok: true,
		message: { text: "Hello **world**", streaming_state: "completed" },
	});
	expect(thread.last()).toMatchObject({
		...{ text: "Hello **world**\nbelow", streaming: false, buttons: ["Good", "Bad"], edited: false },
	});
	expect(thread.states(thread.last())).toEqual([
		{ at: began, by: "create", text: "Hel" },
		{ at: began + 1000, by: "append", text: "Hello **wo" },
		{ at: began + 2000, by: "stop", text: "Hello **world**\nbelow" },
	]);
	const read = { channel: thread.record.id, ts: thread.threadTs, include_all_metadata: true };
	expect(Object(app.asks("conversations.replies", read)).messages.at(-1)).toMatchObject({ ts, metadata });
	expect(simulator.unfinished()).toEqual([]);
	expect(simulator.violations).toEqual([]);
});

test("tasks are cards in a timeline, and one plan in a plan", () => {
	const { thread, start, call } = questionSimulator();
	const chunks = [{ type: "markdown_text", text: "Looking." }, task];
	const timeline = start({ chunks }).body["ts"];
	const done = {
		...task,
		status: "complete",
		output: "3 errors",
		sources: [{ type: "url", url: "https://a.example", text: "log" }],
	};
	call("appendStream", timeline, { chunks: [{ type: "markdown_text", text: "Done." }, done] });
	expect(thread.last().text).toBe("Looking.\n✅ Read the log\n3 errors\nDone.");
	const plan = start({ chunks: [{ type: "plan_update", title: "Working" }, task], task_display_mode: "plan" })
		.body["ts"];
	call("appendStream", plan, { markdown_text: "Found it." });
	call("stopStream", plan, {
		chunks: [
			{ ...task, status: "error" },
			{ ...task, id: "t2", title: "Ask", status: "pending" },
		],
	});
	expect(thread.last().text).toBe("(plan: Working)\n❌ Read the log\n⬜ Ask\nFound it.");
});

test("a stream that is not stopped stays unfinished, and ends after five minutes", () => {
	const { clock, simulator, thread, start, call } = questionSimulator();
	const { ts } = start({ markdown_text: "Half" }).body;
	expect(simulator.unfinished()).toMatchObject([{ text: "Half", streaming: true }]);
	expect(errorOf(call("update", ts, { text: "x" }))).toBe("streaming_state_conflict");
	clock.advance(5 * minute);
	expect(errorOf(call("appendStream", ts, { markdown_text: "x" }))).toBe("message_not_in_streaming_state");
	expect(errorOf(call("stopStream", ts))).toBe("message_not_in_streaming_state");
	expect(simulator.unfinished()).toMatchObject([{ text: "Half", streaming: false }]);
	call("update", ts, { text: "Whole" });
	expect([thread.last().text, simulator.unfinished()]).toEqual(["Whole", []]);
	const next = start().body["ts"];
	expect(simulator.unfinished()).toHaveLength(1);
	call("delete", next);
	expect(simulator.unfinished()).toEqual([]);
	expect(simulator.unfinished(({ text }) => text === "Whole")).toHaveLength(1);
	expect(simulator.violations).toEqual([]);
});

test("a stream in a channel names its recipient, and one in direct messages does not have to", () => {
	const { app, simulator, anna, where, recipient } = questionSimulator();
	const start = (args: Record<string, unknown>) => errorOf(app.call("chat.startStream", args));
	expect(start(where)).toBe("missing_recipient_user_id");
	expect(start({ ...where, recipient_user_id: anna.id })).toBe("missing_recipient_team_id");
	expect(start({ ...where, ...recipient, recipient_team_id: "T0" })).toBe("team_not_found");
	expect(simulator.drainViolations()).toHaveLength(3);
	const sentMessage = anna.says("Psst", { in: anna.dm });
	expect(start({ channel: anna.dm.id, thread_ts: sentMessage.ts })).toBeUndefined();
	expect(start({ channel: anna.dm.id })).toBe("invalid_arguments");
	expect(simulator.drainViolations()).toHaveLength(1);
});

test("an invalid call of a stream is refused", () => {
	const { app, simulator, anna, general, start, call } = questionSimulator();
	const { ts } = start().body;
	const append = (args: object) => errorOf(call("appendStream", ts, args));
	expect(append({})).toBe("no_text");
	expect(simulator.drainViolations()).toEqual([]);
	expect(append({ markdown_text: "x".repeat(12_001) })).toBe("msg_too_long");
	expect(append({ markdown_text: "x", chunks: [task] })).toBe("invalid_arguments");
	expect(append({ chunks: [{ ...task, status: "done" }] })).toBe("invalid_arguments");
	expect(append({ chunks: [{ type: "text", text: "x" }] })).toBe("invalid_arguments");
	expect(errorOf(start({ task_display_mode: "list" }))).toBe("invalid_arguments");
	expect(simulator.drainViolations().length).toBeGreaterThanOrEqual(5);
	expect(append({ markdown_text: "x".repeat(12_000) })).toBeUndefined();
	expect(append({ markdown_text: "x" })).toBe("msg_too_long");
	const post = app.posts(general, { text: "Mine" });
	expect(errorOf(call("appendStream", post.ts, { markdown_text: "x" }))).toBe(
		"message_not_in_streaming_state",
	);
	const sentMessage = anna.says("Mine", { in: general });
	expect(errorOf(call("appendStream", sentMessage.ts, { markdown_text: "x" }))).toBe(
		"message_not_owned_by_app",
	);
	expect(errorOf(call("stopStream", "1.1"))).toBe("message_not_found");
	expect(simulator.violations).toEqual([]);
});

test("each method of a stream has the limit of its tier", () => {
	const { clock, start, call } = questionSimulator();
	const streams = Array.from({ length: 20 }, () => start().body["ts"]);
	expect(start().status).toBe(429);
	const appends = Array.from(
		{ length: 101 },
		() => call("appendStream", streams[0], { markdown_text: "x" }).status,
	);
	expect(appends.indexOf(429)).toBe(100);
	expect(streams.map((ts) => call("stopStream", ts).status)).not.toContain(429);
	expect(call("stopStream", streams[0]).status).toBe(429);
	clock.advance(minute);
	expect(start().status).toBe(200);
});

test("the app receives a stream as a message that changes", () => {
	const { simulator, start, call } = questionSimulator();
	const received: unknown[] = [];
	simulator.state.listen((events) => {
		for (const { body } of events) received.push(body);
	});
	const { ts } = start({ markdown_text: "One" }).body;
	call("appendStream", ts, { markdown_text: " two" });
	call("stopStream", ts);
	const growing = { subtype: "message_changed", hidden: true, message: { ts, text: "One two" } };
	expect(received).toMatchObject([
		{ type: "message", ts, text: "One", streaming_state: "in_progress" },
		{ ...growing, message: { ...growing.message, streaming_state: "in_progress" } },
		{ ...growing, message: { ...growing.message, streaming_state: "completed" } },
	]);
});

test("a stream keeps its session active until the app ends it, and the Stop button names it", () => {
	const { app, simulator, anna, thread, where, start, call } = questionSimulator();
	const events: Readonly<Record<string, unknown>>[] = [];
	simulator.state.listen((all) => events.push(...all.map(({ body }) => body)));
	const { ts } = start().body;
	expect([thread.session, thread.typing()]).toEqual([{ status: "processing", title: "" }, ["Parley"]]);
	anna.stopsSession(thread);
	const stopped = events.find(({ type }) => type === "agent_session_stopped");
	expect(stopped).toMatchObject({ streaming_message_ts: [ts], user: anna.id });
	call("stopStream", ts);
	expect(thread.session?.status).toBe("processing");
	call("stopStream", start().body["ts"], { session_status: "suspended" });
	expect([thread.session?.status, thread.typing()]).toEqual(["suspended", []]);
	const { thread_ts, channel: channel_id } = where;
	app.asks("agents.sessions.rename", { channel_id, thread_ts, title: "The log" });
	anna.renamesSession(thread, "Our log");
	expect(thread.session).toEqual({ status: "suspended", title: "Our log" });
	const renamed = events.find(({ type }) => type === "agent_session_title_changed");
	expect(renamed).toMatchObject({ title: "Our log", previous_title: "The log" });
	expect([stopped, renamed].flatMap((event) => Contract.load().faults("event", event))).toEqual([]);
});
