import { createHash } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { operator, type TaskState } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { fixtureParts } from "./fixture-parts.ts";

/**
 * Creates a fixture of the current schema: `node test/databases/make.ts NAME`. NAME is the name of the newest
 * migration. Run the script in the commit that releases the migration. Never recreate a fixture, because it
 * represents existing databases.
 */
const [name] = process.argv.slice(2);
if (name === undefined || !/^[\w-]+$/.test(name)) throw new Error("usage: node test/databases/make.ts NAME");
const folder = new URL("../fixtures/databases/", import.meta.url);
const at = (file: string): URL => new URL(file, folder);

const unkeyed = { principal: operator, key: undefined, method: "test", params: {} };
const t = await TestRuntime.open(fixtureParts());
const { directory } = t;
await t.runtime.start();

async function begin(title: string): Promise<string> {
	return (await t.runtime.create({ ...unkeyed }, { title, rootDir: tmpdir() })).id;
}

async function until(sessionId: string, type: string, count: number) {
	for (;;) {
		const events = await t.runtime.history.newest(operator, { limit: 1000, sessionId, types: [type] });
		if (events.length >= count) return events;
		await delay(2);
	}
}

async function say(sessionId: string, text: string, ended: number): Promise<void> {
	await t.send(sessionId, text);
	await until(sessionId, "assistant.message", ended);
}

async function tokenOf(sessionId: string, nth: number): Promise<string> {
	const event = (await until(sessionId, "prompt.requested", nth)).at(-1)?.event;
	if (event?.type !== "prompt.requested") throw new Error("nothing was asked");
	return event.prompt.token;
}

const tools = await begin("Notes");
await t.send(tools, "note the first thing");
const first = await tokenOf(tools, 1);
await t.runtime.steer({ ...unkeyed }, tools, { content: "and be brief" });
await t.runtime.answer({ ...unkeyed }, first, { value: true });
await until(tools, "assistant.message", 1);
await t.send(tools, "note the second thing");
await t.runtime.answer({ ...unkeyed }, await tokenOf(tools, 2), { cancelled: true, reason: "not now" });
await until(tools, "assistant.message", 2);
await t.runtime.retry({ ...unkeyed }, tools);
await until(tools, "assistant.message", 3);

const correlated = { content: "tell it once more", correlation: "platform-1" };
await t.runtime.send({ ...unkeyed }, tools, correlated);
await until(tools, "assistant.message", 4);
await t.runtime.feedback.record({ ...unkeyed }, tools, { rating: "good", comment: "thanks" });
await t.runtime.rename({ ...unkeyed }, tools, "Notes and more");

const secret = await begin("Secrets");
await t.send(secret, "password please");
await t.runtime.answer({ ...unkeyed }, await tokenOf(secret, 1), {
	text: "correct horse",
	value: "correct horse",
});
await until(secret, "assistant.message", 1);

const long = await begin("Long");
for (let turn = 1; turn <= 24; turn++)
	await say(long, `tell me story ${turn} ${"of the brook ".repeat(20)}`, turn);
await until(long, "context.compacted", 1);
await t.send(long, "fail once");
await until(long, "run.retrying", 1);
await t.settle();
t.clock.advance(10_000);
await until(long, "assistant.message", 25);

const open = await begin("Open question");
await t.send(open, "note the open thing");
await tokenOf(open, 1);
await t.send(open, "and this waits");

await t.settle();
// Each check of open questions covers at most ten minutes, so the clock advances in steps of ten minutes.
for (let hour = 0; hour < 13 * 6; hour++) {
	t.clock.advance(10 * 60 * 1000);
	await t.settle();
}
await until(open, "prompt.reminded", 1);

const files = await begin("Files");
const stored = await t.runtime.files.store(operator, {
	name: "tides.txt",
	content: Readable.from([Buffer.from("The tide is high.")]),
});
await t.runtime.send({ ...unkeyed }, files, { content: "tell of it", attachments: [stored.id] });
await until(files, "assistant.message", 1);

const hanging = await begin("At work");
await t.send(hanging, "hang there");
await delay(200);

const tasks = await begin("Tasks");
async function task(title: string, state: TaskState): Promise<void> {
	const requested = { title, description: "Down by the brook.", tools: ["note"] };
	const { id } = await t.runtime.tasks.submit({ ...unkeyed }, tasks, requested);
	while ((await t.runtime.tasks.check(operator, id)).state !== state) await delay(2);
}
await task("tell of the mill", "completed");
await task("review the pond", "suspended");
await task("hang by the water", "running");
await delay(200);

const handles = await t.store.read((db) => db.selectFrom("secrets").select(["id", "sealed"]).execute());
const columns = ["id", "title", "message_count", "input_tokens", "output_tokens"] as const;
const rows = await t.store.read((db) =>
	db.selectFrom("sessions").select(columns).where("task_id", "is", null).orderBy("id").execute(),
);
const sessions = [];
for (const row of rows) {
	const { id } = row;
	const events = await t.runtime.history.newest(operator, { limit: 1000, sessionId: id });
	const messages = events.flatMap(({ event }) =>
		event.type === "user.message" || event.type === "assistant.message" ? [event.content] : [],
	);
	sessions.push({ ...row, events: events.length, messages });
}
const report = await t.runtime.usage(operator, { by: "model" });
const facts = {
	at: t.clock.now(),
	open: { question: open, atWork: hanging },
	secret: { ...handles[0], value: "correct horse" },
	cost: report.total.cost,
	sessions,
	tasks: (await t.runtime.tasks.list(operator, { limit: 10 })).map(({ id, title, state, output }) => ({
		...{ id, title, state, output },
	})),
};
await t.stop();
const scratch = await mkdtemp(join(tmpdir(), "parley-fixture-"));
const plain = join(scratch, "parley.sqlite");
await copyFile(join(directory, "data", "parley.sqlite"), plain);
const packed = gzipSync(await readFile(plain), { level: 9 });
const expected = `${JSON.stringify(facts, undefined, "\t")}\n`;
await writeFile(at(`${name}.sqlite.gz`), packed, { flag: "wx" });
await writeFile(at(`${name}.expected.json`), expected, { flag: "wx" });
const sums = await readFile(at("SHA256SUMS"), "utf8").catch(() => "");
const line = (content: Buffer | string, file: string): string =>
	`${createHash("sha256").update(content).digest("hex")}  ${file}\n`;
await writeFile(
	at("SHA256SUMS"),
	sums + line(expected, `${name}.expected.json`) + line(packed, `${name}.sqlite.gz`),
);
await rm(scratch, { recursive: true });
await rm(directory, { recursive: true });
