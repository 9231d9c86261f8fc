import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelInfo } from "@parley/core";
import { expect, test } from "vitest";
import { Random, testScale } from "../random.ts";
import type { ReceivedRequest } from "../simulators/anthropic/received-request.ts";
import { type ReplyBlock, type StreamedReply, says, thinks, uses } from "../simulators/anthropic/reply.ts";
import { wordsAndSigns } from "../simulators/anthropic/tokenizer.ts";
import { Talk } from "./talk.ts";
import { code, mixed, prose } from "./texts.ts";
import { bytePairs, sixths } from "./tokenizers.ts";
import { unkeyed } from "./unkeyed.ts";

const contextWindow = 20_000;

const small: ModelInfo = {
	...{ id: "small-1", provider: "anthropic", contextWindow, maxOutput: 4_000 },
	...{ reasoning: "adaptive", sampling: true, images: false },
};

const firstRequest =
	'Build the kettle as its plan says.\nCondition 1: never touch the file LICENSE.\nCondition 2: "quiet" means 30 dB.';

function isConversation({ body }: ReceivedRequest): boolean {
	// Requests for a summary have no tools.
	return (body.tools?.length ?? 0) > 0;
}

function replyTo(random: Random, request: ReceivedRequest): StreamedReply {
	if (!isConversation(request)) return says(`They worked on it. ${prose(random, 200)}`);
	const content = request.body.messages.at(-1)?.content ?? [];
	// A note about earlier messages may precede the message.
	const text = JSON.stringify(typeof content === "string" ? content : content.at(-1));
	if (text.includes("Overwrite it"))
		return uses(`toolu_${random.below(1e12)}`, "write_file", { path: "LICENSE", content: "mine" });
	if (text.includes("Which colour"))
		return uses(`toolu_${random.below(1e12)}`, "ask_user", { type: "text", label: "Which colour has it?" });
	const thought: ReplyBlock[] = random.chance(0.5) ? [thinks(prose(random, 50))] : [];
	const rest = random.chance(0.4) && !text.includes("tool_result") ? calls(random) : [];
	return { content: [...thought, { type: "text", text: mixed(random, 30) }, ...rest] };
}

function calls(random: Random): ReplyBlock[] {
	return Array.from({ length: random.between(1, 3) }, () => ({
		...{ type: "tool_use", id: `toolu_${random.below(1e12)}`, name: "read_file" },
		input: { path: random.pick(["a.txt", "b.txt", "none.txt"]) },
	}));
}

interface Fitting {
	readonly estimated: number;
	readonly counted: number;
}

async function talkFor(turns: number, talk: Talk): Promise<Fitting[]> {
	const random = new Random(3);
	const fittings: Fitting[] = [];
	let compactions = 0;
	talk.fake.otherwise((request) => {
		const all = talk.log.all("context.compacted");
		const last = all.at(-1);
		if (isConversation(request) && last && all.length > compactions)
			fittings.push({ estimated: last.tokensAfter, counted: request.promptTokens });
		if (isConversation(request)) compactions = all.length;
		return replyTo(random, request);
	});
	await writeFile(join(talk.directory, "work", "a.txt"), mixed(random, 900));
	await writeFile(join(talk.directory, "work", "b.txt"), code(random, 150));
	await talk.say(firstRequest);
	for (let turn = 2; turn <= turns; turn++) {
		if (turn === 200) await talk.restart();
		if (turn === 4) await refuse(talk, "Overwrite it: LICENSE", "the licence stays");
		else if (turn === 5) await refuse(talk, "Which colour has it? Ask.", "");
		else await talk.say(`Request ${turn}: ${mixed(random, random.between(5, 120))}`);
	}
	return fittings;
}

async function refuse(talk: Talk, text: string, reason: string): Promise<void> {
	const questions = talk.log.all("prompt.requested").length;
	await talk.begin(text);
	const { prompt } = await talk.log.the("prompt.requested", questions + 1);
	await talk.runtime.runtime.answer(unkeyed(), prompt.token, { cancelled: true, reason });
	await talk.answered();
}

/** Cases of the test. At the smallest scale, only the first case runs. */
const cases = [
	{ name: "with the count of the provider", counting: undefined, tokenizer: wordsAndSigns },
	{ name: "without a count of the provider", counting: { status: 404 }, tokenizer: wordsAndSigns },
	{ name: "without a count of the provider, many tokens", counting: { status: 404 }, tokenizer: bytePairs },
	{ name: "without a count of the provider, few tokens", counting: { status: 404 }, tokenizer: sixths },
] as const;

test.for(cases.slice(0, testScale(cases.length)))(
	"400 turns never exceed a window of 20,000, and important facts remain: $name",
	async ({ counting, tokenizer }) => {
		await using talk = await Talk.open({
			...{ info: small, tokenizer, contextWindow, systemTemplate: "You help." },
			...(counting && { counting }),
		});
		const fittings = await talkFor(400, talk);
		const conversation = talk.fake.requests.filter(isConversation);
		expect(conversation.length).toBeGreaterThan(400);
		for (const { promptTokens, body } of talk.fake.requests)
			expect(promptTokens + body.max_tokens).toBeLessThanOrEqual(contextWindow);
		expect(Math.max(...conversation.map(({ promptTokens }) => promptTokens))).toBeGreaterThan(
			contextWindow / 2,
		);
		for (const { body } of conversation) {
			const words = JSON.stringify(body.messages);
			expect(words).toContain(JSON.stringify(firstRequest).slice(1, -1));
		}
		const end = JSON.stringify(conversation.at(-1)?.body.messages);
		expect(end).toContain("LICENSE");
		expect(end).toContain("the licence stays");
		expect(end).toContain("Which colour has it?");
		expect(talk.log.all("context.compacted").length).toBeGreaterThan(3);
		const levels = new Set(talk.log.all("context.compacted").map(({ level }) => level));
		expect(levels).toContain("tool_results");
		expect(levels).toContain("summary");
		expect(fittings.length).toBeGreaterThan(3);
		const errors = fittings.map(({ estimated, counted }) => Math.abs(estimated - counted) / counted);
		expect(Math.max(...errors)).toBeLessThanOrEqual(0.1);
		talk.log.check();
	},
);
