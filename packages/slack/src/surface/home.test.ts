import { expect, test } from "vitest";
import { homeBlocks } from "./home.ts";

const button = { type: "button", id: "b", label: "Stop", style: "danger" } as const;
const home = (sections: Parameters<typeof homeBlocks>[0]["sections"]) =>
	homeBlocks({ type: "home", person: "U1", room: "D1", sections });

test("a home page has a section for each text, with its buttons, and lines between them", () => {
	expect(
		home([
			{ body: "**One**", controls: [] },
			{ body: "two & <!here>", controls: [[button]] },
		]),
	).toMatchObject([
		{ type: "section", text: { type: "mrkdwn", text: "*One*" } },
		{ type: "divider" },
		{ type: "section", text: { text: expect.not.stringContaining("<!here>") } },
		{ type: "actions", elements: [{ action_id: "b" }] },
	]);
});

test("a home page fits the limits of Slack", () => {
	const many = home(Array.from({ length: 80 }, () => ({ body: "&".repeat(2500), controls: [[button]] })));
	expect(many).toHaveLength(100);
	for (const block of many)
		if (block.type === "section") expect(block.text?.text.length).toBeLessThanOrEqual(3000);
});
