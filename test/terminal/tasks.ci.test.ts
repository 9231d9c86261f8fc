import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { Follower } from "./follower.ts";
import { pipe } from "./piped.ts";
import type { Place } from "./place.ts";
import { test } from "./terminal-test.ts";

const interrupt = "\u0003";
const review = [
	'tool: todo {"items": [{"text": "Look", "state": "active"}, {"text": "Write", "state": "open"}]}',
	'tool: request_review {"reason": "A table is to be added", "content": "I propose:\\n- roles"}',
	'tool: todo {"items": [{"text": "Look", "state": "done"}, {"text": "Write", "state": "done"}]}',
	"say: all is done",
].join("\n");

/** Submits a task with a pipe instead of a terminal, and returns its id. */
async function submit(place: Place, title: string, description: string, ...flags: string[]): Promise<string> {
	const { out, code } = await pipe(
		place,
		["task", "submit", title, "-", "--tool", "run_command", ...flags],
		description,
	);
	expect(code).toBe(0);
	const [id = ""] = /task_[0-9a-z]{26}/.exec(out) ?? [];
	return id;
}

/** Resolves when the task waits for a person. */
async function untilWaiting(place: Place, id: string): Promise<void> {
	const watch = place.run("task", "watch", id);
	await watch.shows("task reply");
	watch.type(interrupt);
	expect(await watch.ended()).toBe(130);
	expect(watch.text).toContain("the task goes on; `parley task watch");
}

/** The text without values that differ from run to run. */
function steady(place: Place, text: string): string {
	return place
		.normalise(text)
		.replaceAll(/task_[0-9a-z]{26}/g, `task_${"x".repeat(26)}`)
		.replaceAll(/(task|sess)_[0-9a-z]{6}\b/g, "$1_xxxxxx")
		.replaceAll(/completed in \d+ s · .*/g, "completed in …");
}

test("one terminal watches a task, another one answers it, and its output is printed at the end", async ({
	place,
}) => {
	const id = await submit(place, "Refactor", review);
	await untilWaiting(place, id);
	const watch = place.run("task", "watch", id.slice(0, 12));
	await watch.shows("Ctrl-C leaves; the task goes on");
	await expect(steady(place, watch.text)).toMatchFileSnapshot("screens/task-watch.txt");
	const listed = place.run("tasks");
	expect(await listed.ended()).toBe(0);
	await expect(steady(place, listed.text)).toMatchFileSnapshot("screens/tasks.txt");

	const reply = place.run("task", "reply", id.slice(5, 12));
	await reply.shows("number ›");
	await expect(steady(place, reply.text)).toMatchFileSnapshot("screens/task-reply.txt");
	await reply.enter("3");
	await reply.shows("What should be different?");
	await reply.enter("keep the old names");
	expect(await reply.ended()).toBe(0);
	expect(reply.text).toContain("Refactor thinks again");
	expect(await watch.ended()).toBe(0);
	await expect(steady(place, watch.text)).toMatchFileSnapshot("screens/task-watched.txt");

	const shown = await pipe(place, ["task", "show", id, "--log"]);
	expect(shown.out).toContain("What was said with it:\n    keep the old names");
	expect(shown.out).toMatch(/^plan\n✓ Look\n✓ Write$/m);
	expect(shown.out).toMatch(/^output\n(?:.*\n)+all is done$/m);
	const again = await pipe(place, ["task", "reply", id, "--approve"]);
	expect(again).toMatchObject({ code: 1, out: "\n" });
	expect(again.error).toContain("is completed and asks nothing");
});

test("a piped task prints lines or JSON, and its result is the exit code", async ({ place }) => {
	const id = await submit(place, "Steps", review);
	const lines = new Follower(place, ["task", "watch", id]);
	const json = new Follower(place, ["task", "watch", id, "--json"]);
	await Promise.all([lines.shows("task reply"), json.shows(`"status":"suspended"`)]);
	await place.run("task", "reply", id, "--approve", "well", "done").ended();
	expect(await lines.ended()).toBe(0);
	expect(steady(place, lines.out)).toMatch(
		/^ {2}task_xxxxxx Steps · 100% {2}2\/2 Write\n✓ task_xxxxxx Steps/m,
	);
	expect(await json.ended()).toBe(0);
	const events = json.out
		.trimEnd()
		.split("\n")
		.map((line) => parseJson(line));
	expect(events.at(-2)).toMatchObject({ event: "task.completed", payload: { task_id: id } });
	expect(events.at(-1)).toMatchObject({
		id,
		status: "completed",
		output: expect.stringContaining("all is done"),
	});

	const ended = await pipe(place, ["task", "submit", "Fails", "fail: out of ideas", "--watch"]);
	expect(ended).toMatchObject({ code: 1, out: expect.stringContaining("out of ideas") });
	const [failed = ""] = /task_[0-9a-z]{26}/.exec(ended.out) ?? [];
	const retried = await pipe(place, ["task", "retry", failed, "--json"]);
	const { task_id } = Object(parseJson(retried.out));
	expect(Object(parseJson((await pipe(place, ["task", "show", task_id, "--json"])).out))).toMatchObject({
		retry_of: failed,
		title: "Fails",
	});
});

test("cancelling a task ends commands that watch it", async ({ place }) => {
	const id = await submit(place, "Long one", "long: 100000 tokens at 10 per second");
	const watch = place.run("task", "watch", id);
	await watch.shows("Ctrl-C leaves");
	const cancelled = await pipe(place, ["task", "cancel", id, "--reason", "not needed"]);
	expect(cancelled).toMatchObject({ code: 0, out: expect.stringContaining("Long one is cancelled") });
	expect(await watch.ended()).toBe(3);
	expect(watch.text).toContain("cancelled by operator: not needed");
	expect((await pipe(place, ["task", "cancel", id])).out).toContain("is cancelled already");
});

test("a chat reports tasks, shows their progress, and asks their questions by name", async ({ place }) => {
	const chat = await place.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(chat.text) ?? [];
	const steps = '{"items": [{"text": "Count", "state": "active"}, {"text": "Tell", "state": "open"}]}';
	const worker = 'tool: spawn_worker {"title": "Helper", "description": "run: echo hi"}';
	const description = [`tool: todo ${steps}`, worker, "tool: wait_for_workers", "say: counted"].join("\n");
	await submit(place, "Count files", description, "--session", session.slice(0, 14));
	await chat.shows("y yes · n no");
	await expect(steady(place, chat.text)).toMatchFileSnapshot("screens/task-chat.txt");
	const tasks = await pipe(place, ["tasks", "--session", session]);
	expect(steady(place, tasks.out)).toMatch(/^task_xxxxxx +running .*\n {2}task_xxxxxx +running .* Helper /m);
	expect(tasks.out).toMatch(/^a question waits: `parley chat --session sess_x+` asks you$/m);
	chat.type("y\r");
	await chat.rests("counted");
	await expect(steady(place, chat.text)).toMatchFileSnapshot("screens/task-chat-ended.txt");
	chat.type(interrupt);
	chat.type(interrupt);
	expect(await chat.ended()).toBe(0);
});

test("the chat of a script gets no questions of tasks, and tasks are listed last", async ({ place }) => {
	const first = await submit(place, "First", "run: echo first");
	const second = await submit(place, "Second", "say: second", "--after", first);
	const show = new Follower(place, ["task", "show", second, "--json"]);
	expect(await show.ended()).toBe(0);
	const told = Object(parseJson(show.out));
	expect(told).toMatchObject({ status: "pending", depends_on: [first] });
	const talk = await pipe(place, ["chat", "--session", told.session_id], "say: through a pipe\n");
	expect(talk).toMatchObject({ code: 0, out: expect.stringContaining("[offline] through a pipe") });
	expect(talk.out).toContain("First asks: Allow run echo first?");
	const asking = await pipe(place, ["task", "show", first]);
	expect(asking.out).toMatch(/^asks\n.*First\nAllow run echo first\?/m);
});

test("an impossible request is reported with the value and advice", async ({ place }) => {
	const none = await pipe(place, ["task", "show", "task_none"]);
	expect(none.error).toBe(
		"parley: no task has an id that begins with task_none; `parley tasks --all` lists them\n\n",
	);
	expect(none.code).toBe(1);
	expect((await pipe(place, ["task", "show", "task_"])).error).toContain(
		"too short for an id: at least 4 characters",
	);
	expect((await pipe(place, ["task", "reply", "x", "--revise"])).error).toContain("--revise needs words");
	expect((await pipe(place, ["task", "reply", "x"])).error).toContain("nobody can be asked here");
	const before = await pipe(place, ["sessions", "--json"]);
	const unknown = await pipe(place, ["task", "submit", "X", "--tool", "fly"]);
	expect(unknown).toMatchObject({ code: 2, error: expect.stringContaining("fly") });
	expect((await pipe(place, ["sessions", "--json"])).out).toBe(before.out);
	const other = await pipe(place, ["tasks", "--status", "gone"]);
	expect(other.error).toContain("Allowed choices are pending, running, suspended");
});
