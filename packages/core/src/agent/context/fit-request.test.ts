import { ParleyError, StoreError } from "@parley/base";
import { expect, test } from "vitest";
import type { Message } from "../../vocabulary/message.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { isPrefix, structuralFault, wordsOf } from "./testing/check-request.ts";
import { type ToyOptions, ToySession } from "./testing/toy-session.ts";
import { chance, prose } from "./testing/toy-text.ts";

const random = chance(5);
const small: ToyOptions = { contextWindow: 3_000, maxOutput: 500 };

async function reads(toy: ToySession, id: string, words: number): Promise<void> {
	await toy.ask(`Read ${id}.`);
	const call = { id, name: "read_file", arguments: { path: `${id}.txt` } };
	toy.calls({ ...call, text: `${id} ${prose(random, words)}`, failed: false });
	toy.says(`I have read ${id}.`);
}

async function talks(toy: ToySession, question: string, words: number): Promise<void> {
	await toy.ask(question);
	toy.says(prose(random, words));
}

const resultsIn = (messages: readonly Message[]): string[] =>
	messages.flatMap((message) => (message.role === "tool" ? message.content.map(({ text }) => text) : []));

test("a request far below the window is the unchanged transcript, without a count or a record", async () => {
	let summaries = 0;
	const countTokens = async (): Promise<number> => ++summaries;
	await using toy = await ToySession.open({ ...small, countTokens });
	await reads(toy, "a", 200);
	await toy.ask("And now?");
	const request = await toy.fit({ sampling: { temperature: 0.5 } });
	expect(request).toEqual({
		model: "toy",
		system: "You help.",
		tools: [],
		sampling: { temperature: 0.5 },
		messages: toy.transcript.flatMap(({ messages }) => messages),
	});
	expect(request.messages[1]).toBe(toy.transcript[0]?.messages[1]);
	expect({ summaries, written: toy.written, compactions: await toy.compactions() }).toEqual({
		summaries: 0,
		written: [],
		compactions: [],
	});
});

test("in a small window the reply gets a third, and the request has that limit", async () => {
	await using toy = await ToySession.open({ contextWindow: 3_000, maxOutput: 8_000 });
	await toy.ask("Hello.");
	const sampling = { topK: 3 };
	expect((await toy.fit({ sampling })).sampling).toEqual({ topK: 3, maxTokens: 1_000 });
	expect((await toy.fit({ sampling: { maxTokens: 900 } })).sampling).toEqual({ maxTokens: 900 });
});

test("results of older groups are replaced by one line first, which describes them and how to read them again", async () => {
	await using toy = await ToySession.open(small);
	for (const id of ["a", "b", "c", "d"]) await reads(toy, id, 450);
	await toy.call();
	await reads(toy, "e", 450);
	await toy.ask("And now?");
	const { request } = await toy.call();
	expect(structuralFault(request)).toBeUndefined();
	const [first, ...others] = resultsIn(request.messages);
	expect(first).toMatch(/^\[cleared to save space: \d+ characters from read_file \{"path":"a.txt"\}; if you/);
	expect(first).not.toContain("\n");
	expect(others.at(-1)).toMatch(/^e [a-z]/);
	expect(request.messages).toHaveLength(21);
	expect((await toy.compactions()).map(({ level }) => level)).toEqual(["tool_results"]);
	expect(toy.written).toEqual([]);
});

test("short results and answers of people are never cleared", async () => {
	await using toy = await ToySession.open(small);
	await toy.ask("Begin.");
	const answer = `Use blue. ${prose(random, 150)}`;
	toy.calls(
		{ id: "q", name: "ask_user", arguments: { label: "Colour?" }, text: answer, failed: false },
		{ id: "s", name: "run_command", arguments: { command: "true" }, text: "exit code 0", failed: false },
		{ id: "f", name: "run_command", arguments: {}, text: `fault 7 ${prose(random, 400)}`, failed: true },
	);
	toy.says("Good.");
	for (const id of ["b", "c", "d", "e"]) await reads(toy, id, 420);
	await toy.ask("And now?");
	const { request } = await toy.call();
	const [full, short, failed] = resultsIn(request.messages);
	expect([full, short]).toEqual([answer, "exit code 0"]);
	expect(failed).toMatch(/^\[cleared .* an error that began "fault 7 /);
});

test("older thinking is removed next, and thinking of newer groups keeps its signature", async () => {
	await using toy = await ToySession.open(small);
	const thinks = (at: number): Message => ({
		role: "assistant",
		content: [
			{ type: "thinking", text: prose(random, 520), signature: `seal ${at}` },
			{ type: "text", text: `Reply ${at}.` },
		],
	});
	for (let at = 0; at < 5; at++) {
		await toy.ask(`Question ${at}?`);
		toy.add(thinks(at));
		await toy.call();
	}
	await toy.ask("And now?");
	const { request } = await toy.call();
	expect((await toy.compactions()).map(({ level }) => level)).toEqual(["thinking"]);
	expect(request.messages[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "Reply 0." }] });
	const last = toy.transcript[4]?.messages[1];
	expect(last).toBeDefined();
	expect(request.messages.at(-2)).toBe(last);
});

test("finally a summary replaces all groups except the newest", async () => {
	await using toy = await ToySession.open({ ...small, write: async () => "They talked about birds." });
	await talks(toy, "First of all: be kind.", 700);
	await talks(toy, "Second.", 900);
	await talks(toy, "Third.", 200);
	await toy.ask("And now?");
	const { request, tokens } = await toy.call();
	expect(structuralFault(request)).toBeUndefined();
	expect(tokens).toBeLessThanOrEqual(2_500);
	const [note, ...rest] = request.messages;
	expect(wordsOf({ ...request, messages: note ? [note] : [] })).toBe(
		"[This note replaces the earlier part of the conversation, to save space.]\n\n" +
			"The first request, word for word:\n<<<\nFirst of all: be kind.\n>>>\n\n" +
			"Summary of the conversation so far:\nThey talked about birds.",
	);
	expect(rest).toEqual(toy.transcript.slice(2).flatMap(({ messages }) => messages));
	const [written] = toy.written;
	expect(written).toMatchObject({ reasoning: "off", sampling: { maxTokens: expect.any(Number) } });
	expect(toy.count({ model: "toy", system: "", tools: [], messages: [], ...written })).toBeLessThan(3_000);
	expect(JSON.stringify(written)).toContain("PERSON: First of all: be kind.");
});

test("a summary of a summary keeps the first request, and includes the earlier summary", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, "First of all: be kind.", 300);
	for (let at = 0; at < 40; at++) {
		await talks(toy, `Question ${at}?`, 200);
		const { request } = await toy.call();
		expect(wordsOf(request)).toContain("First of all: be kind.");
	}
	expect(toy.written.length).toBeGreaterThan(2);
	expect(JSON.stringify(toy.written[1])).toContain("EARLIER SUMMARY:\\nSummary number 1.\\n");
	// The first summary replaced the first request, so the record for the second summary does not contain that request.
	expect(JSON.stringify(toy.written[1])).not.toContain("be kind");
});

test("a summary uses the original results, also if they were cleared since", async () => {
	await using toy = await ToySession.open(small);
	for (let at = 0; toy.written.length === 0 && at < 40; at++) {
		await reads(toy, `file${at}`, 300);
		await toy.call();
	}
	expect((await toy.compactions()).map(({ level }) => level)).toContain("tool_results");
	expect(JSON.stringify(toy.written[0])).toMatch(/RESULT OF read_file: file0 [a-z]/);
});

test("a summary that does not fit a smaller model is summarised again", async () => {
	await using toy = await ToySession.open({
		contextWindow: 20_000,
		maxOutput: 500,
		write: async () => prose(random, 1_500),
	});
	await talks(toy, "First of all: be kind.", 100);
	await toy.compactNow();
	toy.settings = { ...toy.settings, contextWindow: 2_000 };
	await toy.ask("And now?");
	const { request, tokens } = await toy.call();
	expect(tokens).toBeLessThanOrEqual(1_500);
	expect(request.messages).toHaveLength(2);
	expect(JSON.stringify(toy.written[1])).toContain("EARLIER SUMMARY");
});

test("an enormous first request is kept as its head and its tail", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, `HEAD ${prose(random, 1_500)} TAIL`, 300);
	await talks(toy, "Second.", 300);
	await toy.ask("And now?");
	const { request, tokens } = await toy.call();
	expect(tokens).toBeLessThanOrEqual(2_500);
	expect(wordsOf(request)).toMatch(/<<<\nHEAD [\s\S]* characters left out …\][\s\S]* TAIL\n>>>/);
});

test("within a long run its question and its newest results stay", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, "First of all: be kind.", 100);
	await toy.ask("Now the long work.");
	for (let at = 0; at < 30; at++) {
		const args = { path: `${at}.txt`, content: prose(random, 150) };
		toy.calls({ id: `c${at}`, name: "write_file", arguments: args, text: `written ${at}`, failed: false });
		const { request, tokens } = await toy.call();
		expect(tokens).toBeLessThanOrEqual(2_500);
		expect(structuralFault(request)).toBeUndefined();
		expect(wordsOf(request)).toContain("First of all: be kind.");
		expect(wordsOf(request)).toContain("Now the long work.");
		expect(resultsIn(request.messages).at(-1)).toBe(`written ${at}`);
	}
	expect(toy.written.length).toBeGreaterThan(1);
});

test("a run that repeats a reply keeps the question of the earlier run", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, "First of all: be kind.", 800);
	await talks(toy, "Second.", 600);
	await toy.ask("What is the answer?");
	const args = { path: "a.txt", content: prose(random, 300) };
	toy.calls({ id: "c1", name: "write_file", arguments: args, text: "written", failed: false });
	toy.transcript.push({ ordinal: 4, messages: [] });
	toy.calls({ id: "c2", name: "read_file", arguments: {}, text: prose(random, 400), failed: false });
	const { request } = await toy.call();
	expect(structuralFault(request)).toBeUndefined();
	expect((await toy.compactions()).map(({ level }) => level)).toEqual(["summary"]);
	expect(wordsOf(request)).toContain("What is the answer?");
});

test("the newest results are shortened if they are too large and no older parts are left", async () => {
	await using toy = await ToySession.open(small);
	await toy.ask("Read it.");
	const text = `HEAD ${prose(random, 4_000)} TAIL`;
	toy.calls({ id: "c", name: "read_file", arguments: {}, text, failed: false });
	const { request, tokens } = await toy.call();
	expect(tokens).toBeLessThanOrEqual(2_500);
	expect(resultsIn(request.messages)[0]).toMatch(/^HEAD [\s\S]* characters left out …\][\s\S]* TAIL$/);
	expect(toy.written).toEqual([]);
	toy.restart();
	expect((await toy.fit()).messages).toEqual(request.messages);
});

test("a user message is not cut: one that is too large is refused with advice, and the next one works", async () => {
	await using toy = await ToySession.open(small);
	await toy.ask(prose(random, 4_000));
	const refused = toy.fit();
	await expect(refused).rejects.toThrow(
		/^the request needs about \d+ tokens, but the context window has 2500 besides the reply: split the request/,
	);
	await expect(refused).rejects.toMatchObject({ code: "resource_exhausted" });
	expect(await toy.compactions()).toEqual([]);
	await toy.ask("Shorter, then.");
	expect((await toy.call()).tokens).toBeLessThanOrEqual(2_500);
});

test("instructions that fill the window are refused with that reason", async () => {
	await using toy = await ToySession.open({ ...small, system: prose(random, 4_000) });
	await toy.ask("Hello?");
	await expect(toy.fit()).rejects.toThrow(
		/^instructions and tools \(about \d+ tokens\) leave too little of the context window \(\d+ tokens\)/,
	);
});

test("after a restart the request has the same bytes, and continues with the next message", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, "First of all: be kind.", 700);
	for (const id of ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]) {
		await reads(toy, id, 300);
		await toy.call();
	}
	await toy.ask("And now?");
	const { request } = await toy.call();
	expect((await toy.compactions()).length).toBeGreaterThan(1);
	toy.restart();
	expect(JSON.stringify(await toy.fit())).toBe(JSON.stringify(request));
	toy.says("Well.");
	await toy.ask("Go on.");
	expect(isPrefix(request, await toy.fit())).toBe(true);
});

test("after a restart the token counts of the last calls are read from the journal", async () => {
	await using toy = await ToySession.open({ contextWindow: 100_000, tokenizer: (text) => text.length });
	for (let at = 0; at < 4; at++) {
		await talks(toy, `Question ${at}?`, 100);
		await toy.call();
	}
	toy.restart();
	await toy.ask("And now?");
	await toy.call();
	expect(toy.errors.get("toy/toy")).toEqual({
		replies: 1,
		last: expect.any(Number),
		mean: expect.any(Number),
	});
	expect(toy.errors.get("toy/toy")?.last).toBeLessThan(0.02);
});

test("a compaction that cannot be recorded is not used", async () => {
	await using toy = await ToySession.open(small);
	await talks(toy, "First of all: be kind.", 700);
	await talks(toy, "Second.", 700);
	await talks(toy, "Third.", 400);
	await toy.ask("And now?");
	const { commit } = toy.store;
	const failure = new StoreError("the disk is full");
	toy.store.commit = () => Promise.reject(failure);
	await expect(toy.fit()).rejects.toBe(failure);
	toy.store.commit = commit;
	const request = await toy.fit();
	expect(toy.written).toHaveLength(2);
	expect(wordsOf(request)).toContain("Summary number 2.");
});

test("if the model writes no summary, an extract replaces it", async () => {
	const write = async (): Promise<string> => {
		throw new ModelError("overloaded", { fault: "overloaded" });
	};
	await using toy = await ToySession.open({ ...small, write });
	await talks(toy, "First of all: be kind.", 700);
	await talks(toy, "Second: which bird?", 700);
	await talks(toy, "Third.", 400);
	await toy.ask("And now?");
	const words = wordsOf((await toy.call()).request);
	expect(words).toContain("<<<\nFirst of all: be kind.\n>>>");
	expect(words).toContain("- asked: Second: which bird?");
	expect(toy.log.records.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("a run that is stopped while its summary is written changes nothing", async () => {
	await using toy = await ToySession.open({
		...small,
		write: async () => {
			toy.abort();
			throw new ParleyError("stopped", { code: "cancelled" });
		},
	});
	await talks(toy, "First of all: be kind.", 700);
	await talks(toy, "Second.", 700);
	await talks(toy, "Third.", 400);
	await toy.ask("And now?");
	await expect(toy.fit()).rejects.toMatchObject({ name: "AbortError" });
	expect(await toy.compactions()).toEqual([]);
});

test("an idle session is compacted on request, with the instruction of the request", async () => {
	await using toy = await ToySession.open({ ...small, write: async () => "All about birds." });
	expect(await toy.compactNow()).toBeUndefined();
	await talks(toy, "First of all: be kind.", 100);
	await talks(toy, "Second.", 100);
	const done = await toy.compactNow("keep the birds");
	expect(done).toMatchObject({ messagesBefore: 4, messagesAfter: 1 });
	expect(done?.summary).toContain("All about birds.");
	expect(done?.tokensAfter).toBeLessThan(done?.tokensBefore ?? 0);
	expect(JSON.stringify(toy.written)).toContain("A person requested this for the summary: keep the birds");
	expect(await toy.compactNow()).toBeUndefined();
	await toy.ask("And now?");
	const request = await toy.fit();
	expect(structuralFault(request)).toBeUndefined();
	expect(request.messages).toHaveLength(2);
	expect(wordsOf(request)).toContain("First of all: be kind.");
});

test("a requested compaction that fails changes nothing", async () => {
	await using toy = await ToySession.open({ ...small, write: async () => " " });
	await talks(toy, "First of all: be kind.", 100);
	await expect(toy.compactNow()).rejects.toThrow("the model wrote an empty summary");
	expect((await toy.fit()).messages).toHaveLength(2);
	expect(await toy.compactions()).toEqual([]);
});
