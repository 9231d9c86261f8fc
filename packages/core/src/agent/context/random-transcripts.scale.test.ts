import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import type { AssistantMessage, Message, ResultBlock } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { isPrefix, placesIn, structuralFault } from "./testing/check-request.ts";
import { ToySession, tokenizers } from "./testing/toy-session.ts";
import { chance, chinese, code, prose } from "./testing/toy-text.ts";

const sessions = process.env["PARLEY_TEST_SCALE"] === undefined ? 6 : 48;
const steps = 40;
const named = Object.entries(tokenizers);

class Writer {
	readonly #toy: ToySession;
	readonly #random: () => number;
	/** Maximum words of a text. */
	readonly #max: number;
	#count = 0;

	constructor(toy: ToySession, random: () => number) {
		this.#toy = toy;
		this.#random = random;
		this.#max = toy.options.contextWindow / 12;
	}

	async next(): Promise<void> {
		const kind = this.#random();
		if (this.#count === 0 || kind < 0.25) return this.#toy.ask(this.#text());
		if (kind < 0.3) this.#toy.transcript.push({ ordinal: this.#toy.transcript.length + 1, messages: [] });
		if (kind < 0.4) return this.#toy.add({ role: "user", content: [{ type: "text", text: this.#text() }] });
		this.#toy.add(...this.#reply());
	}

	#reply(): Message[] {
		const content: AssistantMessage["content"][number][] = [];
		if (this.#random() < 0.4)
			content.push({ type: "thinking", text: this.#text(), signature: `${this.#count}` });
		if (this.#random() < 0.7) content.push({ type: "text", text: this.#text() });
		const results: ResultBlock[] = [];
		for (let call = Math.floor(this.#random() * 4); call > 0; call--) {
			const callId = `c${this.#count++}`;
			const name = this.#random() < 0.2 ? "ask_user" : "read_file";
			content.push({ type: "call", id: callId, name, arguments: { label: this.#text().slice(0, 100) } });
			results.push({ type: "result", callId, text: this.#text(), failed: this.#random() < 0.2 });
		}
		if (content.length === 0) content.push({ type: "text", text: this.#text() });
		const reply: Message = { role: "assistant", content };
		return results.length > 0 ? [reply, { role: "tool", content: results }] : [reply];
	}

	#text(): string {
		const words = Math.floor(this.#random() ** 3 * this.#max);
		const kinds = [prose(this.#random, words), code(this.#random, words / 8), chinese(this.#random, words)];
		return `${this.#count++} ${kinds[Math.floor(this.#random() * 3)]}`;
	}
}

/** Returns the next request, or undefined if it was refused because of its size. */
async function fitted(toy: ToySession): Promise<ModelRequest | undefined> {
	try {
		const { request, tokens, snapshot } = await toy.call(replyTokens);
		checkSnapshot(toy, { request, tokens, snapshot });
		return request;
	} catch (reason) {
		if (reason instanceof ParleyError && reason.code === "resource_exhausted") return undefined;
		throw reason;
	}
}

const replyTokens = 17;

function checkSnapshot(
	toy: ToySession,
	{ request, tokens, snapshot }: Awaited<ReturnType<ToySession["call"]>>,
): void {
	if (!snapshot) throw new Error("there is no snapshot");
	const { window, system, tools, history, run, total, remaining, reserved, messages } = snapshot;
	const sum = (source: string): number =>
		messages.filter((one) => one.source === source).reduce((all, one) => all + one.tokens, 0);
	expect(total).toBe(tokens + replyTokens);
	expect(system + tools + history + run).toBe(total);
	expect([sum("history"), sum("run")]).toEqual([history, run]);
	expect(window).toBe(toy.options.contextWindow);
	expect(remaining).toBe(window - total);
	for (const count of [
		system,
		tools,
		history,
		run,
		remaining,
		reserved,
		...messages.map((one) => one.tokens),
	])
		expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
	expect(reserved).toBeLessThanOrEqual(remaining);
	const earlier = toy.transcript.slice(0, -1).flatMap((one) => one.messages).length;
	const sources = request.messages.map((message, index) => {
		const [place] = placesIn({ ...request, messages: [message] }, toy.transcript);
		// The transcript contains neither summaries nor replies without their thinking.
		if (place === undefined) return messages[index]?.source;
		return place >= earlier ? "run" : "history";
	});
	expect(messages.map(({ source }) => source)).toEqual([...sources, "run"]);
	expect(messages.map(({ source }) => source)).toEqual(messages.map(({ source }) => source).toSorted());
	expect(messages.map(({ role }) => role)).toEqual([
		...request.messages.map(({ role }) => role),
		"assistant",
	]);
}

/** Checks that each block of thinking in `request` is unchanged. Blocks may be absent. */
function checkThinking(toy: ToySession, request: ModelRequest): void {
	const sealed = (messages: readonly Message[]): string[] =>
		messages.flatMap(({ content }) =>
			content.flatMap((block) => (block.type === "thinking" ? [JSON.stringify(block)] : [])),
		);
	const all = new Set(sealed(toy.transcript.flatMap(({ messages }) => messages)));
	for (const block of sealed(request.messages)) expect(all.has(block)).toBe(true);
}

test.each(Array.from({ length: sessions }, (_, seed) => seed))(
	"for random transcripts, requests fit, are complete and ordered, and do not change (seed %i)",
	async (seed) => {
		const random = chance(seed);
		const [, tokenizer] = named[seed % named.length] ?? ["", tokenizers.words];
		const contextWindow = 2_000 + Math.floor(random() * 10_000);
		const maxOutput = 200 + Math.floor(random() * 3_000);
		const write = async (): Promise<string> => prose(random, 600);
		await using toy = await ToySession.open({ contextWindow, maxOutput, tokenizer, write });
		const writer = new Writer(toy, random);
		const limit = contextWindow - Math.min(maxOutput, Math.floor(contextWindow / 3));
		let before: { request: ModelRequest; compactions: number } | undefined;
		let refused = 0;
		for (let step = 0; step < steps; step++) {
			await writer.next();
			if (random() < 0.1) toy.restart();
			const request = await fitted(toy);
			if (!request) {
				refused += 1;
				continue;
			}
			expect(toy.count(request)).toBeLessThanOrEqual(limit);
			expect(structuralFault(request)).toBeUndefined();
			const places = placesIn(request, toy.transcript);
			expect(places).toEqual([...new Set(places)].toSorted((one, other) => one - other));
			expect(places.at(-1)).toBe(toy.transcript.flatMap(({ messages }) => messages).length - 1);
			checkThinking(toy, request);
			const compactions = (await toy.compactions()).length;
			if (before?.compactions === compactions) expect(isPrefix(before.request, request)).toBe(true);
			before = { request, compactions };
			toy.restart();
			expect(JSON.stringify((await toy.fit()).messages)).toBe(JSON.stringify(request.messages));
		}
		expect(refused).toBeLessThan(steps / 4);
	},
);
