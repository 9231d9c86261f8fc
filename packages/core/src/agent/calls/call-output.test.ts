import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { ModelTable, unknownModel } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { builtinTools } from "../../tools/builtin.ts";
import { shortTools } from "../../tools/short/short-tools.ts";
import type { Message } from "../../vocabulary/message.ts";
import { operator } from "../../vocabulary/principal.ts";

/** The window is large enough for all pages, so that no earlier page is cleared. */
const table = new ModelTable([{ ...unknownModel("scripted", "scripted"), contextWindow: 1_000_000 }]);

class Conversation implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Pick<Conversation, "t" | "model" | "session" | "log">) {
		this.t = parts.t;
		this.model = parts.model;
		this.session = parts.session;
		this.log = parts.log;
	}

	static async begin(
		replies: readonly ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
		known?: string,
	): Promise<Conversation> {
		const model = new ScriptedModel(...replies);
		const t = await TestRuntime.open({ ...options, model, table });
		const session = known ?? (await t.create());
		if (!known) await t.runtime.acceptAll(unkeyed(), session);
		const log = await EventLog.join(t.runtime, session, known ? {} : { afterSeq: 0 });
		return new Conversation({ t, model, session, log });
	}

	async ask(session = this.session): Promise<void> {
		const log = session === this.session ? this.log : await EventLog.join(this.t.runtime, session);
		await this.t.send(session, "go");
		await log.next("assistant.message");
	}

	async another(): Promise<string> {
		const session = await this.t.create();
		await this.t.runtime.acceptAll(unkeyed(), session);
		return session;
	}

	results(): { readonly text: string; readonly failed: boolean }[] {
		const content = this.model.requests.at(-1)?.messages.at(-1)?.content ?? [];
		return content.filter((block) => block.type === "result");
	}

	result(): { readonly text: string; readonly failed: boolean } {
		const last = this.results().at(-1);
		if (last === undefined) throw new Error("the last request ends without a result");
		return last;
	}

	files(): Promise<string[]> {
		return readdir(join(this.t.directory, "data/files")).catch(() => []);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

const nameIn = (text: string): string => /output_[0-9a-f]{26}/.exec(text)?.[0] ?? "none";

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * Returns replies that read a stored output page by page. Each reply adds its page, without markers, to `pages`.
 */
function readAll(pages: string[]): ScriptedReply[] {
	let name = "";
	const next = (number: number): ScriptedReply =>
		async function* ({ messages }) {
			const text = lastText(messages);
			if (number === 0) name = nameIn(text);
			else pages.push(text.replace(/(?:\[… more lines follow|\n\[… line \d+ continues).*$/, ""));
			const [, offset = 1, column = 1] = /offset (\d+)(?: and column (\d+))? …\]$/.exec(text) ?? [];
			const ends = number > 0 && offset === 1;
			const place = { path: name, offset: Number(offset), column: Number(column) };
			yield ends ? says("read") : calls(`r${number}`, "read_file", place);
			yield { type: "end", stop: ends ? "end_turn" : "tool_use", usage, model: "scripted-1" };
		};
	return Array.from({ length: 40 }, (_, number) => next(number));
}

function lastText(messages: readonly Message[]): string {
	const [last] = messages.at(-1)?.content.slice(-1) ?? [];
	return last?.type === "result" ? last.text : "";
}

test.each([
	["many lines", "seq 1 20000", Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("")],
	["one long line", "head -c 100000 /dev/zero | tr '\\0' a", "a".repeat(100_000)],
	["short lines", "yes x | head -n 5000", "x\n".repeat(5_000)],
])("the model gets the head and the tail of %s, and reads all of it from a file", async (_, cmd, full) => {
	const pages: string[] = [];
	await using talk = await Conversation.begin([[calls("c1", "run_command", { cmd })], ...readAll(pages)]);
	await talk.ask();
	const [shown = ""] =
		talk.model.requests[1]?.messages.at(-1)?.content.map((block) => Object(block).text) ?? [];
	expect(shown.length).toBeLessThanOrEqual(30_000);
	expect(shown.split("\n").length).toBeLessThanOrEqual(2_000);
	expect(shown.startsWith(full.slice(0, 1_900))).toBe(true);
	expect(shown.endsWith(full.slice(-1_900))).toBe(true);
	expect(shown).toMatch(
		/\[… \d+ characters in \d+ lines left out\. output_\w+ contains the complete result: read it with read_file …\]/,
	);
	expect(pages.join("") === full).toBe(true);
	talk.log.check();
});

test("the file has complete output up to 8 MiB, and only the beginning of larger output", async () => {
	const pages: string[] = [];
	const cmd = "seq -f %030g 1 12000; echo end";
	await using talk = await Conversation.begin([[calls("c1", "run_command", { cmd })], ...readAll(pages)]);
	await talk.ask();
	const full = `${Array.from({ length: 12_000 }, (_, index) => `${`${index + 1}`.padStart(30, "0")}\n`).join("")}end\n`;
	expect(pages.join("") === full).toBe(true);
	await using huge = await Conversation.begin([
		[calls("c1", "run_command", { cmd: "head -c 9000000 /dev/zero | tr '\\0' b" })],
		[says("ok")],
	]);
	await huge.ask();
	expect(huge.result().text).toContain("contains the first 8 MiB of the output");
});

test("the file has a third of a small file limit, because a byte can become three", async () => {
	const cmd = "head -c 500000 /dev/zero | tr '\\0' b";
	await using talk = await Conversation.begin([[calls("c1", "run_command", { cmd })], [says("ok")]], {
		files: { maxBytes: 1_200_000 },
	});
	await talk.ask();
	expect(talk.result().text).toContain("contains the first 400000 bytes of the output");
});

test("every tool and every failure has the same limit, and people see the same output as before", async () => {
	const long = `${"word ".repeat(20_000)}end`;
	const probe = probeTool("probe", { run: async () => long });
	const failing = probeTool("failing", {
		run: () => {
			throw new Error(long);
		},
	});
	await using talk = await Conversation.begin(
		[[calls("c1", "probe"), calls("c2", "failing"), calls("c3", "nothing", {})], [says("ok")]],
		{ tools: [probe, failing, ...builtinTools()] },
	);
	await talk.ask();
	const results = talk.model.requests[1]?.messages.at(-1)?.content ?? [];
	expect(results).toHaveLength(3);
	for (const result of results) expect(Object(result).text.length).toBeLessThanOrEqual(30_000);
	const [shown] = talk.log.events.flatMap(({ event }) =>
		event.type === "tool.completed" ? [event.result] : [],
	);
	expect(shown).toBe(long);
});

test("neither the result nor the file has secrets", async () => {
	const redactor = new Redactor();
	redactor.add("correct-horse-battery");
	const pages: string[] = [];
	const cmd = "for i in $(seq 1 20000); do echo $i correct-horse-battery x; done";
	await using talk = await Conversation.begin([[calls("c1", "run_command", { cmd })], ...readAll(pages)], {
		redactor,
	});
	await talk.ask();
	const clean = Array.from({ length: 20_000 }, (_, index) => `${index + 1} [redacted] x\n`).join("");
	expect(pages.join("") === clean).toBe(true);
	const [name = ""] = await talk.files();
	expect(name).toMatch(/^output_/);
});

test("the text and the file are the same after a restart", async () => {
	const before = await Conversation.begin([
		[calls("c1", "run_command", { cmd: "seq 1 9000" })],
		[says("ok")],
	]);
	await before.ask();
	const { text } = before.result();
	const { directory, clock } = before.t;
	await before.t.stop();
	const more: ScriptedReply[] = [
		[calls("c2", "read_file", { path: nameIn(text), offset: 8_999 })],
		[says("read")],
	];
	await using after = await Conversation.begin(more, { directory, clock }, before.session);
	await after.ask();
	expect(after.model.requests[0]?.messages[2]?.content[0]).toMatchObject({ text });
	expect(after.result()).toMatchObject({ text: "8999\n9000\n", failed: false });
});

test("only its session can read the file, without an approval, and the file is deleted with the session", async () => {
	await using talk = await Conversation.begin([
		[calls("c1", "run_command", { cmd: "seq 1 9000" })],
		[says("ok")],
		async function* () {
			yield calls("c2", "read_file", { path: nameIn(JSON.stringify(talk.model.requests[1])) });
			yield { type: "end", stop: "tool_use", usage, model: "scripted-1" };
		},
		[says("ok")],
	]);
	await talk.ask();
	expect(await talk.files()).toHaveLength(1);
	const other = await talk.t.create();
	const log = await EventLog.join(talk.t.runtime, other, { afterSeq: 0 });
	await talk.t.send(other, "go");
	await log.next("assistant.message");
	expect(talk.result()).toMatchObject({
		text: expect.stringContaining("no result is stored as"),
		failed: true,
	});
	await talk.t.runtime.remove(unkeyed(), talk.session, false);
	expect(await talk.files()).toEqual([]);
});

/** Returns a reply that calls `seq` with each of `sizes`. A line of the output has up to 6 bytes. */
const lists = (...sizes: number[]): ScriptedReply =>
	sizes.map((size, index) => calls(`c${index}`, "run_command", { cmd: `seq 1 ${size}` }));

/** Returns a reply that arrives a second after the results. */
const endsLater = (talk: () => Conversation): ScriptedReply =>
	async function* () {
		talk().t.clock.advance(1_000);
		yield says("ok");
		yield { type: "end", stop: "end_turn", usage, model: "scripted-1" };
	};

/** Quota of a gateway in which stored results may use 200,000 bytes. The list of 12,000 lines has 60,894 bytes. */
const smallQuota = { files: { quotaBytes: 800_000 } };

test("kept results take at most a quarter of the quota: the oldest of the same session are deleted first", async () => {
	const script = Array.from({ length: 4 }, () => [lists(12_000), endsLater(() => talk)]);
	await using talk: Conversation = await Conversation.begin(script.flat(), smallQuota);
	const names: string[] = [];
	await talk.ask();
	names.push(nameIn(talk.result().text));
	const other = await talk.another();
	for (const session of [other, talk.session, talk.session]) {
		await talk.ask(session);
		names.push(nameIn(talk.result().text));
	}
	const [, others, second, third] = names;
	expect((await talk.files()).sort()).toEqual([others, second, third].sort());
});

test("results of other sessions are deleted if the session has no older ones", async () => {
	const script = [lists(12_000), [says("ok")], lists(12_000, 12_000), [says("ok")]];
	await using talk = await Conversation.begin(script, { files: { quotaBytes: 480_000 } });
	await talk.ask();
	const first = nameIn(talk.result().text);
	await talk.ask(await talk.another());
	const files = await talk.files();
	expect(files).toHaveLength(1);
	expect(files).not.toContain(first);
	// The share for stored results is 120,000 bytes, so only one of the two new results fits.
	expect(talk.result().text).toContain("The rest could not be stored: no space for this result");
});

test("a run that has half of the share deletes no results of other sessions", async () => {
	const script = [lists(12_000, 12_000), [says("ok")], lists(12_000, 12_000), [says("ok")]];
	await using talk = await Conversation.begin(script, smallQuota);
	await talk.ask();
	const others = talk.results().map(({ text }) => nameIn(text));
	await talk.ask(await talk.another());
	const [accepted, refused] = talk.results();
	expect(refused?.text).toContain("The rest could not be stored: no space for this result");
	expect((await talk.files()).sort()).toEqual([...others, nameIn(accepted?.text ?? "")].sort());
});

test("a session never loses a result of its active run, and results of active runs of other sessions stay too", async () => {
	const [questionShown, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const waits: ScriptedReply = async function* () {
		questionShown.resolve();
		await gate.promise;
		yield says("ok");
		yield { type: "end", stop: "end_turn", usage, model: "scripted-1" };
	};
	const script = [lists(12_000, 12_000, 12_000, 12_000), waits, lists(30_000), [says("ok")]];
	await using talk = await Conversation.begin(script, smallQuota);
	await talk.t.send(talk.session, "go");
	await questionShown.promise;
	const names = talk.results().map(({ text }) => nameIn(text));
	expect((await talk.files()).sort()).toEqual(names.slice(0, 3).sort());
	await talk.ask(await talk.another());
	expect(talk.result().text).toContain("The rest could not be stored: no space for this result");
	expect((await talk.files()).sort()).toEqual(names.slice(0, 3).sort());
	gate.resolve();
	await talk.log.next("assistant.message");
});

test("older results are deleted for a new one if uploads have filled the quota", async () => {
	const script = [lists(20_000), endsLater(() => talk), lists(20_000), [says("ok")]];
	await using talk: Conversation = await Conversation.begin(script, smallQuota);
	await talk.ask();
	async function* upload() {
		yield Buffer.alloc(690_000);
	}
	await talk.t.runtime.files.store(operator, { name: "full", content: upload() });
	await talk.ask();
	expect(await talk.files()).toContain(nameIn(talk.result().text));
	expect(await talk.files()).toHaveLength(2);
});

test("if the output cannot be stored, the result reports it and the run continues", async () => {
	await using talk = await Conversation.begin(
		[[calls("c1", "run_command", { cmd: "seq 1 90000" })], [says("ok")]],
		{ files: { quotaBytes: 10_000 } },
	);
	await talk.ask();
	expect(talk.result().text).toContain("The rest could not be stored: no space for another file");
	expect(await talk.files()).toEqual([]);
});

test("the marker names the tool of the model, and no file if the model has no such tool", async () => {
	const long = probeTool("long", { run: async () => "x\n".repeat(5_000) });
	const script = (): ScriptedReply[] => [[calls("c1", "long")], [says("ok")]];
	await using short = await Conversation.begin(script(), { tools: [long, ...shortTools()] });
	await short.ask();
	expect(short.result().text).toContain("read it with read …]");
	await using alone = await Conversation.begin(script(), { tools: [long] });
	await alone.ask();
	expect(alone.result().text).toMatch(/\n\[… \d+ characters in \d+ lines left out …\]\n/);
	expect(await alone.files()).toEqual([]);
});

test("a file of that name in the working directory is read as ./NAME", async () => {
	const name = `output_${"0".repeat(26)}`;
	await using talk = await Conversation.begin([
		[calls("c1", "read_file", { path: `./${name}` }), calls("c2", "read_file", { path: name })],
		[says("ok")],
	]);
	await writeFile(join(talk.t.directory, "work", name), "mine\n");
	await talk.ask();
	expect(talk.model.requests[1]?.messages.at(-1)?.content).toMatchObject([
		{ text: "mine\n", failed: false },
		{ failed: true },
	]);
});
