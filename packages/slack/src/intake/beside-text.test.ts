import { expect, test } from "vitest";
import { completeText, sharedFiles } from "./beside-text.ts";

/** Attachment of a forwarded message, as Slack sends it. */
const forward = {
	is_msg_unfurl: true,
	is_share: true,
	from_url: "https://acme.slack.com/archives/C2/p1767225600000100",
	ts: "1767225600.000100",
	author_id: "UADA",
	author_name: "Ada",
	channel_id: "C2",
	mrkdwn_in: ["text"],
	fallback: "[January 1st] Ada: The *disk*\nis full",
	text: "The *disk*\nis full",
	footer: "Slack Conversation",
};
const preview = { from_url: "https://a.b", original_url: "https://a.b", title: "A page", text: "All of it" };
const richText = (...elements: object[]) => ({
	type: "rich_text",
	elements: [{ type: "rich_text_section", elements }],
});

test("a forwarded message is quoted below the text", () => {
	const quoted = "> Ada:\n> The *disk*\n> is full";
	expect(completeText({ text: "", attachments: [forward] })).toBe(quoted);
	expect(completeText({ text: "What is this?", attachments: [forward] })).toBe(`What is this?\n\n${quoted}`);
	const { text: _, ...blocksAlone } = forward;
	const message = {
		blocks: [richText({ type: "text", text: "The <disk>" }, { type: "user", user_id: "UBOB" })],
	};
	const inBlocks = { ...blocksAlone, message_blocks: [{ team: "T1", channel: "C2", ts: "1.1", message }] };
	expect(completeText({ text: "", attachments: [inBlocks] })).toBe("> Ada:\n> The &lt;disk&gt;<@UBOB>");
	expect(completeText({ text: "", attachments: [blocksAlone] })).toBe(
		"> Ada:\n> [January 1st] Ada: The *disk*\n> is full",
	);
});

test("the preview of a link is not part of the text, even for a link to a message", () => {
	const { is_share: _, ...linked } = forward;
	const shown = [preview, linked, { app_unfurl_url: "https://a.b", is_app_unfurl: true, text: "A page" }];
	expect(completeText({ text: "see https://a.b", attachments: shown })).toBe("see https://a.b");
});

test("an alert of another app has its complete text", () => {
	const alert = {
		color: "danger",
		fallback: "web-1 is down",
		pretext: "New alert",
		author_name: "Monitor",
		title: "web-1",
		title_link: "https://mon.example/1",
		text: "It does not answer.",
		fields: [{ title: "Since", value: "12:00", short: true }, { value: "twice" }, "nonsense"],
	};
	const sentMessages = [
		..."> Monitor: <https://mon.example/1|web-1>|> New alert|> It does not answer.|> Since: 12:00|> twice".split(
			/\|(?=>)/,
		),
	];
	expect(completeText({ text: "", attachments: [alert] }).split("\n")).toEqual(sentMessages);
	expect(completeText({ text: "", attachments: [{ fallback: "web-1 is down" }] })).toBe("> web-1 is down");
	const inBlocks = {
		fallback: "[no preview available]",
		blocks: [{ type: "section", text: { type: "mrkdwn", text: "down" } }],
	};
	expect(completeText({ text: "", attachments: [inBlocks] })).toBe("> down");
	expect(completeText({ text: "", attachments: [{ fallback: "[no preview available]" }, {}] })).toBe("");
});

test("without a text, the blocks are read", () => {
	const blocks = [
		{ type: "header", text: { type: "plain_text", text: "Deployed" } },
		{
			type: "section",
			text: { type: "mrkdwn", text: "*web* by <@UADA>" },
			fields: [
				{ type: "mrkdwn", text: "one" },
				{ type: "plain_text", text: "two" },
			],
			accessory: { type: "button", text: { type: "plain_text", text: "Open" } },
		},
		{ type: "divider" },
		{ type: "image", alt_text: "a curve", image_url: "https://a.b/c.png" },
		{ type: "context", elements: [{ type: "mrkdwn", text: "at noon" }] },
		{ type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Roll back" } }] },
		{ type: "markdown", text: "**all** of it" },
		{ type: "table", rows: [[{ type: "raw_text", text: "a" }, richText({ type: "text", text: "b" })]] },
		{
			type: "rich_text",
			elements: [
				{
					type: "rich_text_list",
					style: "bullet",
					elements: ["x", "y"].map((text) => ({
						type: "rich_text_section",
						elements: [{ type: "text", text }],
					})),
				},
				{
					type: "rich_text_section",
					elements: [
						...[
							{ type: "text", text: "see " },
							{ type: "link", url: "https://a.b", text: "it" },
						],
						...[
							{ type: "emoji", name: "tada" },
							{ type: "channel", channel_id: "C1" },
						],
						...[
							{ type: "broadcast", range: "here" },
							{ type: "usergroup", usergroup_id: "S1" },
						],
					],
				},
			],
		},
		...[null, "text", { type: 5 }],
	];
	expect(completeText({ text: "", blocks }).split("\n")).toEqual([
		...["Deployed", "*web* by <@UADA>", "one", "two", "a curve", "at noon", "**all** of it", "a | b"],
		...["x", "y", "see <https://a.b|it>:tada:<#C1><!here><!subteam^S1>"],
	]);
	expect(completeText({ text: "hello", blocks })).toBe("hello");
});

test("attachments are read up to a limit, of any size and depth", () => {
	const long = { text: "x".repeat(50_000) };
	const sentMessages = completeText({ text: "hello", attachments: Array.from({ length: 100 }, () => long) });
	expect(sentMessages.length).toBeLessThan(21_000);
	expect(sentMessages).toMatch(/^hello\n\n> x+…/);
	let deep: object = { type: "text", text: "deep" };
	for (let level = 0; level < 5000; level++) deep = { type: "rich_text_section", elements: [deep] };
	expect(completeText({ text: "", blocks: [deep] })).toBe("");
	let inTexts: object = { type: "mrkdwn", text: "deep" };
	for (let level = 0; level < 50_000; level++) inTexts = { type: "section", text: inTexts };
	expect(completeText({ text: "", blocks: [inTexts] })).toBe("");
	expect(completeText({ text: "", attachments: [null, 5, { text: 5, fields: 5, blocks: 5 }] })).toBe("");
});

test("files of forwarded messages are included, those of a preview are not", () => {
	const [one, two, three] = [{ id: "F1" }, { id: "F2" }, { id: "F3" }];
	const attachments = [
		{ ...forward, files: [two] },
		{ ...preview, files: [three] },
		{ ...forward, files: 5 },
	];
	expect(sharedFiles({ files: [one], attachments })).toEqual([one, two]);
	expect(sharedFiles({})).toEqual([]);
});
