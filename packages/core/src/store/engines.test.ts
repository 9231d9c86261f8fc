import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFailpoints, openSqliteStore, type Store, silentLogger } from "@parley/base";
import { ManualClock, openPgliteStore, seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { Runtime } from "../runtime.ts";
import { EventLog } from "../testing/event-log.ts";
import { noSandboxes } from "../testing/no-sandboxes.ts";
import { builtinTools } from "../tools/builtin.ts";
import { operator } from "../vocabulary/principal.ts";
import { SecretBox } from "../vocabulary/secrets.ts";
import type { Keyed } from "./idempotency.ts";
import { freshSchema } from "./migrations/fresh-schema.ts";
import { migrations } from "./migrations/migrations.ts";
import type { Tables } from "./tables.ts";

const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-engines-"));

const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: join(directory, "data", "parley.sqlite"), migrations })],
	["SQLite in memory", () => openSqliteStore<Tables>({ file: ":memory:", migrations, fresh: freshSchema })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

test.each(engines)("conversations, approvals, keys and lists are the same on %s", async (_engine, open) => {
	const store = await open();
	const clock = new ManualClock();
	const runtime = new Runtime({
		store,
		clock,
		ids: seededIds(1),
		log: silentLogger,
		failpoints: noFailpoints,
		model: createOfflineModel({ clock }),
		tools: builtinTools(),
		sandbox: noSandboxes(clock, {}),
		secrets: new SecretBox(Buffer.alloc(32, 1)),
		roots: { given: [], current: directory, dataDir: join(directory, "data") },
		systemTemplate: "You help.",
	});
	await runtime.start();
	const first = await runtime.create(keyedBy("open"), { externalKey: "room 1", title: "Room" });
	expect(await runtime.create(keyedBy("open again"), { externalKey: "room 1" })).toEqual({
		id: first.id,
		status: "resumed",
	});
	const log = await EventLog.join(runtime, first.id, { afterSeq: 0 });

	const accepted = await runtime.send(keyedBy("send"), first.id, { content: "ask: your name?" });
	expect(await runtime.send(keyedBy("send"), first.id, { content: "ask: your name?" })).toEqual(accepted);
	const { prompt } = await log.next("prompt.requested");
	await runtime.answer(keyedBy("answer"), prompt.token, { text: "Ada" });
	expect((await log.next("assistant.message")).content).toContain("Ada");

	await runtime.acceptAll(keyedBy("trust"), first.id);
	await runtime.send(keyedBy("two"), first.id, { content: "write: note.txt <<< hello\nread: note.txt" });
	expect((await log.next("assistant.message")).content).toContain("hello");

	expect(log.recorded.filter((type) => type === "user.message")).toHaveLength(2);
	const [session] = await runtime.list(operator, { limit: 10 });
	expect(session).toMatchObject({ id: first.id, title: "Room", messageCount: 4, externalKey: "room 1" });
	const messages = await runtime.history.messages(operator, first.id, { limit: 2 });
	expect(messages.map(({ event }) => event.type)).toEqual(["user.message", "assistant.message"]);
	const events = await runtime.history.newest(operator, { limit: 1000 });
	expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));

	// PostgreSQL stores no NUL characters.
	await runtime.send(keyedBy("three"), first.id, { content: "ask: a\0b?" });
	const nul = await log.next("prompt.requested");
	expect(await runtime.steer(keyedBy("four"), first.id, { content: "c\0d" })).toMatchObject({
		status: "steered",
	});
	await runtime.answer(keyedBy("answer again"), nul.prompt.token, { text: "yes" });
	expect(await log.next("assistant.message")).toMatchObject({ error: "" });
	const contents = log.events.flatMap(({ event }) => (event.type === "user.message" ? [event.content] : []));
	expect(contents.slice(-2)).toEqual(["ask: a\u{fffd}b?", "c\u{fffd}d"]);
	await log.leave();
	await store.close();
});

function keyedBy(key: string): Keyed {
	return { principal: operator, key, method: "test", params: {} };
}
