import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { fitPosts, parseText } from "@parley/connector";
import { createSlackPlatform, type SlackAnswer, type SlackCall } from "@parley/slack";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { blockLimits, faultsOfBlocks, textLength } from "../simulators/slack/blocks/block-limits.ts";
import { Contract } from "../simulators/slack/web-api/contract.ts";

const pieces = [
	...[
		"word ",
		"**bold** ",
		"_it_ ",
		"~~no~~ ",
		"`code` ",
		"[link](https://a.example/?b=1&c=2) ",
		"名前 ",
		"😀",
		"<!channel> ",
	],
	...[
		"<@U1> ",
		":smile: ",
		"https://a.example/x_y ",
		"a@b.example ",
		"\n",
		"\n\n",
		"\n\n# Heading\n\n",
		"\n- item\n",
		"\n1. one\n",
	],
	...[
		"\n> quote\n",
		"\n\n```ts\nconst a = 1;\n```\n\n",
		"\n\n---\n\n",
		"\n\n| a | b |\n|-|-|\n| c | **d** |\n| `e` | f |\n\n",
	],
	...[
		`\n\n|${" h |".repeat(25)}\n|${"-|".repeat(25)}\n|${" x |".repeat(25)}\n\n`,
		"long ".repeat(300),
		"&lt;",
		"*",
		"`",
		"|",
	],
];

function open() {
	const calls: SlackCall[] = [];
	const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
		"files.getUploadURLExternal": { upload_url: "https://files.slack.com/upload", file_id: "F1" },
		"chat.postMessage": { channel: "C1", ts: "1700000000.000100" },
	};
	const ok = (body: Readonly<Record<string, unknown>> = {}): SlackAnswer => ({ type: "ok", body });
	const clock = new ManualClock();
	const platform = createSlackPlatform({
		...{
			clock,
			log: new MemoryLogger(),
			cards: async () => undefined,
			readFile: async () => new Uint8Array(),
		},
		self: { team: "T1", user: "U0", bot: "B0", name: "parley", url: "https://acme.slack.com/" },
		port: {
			async call(call) {
				calls.push(call);
				return ok(answers[call.method]);
			},
			respond: async () => ok(),
			upload: async () => ok(),
			download: async () => new Uint8Array(),
			connect: async () => undefined,
			close: async () => undefined,
		},
	});
	return { calls, clock, platform };
}

test("posts of any Markdown match Slack's types and limits", async () => {
	const seed = testSeed();
	const random = new Random(seed);
	const contract = Contract.load();
	for (let round = 0; round < 40 * testScale(4, 10); round++) {
		const { calls, clock, platform } = open();
		const count = 1 + Math.floor(random.next() * 120);
		const markdown = Array.from(
			{ length: count },
			() => pieces[Math.floor(random.next() * pieces.length)],
		).join("");
		const { dialect, limits } = platform;
		const { posts } = fitPosts(parseText(markdown), {
			dialect,
			limit: limits.post,
			maxPosts: limits.postsPerAnswer,
		});
		for (const [index, post] of posts.entries()) {
			const controls = [[{ type: "button", id: `b${index}`, label: "Stop", style: "danger" }]];
			const body = `${post}\n${dialect.small?.("1 s")}`;
			const row = { id: `s/${index}`, nonce: "n".repeat(24), conversation: "T1/C1", lane: "final" } as const;
			await platform.surface.send({
				...row,
				at: clock.now(),
				attempt: 1,
				payload: { type: "post", body, controls },
			});
			clock.advance(60_000);
		}
		for (const { method, args } of calls) {
			if (method !== "chat.postMessage") continue;
			expect(contract.faults(method, args), `seed ${seed}`).toEqual([]);
			const blocks = Array.isArray(args["blocks"]) ? args["blocks"] : [];
			expect(faultsOfBlocks(blocks, blockLimits.blocksOfMessage), `seed ${seed}`).toEqual([]);
			expect(textLength(blocks)).toBeLessThanOrEqual(blockLimits.allText);
			expect(args["text"]).toMatch(/\S/);
		}
		expect(calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(posts.length);
	}
});
