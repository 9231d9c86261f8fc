import { setImmediate } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { emptyEditor } from "../terminal/editor.ts";
import { event } from "../testing/events.ts";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { askQuestion } from "../testing/questions.ts";
import { someTask } from "../testing/tasks.ts";
import { createStyles } from "../text/styles.ts";
import { Chat } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { liveView } from "./live-view.ts";

const format = { columns: 80, styles: createStyles(false) };
const created = { task_id: "task_1", title: "Refactor", description: "", parent_id: "" };
const question = askQuestion({
	type: "confirm",
	label: "Allow ls?",
	context: { call_id: "call", task_id: "task_1" },
});

test("names the task of a question, and does not make the session busy", () => {
	const conversation = new Conversation();
	const rows = [event("task.created", created), event("prompt.request", question)].flatMap((one) =>
		conversation.apply(one, format),
	);
	expect(rows).toEqual(["▸ task_1 Refactor", "task_1 Refactor asks:", "Allow ls?"]);
	expect(conversation).toMatchObject({ active: false, idle: true });
});

test("shows running tasks above the typed line", () => {
	const conversation = new Conversation();
	conversation.tasks.know([someTask({ status: "running" })]);
	const state = {
		conversation,
		message: emptyEditor(),
		answer: undefined,
		notice: "",
		now: 0,
		status: undefined,
	};
	expect(liveView(state, format, 24).rows).toEqual(["", "Refactor  ░░░░░░░░░░   0%", "› "]);
});

test("prints questions of tasks without asking them if input is a pipe", async () => {
	const client = new FakeClient();
	const session = new FakeSession("sess_1", "resumed", 0);
	const rows: string[] = [];
	const show = (shown: readonly string[]): void => void rows.push(...shown);
	const options = {
		client,
		session,
		clock: new ManualClock(),
		format: () => format,
		show,
		asksForTasks: false,
		offersRules: true,
		shellLines: "run" as const,
		text: "plain" as const,
	};
	const chat = new Chat({ ...options, openNew: async () => session, openExisting: async () => session });
	const over = chat.read();
	client.last("load_messages").answer([]);
	await setImmediate();
	client.last("query_tasks").answer({ tasks: [someTask({ id: "task_1", status: "suspended" })] });
	session.happens("prompt.request", question);
	await setImmediate();
	expect(rows).toEqual([
		"? task_1 Refactor · waits for you",
		"  answer with `parley task reply task_1`",
		"task_1 Refactor asks: Allow ls?; to answer at a terminal: parley chat --session",
		"sess_1",
	]);
	expect(chat.conversation.question).toBeUndefined();
	chat.leave();
	await over;
});
