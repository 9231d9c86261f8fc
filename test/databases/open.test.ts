import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parseJson } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { checkStoredTexts, type Message, migrations, operator, type Recorded, SecretBox } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { unkeyed } from "../context/unkeyed.ts";
import { fixtureParts } from "./fixture-parts.ts";

const folder = new URL("../fixtures/databases/", import.meta.url);
const suffix = ".sqlite.gz";
const files = await readdir(folder);
const fixtures = files.filter((file) => file.endsWith(suffix)).map((file) => file.slice(0, -suffix.length));

const Facts = z.object({
	at: z.int(),
	open: z.object({ question: z.string(), atWork: z.string() }),
	secret: z.object({ id: z.string(), sealed: z.string(), value: z.string() }),
	cost: z.int(),
	/** Missing in fixtures of schemas without tasks. */
	tasks: z
		.array(z.object({ id: z.string(), title: z.string(), state: z.string(), output: z.string() }))
		.default([]),
	sessions: z.array(
		z.object({
			...{ id: z.string(), title: z.string(), message_count: z.int(), events: z.int() },
			...{ input_tokens: z.int(), output_tokens: z.int(), messages: z.array(z.string()) },
		}),
	),
});

interface Opened {
	readonly t: TestRuntime;
	readonly facts: z.infer<typeof Facts>;
	readonly model: ReturnType<typeof fixtureParts>["model"];
}

/**
 * Opens the fixture `name`, but does not continue the stored work. The clock starts at the creation time of the
 * fixture.
 */
async function open(name: string): Promise<Opened> {
	const facts = Facts.parse(
		parseJson(await readFile(new URL(`${name}.expected.json`, folder), "utf8"), { maxNodes: 100_000 }),
	);
	const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-databases-"));
	await mkdir(join(directory, "data"));
	const packed = await readFile(new URL(name + suffix, folder));
	await writeFile(join(directory, "data", "parley.sqlite"), gunzipSync(packed));
	const clock = new ManualClock(facts.at);
	const parts = fixtureParts();
	return { facts, model: parts.model, t: await TestRuntime.open({ ...parts, directory, clock }) };
}

function eventsOf(t: TestRuntime, sessionId: string, type?: string): Promise<Recorded[]> {
	return t.runtime.history.newest(operator, { limit: 1000, sessionId, ...(type && { types: [type] }) });
}

function contentOf({ event }: Recorded): string[] {
	return event.type === "user.message" || event.type === "assistant.message" ? [event.content] : [];
}

function textsOf(messages: readonly Message[]): string[] {
	return messages.map(({ content }) => content.map((block) => ("text" in block ? block.text : "")).join(""));
}

async function summaryOf(t: TestRuntime, sessionId: string): Promise<string> {
	const row = await t.store.read((db) =>
		db
			.selectFrom("compactions")
			.select("summary")
			.where("session_id", "=", sessionId)
			.where("level", "=", "summary")
			.orderBy("n", "desc")
			.executeTakeFirst(),
	);
	const [words] = /Said of \d+ characters\./.exec(row?.summary ?? "") ?? [];
	if (words === undefined) throw new Error("the session has no summary of the model");
	return words;
}

async function ended(t: TestRuntime, sessionId: string, count: number) {
	for (;;) {
		const ends = await eventsOf(t, sessionId, "assistant.message");
		const last = ends.at(-1)?.event;
		if (ends.length >= count && last?.type === "assistant.message") return last;
		await t.settle();
	}
}

test("no fixture was changed or lost", async () => {
	const sums = await readFile(new URL("SHA256SUMS", folder), "utf8");
	const listed = sums.trimEnd().split("\n");
	const matches = files
		.filter((file) => file !== "SHA256SUMS")
		.map(async (file) => {
			const content = await readFile(new URL(file, folder));
			return `${createHash("sha256").update(content).digest("hex")}  ${file}`;
		});
	expect((await Promise.all(matches)).sort()).toEqual(listed.toSorted());
});

test("every schema has a fixture from the second one on", () => {
	const names = migrations.map(({ name }) => name).filter((name) => /^\d{4}-/.test(name) && name >= "0002");
	expect(fixtures.toSorted()).toEqual(names);
});

test.each(fixtures)("%s opens with all its messages and usage", async (name) => {
	const { t: opened, facts } = await open(name);
	await using t = opened;
	const list = await t.runtime.list(operator, { limit: 100 });
	expect(list.map(({ id }) => id).sort()).toEqual(facts.sessions.map(({ id }) => id));
	for (const expected of facts.sessions) {
		const { id, title } = expected;
		const [match] = list.filter((session) => session.id === id);
		expect(match).toMatchObject({ title, messageCount: expected.message_count });
		expect(match?.usage).toMatchObject({
			inputTokens: expected.input_tokens,
			outputTokens: expected.output_tokens,
		});
		const events = await eventsOf(t, id);
		expect(events).toHaveLength(expected.events);
		expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
		expect(events.flatMap(contentOf)).toEqual(expected.messages);
		const messages = await t.runtime.history.messages(operator, id, { limit: 1000 });
		expect(messages.flatMap(contentOf)).toEqual(expect.arrayContaining(expected.messages.slice(-1)));
	}
	expect((await t.runtime.usage(operator, { by: "model" })).total.cost).toBe(facts.cost);
	expect(await t.runtime.tasks.list(operator, { limit: 100 })).toMatchObject(facts.tasks);
	const { id, sealed, value } = facts.secret;
	expect(new SecretBox(Buffer.alloc(32, 1)).open(id, sealed)).toBe(value);
	const row = (db: Parameters<Parameters<typeof t.store.read>[0]>[0]) =>
		db.selectFrom("secrets").select("sealed").where("id", "=", id).executeTakeFirst();
	expect(await t.store.read(row)).toEqual({ sealed });
});

test.each(fixtures)("%s continues with its question, its queue and its active run", async (name) => {
	const { t: opened, facts, model } = await open(name);
	await using t = opened;
	const { question, atWork } = facts.open;
	expect(await t.runtime.start()).toBe(2);
	const [prompt, ...others] = (await eventsOf(t, question, "prompt.requested")).map(({ event }) => event);
	if (prompt?.type !== "prompt.requested") throw new Error("nothing was asked");
	expect(others).toEqual([]);
	await t.runtime.answer(unkeyed(), prompt.prompt.token, { value: true });
	expect(await ended(t, question, 2)).toMatchObject({
		error: "",
		content: expect.stringContaining("Said of"),
	});

	await t.runtime.cancel(unkeyed(), atWork);
	expect(await ended(t, atWork, 1)).toMatchObject({ error: "cancelled" });

	// A compacted conversation must continue with its summary instead of its first messages. A run of another session
	// must be retryable.
	const [long] = facts.sessions.filter(({ title }) => title === "Long");
	if (!long) throw new Error("the long conversation is missing");
	const before = (await eventsOf(t, long.id, "assistant.message")).length;
	await t.send(long.id, "tell me the end");
	expect(await ended(t, long.id, before + 1)).toMatchObject({ error: "" });
	const [request] = model.requests.filter(({ messages }) => textsOf(messages).at(-1) === "tell me the end");
	const [summary = "", ...rest] = textsOf(request?.messages ?? []);
	expect(summary).toContain(await summaryOf(t, long.id));
	expect(rest.join("\n")).not.toContain("tell me story 2 ");
	expect(rest.join("\n")).toContain("tell me story 24 ");
	const [notes] = facts.sessions.filter(({ title }) => title.startsWith("Notes"));
	const notesId = notes?.id ?? "";
	const answers = (await eventsOf(t, notesId, "assistant.message")).length;
	await t.runtime.retry(unkeyed(), notesId);
	expect(await ended(t, notesId, answers + 1)).toMatchObject({ error: "" });

	// Texts have a hash since schema 0006. Only older texts may be unverified, and no text may be wrong.
	const check = await checkStoredTexts(t.store);
	expect(check).toMatchObject({ ok: true, examples: [] });
	expect(check.verified).toBeGreaterThan(10);
	expect(check.unverified > 0).toBe(name < "0006");
});

test.each(fixtures)("%s continues with its tasks", async (name) => {
	const { t: opened, facts } = await open(name);
	await using t = opened;
	await t.runtime.start();
	const { tasks } = t.runtime;
	const become = async (id: string, state: string): Promise<void> => {
		while ((await tasks.check(operator, id)).state !== state) await t.settle();
	};
	for (const { id, state } of facts.tasks) {
		if (state === "suspended") {
			await tasks.reply(unkeyed(), id, { approved: true, feedback: "slowly" });
			await become(id, "completed");
		} else if (state === "running") {
			await become(id, "running");
			await tasks.cancel(unkeyed(), id, "it is late");
			await become(id, "cancelled");
		}
	}
	const ends = (await tasks.list(operator, { limit: 100 })).map(({ state }) => state);
	expect(ends.filter((state) => state !== "completed" && state !== "cancelled")).toEqual([]);
});
