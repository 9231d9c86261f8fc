import { expect, test } from "vitest";
import { buttons, pausedSimulator, section } from "../web-api/direct-client.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const button = (more: object) => ({
	type: "actions",
	elements: [{ type: "button", text: plain("Go"), action_id: "a", ...more }],
});
const options = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ text: plain(`o${index}`), value: `v${index}` }));
const choice = (more: object) => ({
	...{ type: "actions", elements: [{ type: "static_select", action_id: "s", options: options(2), ...more }] },
});
const table = (rows: number, columns: number) => ({
	type: "table",
	rows: Array.from({ length: rows }, () =>
		Array.from({ length: columns }, () => ({ type: "raw_text", text: "x" })),
	),
});

const right: readonly (readonly [string, readonly object[]])[] = [
	["a section of 3000", [section("x".repeat(3000))]],
	["a button with a link", [button({ url: "https://a.example", style: "danger", value: "v" })]],
	["25 buttons", [buttons(...Array.from({ length: 25 }, (_, index) => `b${index}`))]],
	["100 options", [choice({ options: options(100), placeholder: plain("Which?") })]],
	["markdown of 12000", [{ type: "markdown", text: "x".repeat(12_000) }]],
	["50 blocks", Array.from({ length: 50 }, () => ({ type: "divider" }))],
	["a table", [table(100, 20)]],
	["small print", [{ type: "context", elements: [{ type: "mrkdwn", text: "x" }] }]],
	["a header of 150", [{ type: "header", text: plain("x".repeat(150)) }]],
];

const wrong: readonly (readonly [string, readonly object[]])[] = [
	["a section of 3001", [section("x".repeat(3001))]],
	["an empty section", [section("")]],
	["a section of nothing", [{ type: "section" }]],
	["an unknown block", [{ type: "sections", text: plain("x") }]],
	["an unknown key", [{ ...section("x"), colour: "red" }]],
	["a label of 76", [button({ text: plain("x".repeat(76)) })]],
	["a value of 2001", [button({ value: "x".repeat(2001) })]],
	["a link of 3001", [button({ url: `https://${"x".repeat(2993)}` })]],
	["an id of 256", [button({ action_id: "x".repeat(256) })]],
	["a label in mrkdwn", [button({ text: { type: "mrkdwn", text: "x" } })]],
	["an unknown style", [button({ style: "blue" })]],
	["26 buttons", [buttons(...Array.from({ length: 26 }, (_, index) => `b${index}`))]],
	["no buttons", [buttons()]],
	["the same id twice", [button({}), button({})]],
	[
		"the same block id twice",
		[
			{ type: "divider", block_id: "d" },
			{ type: "divider", block_id: "d" },
		],
	],
	["101 options", [choice({ options: options(101) })]],
	["no options", [choice({ options: [] })]],
	["an option of 76", [choice({ options: [{ text: plain("x".repeat(76)), value: "v" }] })]],
	["a value of 151", [choice({ options: [{ text: plain("x"), value: "x".repeat(151) }] })]],
	["a placeholder of 151", [choice({ placeholder: plain("x".repeat(151)) })]],
	["a choice that is not offered", [choice({ initial_option: { text: plain("z"), value: "z" } })]],
	["markdown of 12001 in all", [8000, 4001].map((size) => ({ type: "markdown", text: "x".repeat(size) }))],
	["51 blocks", Array.from({ length: 51 }, () => ({ type: "divider" }))],
	["101 rows", [table(101, 1)]],
	["21 columns", [table(1, 21)]],
	["11 in small print", [{ type: "context", elements: Array.from({ length: 11 }, () => plain("x")) }]],
	["a header of 151", [{ type: "header", text: plain("x".repeat(151)) }]],
	["an image without words", [{ type: "image", image_url: "https://a.example/b.png" }]],
];

test.each(right)("%s can be posted", (_, blocks) => {
	const { simulator, app, general } = pausedSimulator();
	app.posts(general, { text: "x", blocks });
	expect(simulator.violations).toEqual([]);
});

test.each(wrong)("%s cannot be posted", (_, blocks) => {
	const { simulator, app, general } = pausedSimulator();
	const { body } = app.call("chat.postMessage", { channel: general.id, text: "x", blocks });
	expect(body).toMatchObject({ ok: false, error: "invalid_blocks", errors: expect.any(Array) });
	expect(simulator.drainViolations().length).toBeGreaterThan(0);
});

test("blocks are shown instead of the text, as people read them", () => {
	const { app, general } = pausedSimulator();
	const cell = (text: string) => ({ type: "raw_text", text });
	app.posts(general, {
		text: "fallback",
		blocks: [
			...[
				{ type: "header", text: plain("Head") },
				{ type: "markdown", text: "**bold**" },
				{ type: "divider" },
			],
			{ type: "section", text: plain("left"), fields: [plain("a"), plain("b")] },
			{
				type: "table",
				rows: [
					[cell("x"), cell("y")],
					[cell("1"), cell("2")],
				],
			},
			{ type: "context", elements: [plain("small"), { type: "mrkdwn", text: "&amp; print" }] },
		],
	});
	expect(general.last().text).toBe("Head\n**bold**\n---\nleft\na\nb\n| x | y |\n| 1 | 2 |\nsmall & print");
	expect(general.last().content).toBe("fallback");
});
