import type { Control, StepList } from "@parley/connector";
import { expect, test } from "vitest";
import { draftOf, plainDrafts, smallLine } from "./drafts.ts";

const broken: Control = { type: "button", id: "x".repeat(300), label: "Stop", style: "danger" };
const link: Control = { type: "link", url: "https://a.example", label: "Open" };

test("a post always has visible text", () => {
	expect(draftOf({ body: "" }).message.text).toBe("…");
	expect(draftOf({ body: "\u2060\n", instead: "a*b.png" }).message.text).toContain("b.png");
	expect(draftOf({ body: "", controls: [[link]] }).message.blocks).toHaveLength(2);
});

test("controls that Slack refuses are omitted, and their targets are named", () => {
	const { message, omitted } = draftOf({ body: "a", controls: [[broken, link]] });
	expect(message).toEqual({
		blocks: [{ type: "markdown", text: "a\n\nOpen: <https://a.example>" }],
		text: "a\n\nOpen: <https://a.example|https://a.example>",
	});
	expect(omitted).toHaveLength(1);
});

test("a text that is too long becomes its beginning with a complete file, and keeps its controls", () => {
	const body = `${"word ".repeat(4000)}end`;
	const { message, file, omitted } = draftOf({ body, controls: [[link]] });
	expect(message.text.length).toBeLessThan(2600);
	expect(message.blocks.at(-1)?.type).toBe("actions");
	expect(file).toEqual({ name: "answer.md", content: body });
	expect(omitted).toHaveLength(1);
});

const list: StepList = {
	title: "Steps ▰▱ 1 of 2",
	steps: [
		{ title: "Look at *all* files", status: "completed" },
		{ title: "Change them", status: "in_progress" },
		{ title: "Ask", status: "skipped" },
		{ title: "Report", status: "pending" },
	],
};

test("a list of steps is a plan, with its text for notifications and for a Slack that refuses plans", () => {
	const { message, omitted } = draftOf({ body: "**Steps**\nLook", list, controls: [[link]] });
	expect(omitted).toEqual([]);
	expect(message.text).toBe("*Steps*\nLook");
	expect(message.blocks).toMatchObject([
		{
			type: "plan",
			title: "Steps ▰▱ 1 of 2",
			tasks: [
				{ type: "task_card", task_id: "step-1", title: "Look at *all* files", status: "complete" },
				{ type: "task_card", task_id: "step-2", title: "Change them", status: "in_progress" },
				{ type: "task_card", task_id: "step-3", title: "Ask (skipped)", status: "complete" },
				{ type: "task_card", task_id: "step-4", title: "Report", status: "pending" },
			],
		},
		{ type: "actions" },
	]);
	expect(plainDrafts({ body: "**Steps**\nLook", list })).toMatchObject([{ blocks: [{ type: "section" }] }]);
});

test("a list that is too long for blocks is shown as its text", () => {
	const steps = Array.from({ length: 200 }, () => ({ title: "x".repeat(120), status: "pending" as const }));
	const { message } = draftOf({ body: "**Steps**", list: { title: "Steps", steps } });
	expect(message.blocks).toMatchObject([{ type: "markdown", text: "**Steps**" }]);
});

test("the simplest blocks have the same content, with the controls and then without", () => {
	const drafts = plainDrafts({ body: `**a**${smallLine("b")}`, controls: [[link]] });
	expect(drafts.map(({ text }) => text)).toEqual(["*a*\n\nb", "*a*\n\nb"]);
	const types = drafts.map(({ blocks }) => blocks.map(({ type }) => type));
	expect(types).toEqual([["section", "actions"], ["section"]]);
	expect(plainDrafts({ body: "" })).toEqual([]);
	expect(plainDrafts({ body: "long", plain: "short" }).map(({ text }) => text)).toEqual(["short"]);
});
