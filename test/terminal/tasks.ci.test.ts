import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { Follower } from "./follower.ts";
import { pipe } from "./piped.ts";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

const interrupt = "\u0003";
const review = [
	'tool: todo {"items": [{"text": "Look", "state": "active"}, {"text": "Write", "state": "open"}]}',
	'tool: request_review {"reason": "A table is to be added", "content": "I propose:\\n- roles"}',
	'tool: todo {"items": [{"text": "Look", "state": "done"}, {"text": "Write", "state": "done"}]}',
	"say: all is done",
].join("\n");

async function submit(setup: Setup, title: string, description: string, ...flags: string[]): Promise<string> {
	const { out, code } = await pipe(
		setup,
		["task", "submit", title, "-", "--tool", "run_command", ...flags],
		description,
	);
	expect(code).toBe(0);
	const [id = ""] = /task_[0-9a-z]{26}/.exec(out) ?? [];
	return id;
}

async function untilWaiting(setup: Setup, id: string): Promise<void> {
	const watch = setup.run("task", "watch", id);
	await watch.shows("task reply");
	watch.type(interrupt);
	expect(await watch.ended()).toBe(130);
	expect(watch.text).toContain("the task continues; `parley task watch");
}

function steady(setup: Setup, text: string): string {
	return setup
		.normalise(text)
		.replaceAll(/task_[0-9a-z]{26}/g, `task_${"x".repeat(26)}`)
		.replaceAll(/(task|sess)_[0-9a-z]{6}\b/g, "$1_xxxxxx")
		.replaceAll(/completed in \d+ s · .*/g, "completed in …");
}

test("one terminal watches a task, another one answers it, and its output is printed at the end", async ({
	setup,
}) => {
	const id = await submit(setup, "Refactor", review);
	await untilWaiting(setup, id);
	const watch = setup.run("task", "watch", id.slice(0, 12));
	await watch.shows("Ctrl-C leaves; the task continues");
	await expect(steady(setup, watch.text)).toMatchFileSnapshot("screens/task-watch.txt");
	const listed = setup.run("tasks");
	expect(await listed.ended()).toBe(0);
	await expect(steady(setup, listed.text)).toMatchFileSnapshot("screens/tasks.txt");

	const reply = setup.run("task", "reply", id.slice(5, 12));
	await reply.shows("number ›");
	await expect(steady(setup, reply.text)).toMatchFileSnapshot("screens/task-reply.txt");
	await reply.enter("3");
	await reply.shows("What should change?");
	await reply.enter("keep the old names");
	expect(await reply.ended()).toBe(0);
	expect(reply.text).toContain("Refactor is revised");
	expect(await watch.ended()).toBe(0);
	await expect(steady(setup, watch.text)).toMatchFileSnapshot("screens/task-watched.txt");

	const shown = await pipe(setup, ["task", "show", id, "--log"]);
	expect(shown.out).toContain("Comment:\n    keep the old names");
	expect(shown.out).toMatch(/^plan\n✓ Look\n✓ Write$/m);
	expect(shown.out).toMatch(/^output\n(?:.*\n)+all is done$/m);
	const repeated = await pipe(setup, ["task", "reply", id, "--approve"]);
	expect(repeated).toMatchObject({ code: 1, out: "\n" });
	expect(repeated.error).toContain("is completed and has no open question");
});

test("a piped task prints lines or JSON, and its result is the exit code", async ({ setup }) => {
	const id = await submit(setup, "Steps", review);
	const lines = new Follower(setup, ["task", "watch", id]);
	const json = new Follower(setup, ["task", "watch", id, "--json"]);
	await Promise.all([lines.shows("task reply"), json.shows(`"status":"suspended"`)]);
	await setup.run("task", "reply", id, "--approve", "well", "done").ended();
	expect(await lines.ended()).toBe(0);
	expect(steady(setup, lines.out)).toMatch(
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

	const ended = await pipe(setup, ["task", "submit", "Fails", "fail: out of ideas", "--watch"]);
	expect(ended).toMatchObject({ code: 1, out: expect.stringContaining("out of ideas") });
	const [failed = ""] = /task_[0-9a-z]{26}/.exec(ended.out) ?? [];
	const retried = await pipe(setup, ["task", "retry", failed, "--json"]);
	const { task_id } = Object(parseJson(retried.out));
	expect(Object(parseJson((await pipe(setup, ["task", "show", task_id, "--json"])).out))).toMatchObject({
		retry_of: failed,
		title: "Fails",
	});
});

test("cancelling a task ends commands that watch it", async ({ setup }) => {
	const id = await submit(setup, "Long one", "long: 100000 tokens at 10 per second");
	const watch = setup.run("task", "watch", id);
	await watch.shows("Ctrl-C leaves");
	const cancelled = await pipe(setup, ["task", "cancel", id, "--reason", "not needed"]);
	expect(cancelled).toMatchObject({ code: 0, out: expect.stringContaining("Long one is cancelled") });
	expect(await watch.ended()).toBe(3);
	expect(watch.text).toContain("cancelled by operator: not needed");
	expect((await pipe(setup, ["task", "cancel", id])).out).toContain("is cancelled already");
});

test("a chat reports tasks, shows their progress, and asks their questions by name", async ({ setup }) => {
	const chat = await setup.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(chat.text) ?? [];
	const steps = '{"items": [{"text": "Count", "state": "active"}, {"text": "Tell", "state": "open"}]}';
	const worker = 'tool: spawn_worker {"title": "Helper", "description": "run: echo hi"}';
	const description = [`tool: todo ${steps}`, worker, "tool: wait_for_workers", "say: counted"].join("\n");
	await submit(setup, "Count files", description, "--session", session.slice(0, 14));
	await chat.shows("y yes · n no");
	await expect(steady(setup, chat.text)).toMatchFileSnapshot("screens/task-chat.txt");
	const tasks = await pipe(setup, ["tasks", "--session", session]);
	expect(steady(setup, tasks.out)).toMatch(/^task_xxxxxx +running .*\n {2}task_xxxxxx +running .* Helper /m);
	expect(tasks.out).toMatch(/^a question is open; answer with `parley chat --session sess_x+`$/m);
	chat.type("y\r");
	await chat.rests("counted");
	await expect(steady(setup, chat.text)).toMatchFileSnapshot("screens/task-chat-ended.txt");
	chat.type(interrupt);
	chat.type(interrupt);
	expect(await chat.ended()).toBe(0);
});

test("the chat of a script prints the open approvals of tasks and does not answer them", async ({
	setup,
}) => {
	const first = await submit(setup, "First", "run: echo first");
	const second = await submit(setup, "Second", "say: second", "--after", first);
	const show = new Follower(setup, ["task", "show", second, "--json"]);
	expect(await show.ended()).toBe(0);
	const task = Object(parseJson(show.out));
	expect(task).toMatchObject({ status: "pending", depends_on: [first] });
	const talk = await pipe(setup, ["chat", "--session", task.session_id], "say: through a pipe\n");
	expect(talk).toMatchObject({ code: 0, out: expect.stringContaining("[offline] through a pipe") });
	expect(talk.out).toContain("First asks: Allow run echo first?");
	const suspended = await pipe(setup, ["task", "show", first]);
	expect(suspended.out).toMatch(/^open questions\n.*First\nAllow run echo first\?/m);
});

test("an impossible request is reported with the value and advice", async ({ setup }) => {
	const none = await pipe(setup, ["task", "show", "task_none"]);
	expect(none.error).toBe(
		"parley: no task has an id that begins with task_none; `parley tasks --all` lists all tasks\n\n",
	);
	expect(none.code).toBe(1);
	expect((await pipe(setup, ["task", "show", "task_"])).error).toContain(
		"too short for an id: use at least 4 characters",
	);
	expect((await pipe(setup, ["task", "reply", "x", "--revise"])).error).toContain(
		"--revise requires feedback",
	);
	expect((await pipe(setup, ["task", "reply", "x"])).error).toContain("cannot ask without a terminal");
	const before = await pipe(setup, ["sessions", "--json"]);
	const unknown = await pipe(setup, ["task", "submit", "X", "--tool", "fly"]);
	expect(unknown).toMatchObject({ code: 2, error: expect.stringContaining("fly") });
	expect((await pipe(setup, ["sessions", "--json"])).out).toBe(before.out);
	const other = await pipe(setup, ["tasks", "--status", "gone"]);
	expect(other.error).toContain("Allowed choices are pending, running, suspended");
});
