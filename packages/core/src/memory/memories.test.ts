import { openSqliteStore, Redactor, type Store, silentLogger } from "@parley/base";
import { ManualClock, openPgliteStore, seededIds } from "@parley/base/testing";
import { afterAll, expect, test } from "vitest";
import type { Keyed } from "../store/idempotency.ts";
import { freshSchema } from "../store/migrations/fresh-schema.ts";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { Audit } from "../trust/audit/audit.ts";
import { storePerson } from "../trust/people/person-rows.ts";
import { memoryLimits, memoryScopes } from "../vocabulary/memory.ts";
import { operator, type Person, type Principal } from "../vocabulary/principal.ts";
import { SecretBox } from "../vocabulary/secrets.ts";
import { Memories } from "./memories.ts";

const stores = new Map<string, Promise<Store<Tables>>>();
const opening: Readonly<Record<string, () => Promise<Store<Tables>>>> = {
	SQLite: () => openSqliteStore<Tables>({ file: ":memory:", migrations, fresh: freshSchema }),
	PostgreSQL: () => openPgliteStore<Tables>({ migrations }),
};
const engines = Object.keys(opening);
afterAll(async () => {
	for (const store of stores.values()) await (await store).close();
});

async function open(engine: string, redactor = new Redactor()): Promise<Memories> {
	const opened = stores.get(engine) ?? opening[engine]?.();
	if (!opened) throw new Error(engine);
	stores.set(engine, opened);
	const store = await opened;
	// All tests of an engine share one database.
	await store.commit((tx) => tx.deleteFrom("memories").execute());
	const clock = new ManualClock();
	const secrets = new SecretBox(Buffer.alloc(32, 1));
	const ids = seededIds(1);
	const audit = new Audit({ store, clock, redactor, log: silentLogger });
	return new Memories({ store, clock, ids, redactor, secrets, audit });
}

function person(user: string, channel = "C1", role: Person["role"] = "member", tenant = "T"): Principal {
	const place = { platform: "discord", tenant, channel, shared: false };
	return {
		id: "connector:discord",
		kind: "connector",
		platform: "discord",
		person: { id: `discord:${tenant}:${user}`, name: user, role, place },
	};
}

const requestBy = (principal: Principal): Keyed => unkeyed(principal);
const note = (text: string, tags: readonly string[] = []) => ({ scope: "user" as const, text, tags });

test.each(engines)(
	"notes are found by words in all scripts, with punctuation and quotes, on %s",
	async (engine) => {
		const memories = await open(engine);
		const texts = {
			tokyo: "東京都に住んでいる。",
			tea: "お茶が好き",
			deploy: 'Deploys happen on "Friday", not on Monday.',
			path: "Logs are in c:\\temp\\100%_done",
			irish: "O'Brien's dog — naïve ＦＵＬＬ width",
			gärten: "Östliche GÄRTEN",
		};
		for (const text of Object.values(texts)) await memories.store(requestBy(operator), note(text, ["facts"]));
		const names = Object.entries(texts);
		const found = async (query: string) => {
			const list = await memories.list(operator, { query, limit: 10 });
			return list.map(({ text }) => names.find(([, known]) => known === text)?.[0]);
		};
		expect(await found("東京")).toEqual(["tokyo"]);
		expect(await found("東京都はどこ？")).toEqual(["tokyo"]);
		expect(await found("住んでいる")).toContain("tokyo");
		expect(await found("好き")).toEqual(["tea"]);
		expect(await found("茶")).toEqual(["tea"]);
		expect(await found('"friday"')).toEqual(["deploy"]);
		expect(await found("deploy?!")).toEqual(["deploy"]);
		expect(await found("c:\\temp")).toContain("path");
		expect(await found("%_")).toEqual(["path"]);
		expect(await found("O'Brien")).toEqual(["irish"]);
		expect(await found("' OR 1=1 --")).not.toContain("tea");
		expect(await found("full")).toEqual(["irish"]);
		expect(await found("östliche gärten")).toEqual(["gärten"]);
		expect(await found("NEAR(friday*) ^ (")).toEqual(["deploy"]);
		expect(await found("zz\u0000zz\ud800")).toEqual([]);
		expect(await found("zebra")).toEqual([]);
		expect(await found("facts")).toHaveLength(6);
	},
);

test.each(engines)("the note with the rarest words of a query comes first on %s", async (engine) => {
	const memories = await open(engine);
	for (const city of ["Berlin", "Tokyo", "Lima", "Oslo"]) {
		await memories.store(requestBy(operator), note(`The office in ${city} opens at nine`));
	}
	await memories.store(requestBy(operator), note("Lima is closed in July"));
	const texts = (await memories.list(operator, { query: "office in Lima", limit: 2 })).map(
		({ text }) => text,
	);
	expect(texts).toEqual(["The office in Lima opens at nine", "Lima is closed in July"]);
});

test.each(engines)("no person reads or deletes a note of another person or channel on %s", async (engine) => {
	const memories = await open(engine);
	const readers = [person("ann"), person("ann", "C2"), person("bob"), person("bob", "C2")];
	for (const writer of readers) {
		for (const scope of ["user", "channel"] as const) {
			const { person: { id = "", place } = {} } = writer;
			await memories.store(requestBy(writer), {
				scope,
				text: `secret ${id} ${place?.channel} ${scope}`,
				tags: [],
			});
		}
	}
	await memories.store(requestBy(operator), { scope: "everyone", text: "secret everyone", tags: [] });
	for (const reader of readers) {
		const { person: { id = "", place } = {} } = reader;
		for (const query of ["secret", ""]) {
			const read = await memories.list(reader, { query, limit: 50 });
			const outside = read.filter(
				({ scope, subject }) =>
					scope !== "everyone" && subject !== (scope === "user" ? id : `discord:T:${place?.channel}`),
			);
			expect(outside).toEqual([]);
			expect(new Set(read.map(({ scope }) => scope))).toEqual(new Set(memoryScopes));
			expect(read).toHaveLength(5);
		}
		const all = await memories.list(operator, { limit: 50 });
		for (const { id: memoryId, scope, subject, author } of all) {
			if (scope === "user" && subject !== id) {
				await expect(memories.forget(requestBy(reader), memoryId)).rejects.toThrow("Memory not found");
			}
			if (scope === "everyone")
				await expect(memories.forget(requestBy(reader), memoryId)).rejects.toThrow(author);
		}
	}
	await expect(memories.list(person("ann"), { person: "discord:T:bob", limit: 5 })).rejects.toThrow(
		"you cannot read or delete the notes of another person: ask that person or the operator",
	);
	await expect(
		memories.store(requestBy(person("ann")), { scope: "everyone", text: "x", tags: [] }),
	).rejects.toThrow("only the operator can store notes for all channels, outside of chats");
	await expect(memories.list({ id: "observer:o", kind: "observer" }, { limit: 5 })).rejects.toThrow(
		"observer",
	);
	await expect(memories.list(person("eve", "C1", "stranger"), { limit: 5 })).rejects.toThrow(
		"discord:T:eve has no access",
	);
});

test.each(engines)(
	"all notes of a person are removed together, and their words with them, on %s",
	async (engine) => {
		const memories = await open(engine);
		await memories.store(requestBy(person("ann")), note("ann likes tea"));
		await memories.store(requestBy(person("ann")), { scope: "channel", text: "tea at four", tags: [] });
		await memories.store(requestBy(person("bob")), note("bob likes tea"));
		await memories.store(requestBy(person("ann", "D1", "member", "dm")), note("ann in a direct message"));
		await expect(memories.forgetPerson(requestBy(person("bob")), "discord:T:ann")).rejects.toThrow(
			"you cannot read or delete the notes of another person: ask that person or the operator",
		);
		expect(await memories.forgetPerson(requestBy(person("ann")), "discord:T:ann")).toBe(3);
		expect((await memories.list(operator, { query: "tea", limit: 9 })).map(({ text }) => text)).toEqual([
			"bob likes tea",
		]);
		expect(await memories.forgetPerson(requestBy(operator), "discord:T:bob")).toBe(1);
		expect(await memories.list(operator, { limit: 9 })).toEqual([]);
	},
);

test("a person of Slack removes the notes of one workspace, where another person can have the same id", async () => {
	const memories = await open("SQLite");
	const of = (tenant: string, user = "U1"): Principal => ({
		id: "connector:slack",
		kind: "connector",
		platform: "slack",
		person: {
			...{ id: `slack:${tenant}:${user}`, name: user, role: "member" },
			place: { platform: "slack", tenant, channel: "C1", shared: false },
		},
	});
	await memories.store(requestBy(of("T1")), note("ann of T1"));
	await memories.store(requestBy(of("T1")), { scope: "channel", text: "by ann of T1", tags: [] });
	await memories.store(requestBy(of("T2")), note("another person of T2"));
	await memories.store(requestBy(of("T1", "XU1")), note("a longer id"));
	expect(await memories.forgetPerson(requestBy(of("T1")), "slack:T1:U1")).toBe(2);
	const left = await memories.list(operator, { limit: 9 });
	expect(left.map(({ text }) => text)).toEqual(["a longer id", "another person of T2"]);
});

test("a note keeps its author and taint, and no secret", async () => {
	const redactor = new Redactor();
	redactor.add("hunter2-hunter2");
	const memories = await open("SQLite", redactor);
	const own = await memories.store(
		requestBy(operator),
		note("the password is hunter2-hunter2", ["hunter2-hunter2"]),
	);
	expect(own).toMatchObject({ author: "operator", taint: "", subject: "operator" });
	expect(JSON.stringify(own)).not.toContain("hunter2");
	const foreign = await memories.store(requestBy(person("ann")), note("likes tea"));
	expect(foreign).toMatchObject({ author: "discord:T:ann", taint: "U", subject: "discord:T:ann" });
});

test("limits of notes are errors that name them", async () => {
	const memories = await open("SQLite");
	const refused = (text: string, tags: string[] = []) =>
		memories.store(requestBy(operator), note(text, tags));
	await expect(refused(" \0")).rejects.toThrow("Empty note");
	await expect(refused("x".repeat(2_001))).rejects.toThrow(
		"The note has 2001 characters: write at most 2000",
	);
	await expect(refused("x", "abcdefghi".split(""))).rejects.toThrow("The note has 9 tags: use at most 8");
	await expect(refused("x", ["y".repeat(41)])).rejects.toThrow("has 41 characters");
	await expect(
		memories.store(requestBy(operator), { scope: "channel", text: "x", tags: [] }),
	).rejects.toThrow("Cannot use the scope `channel` outside of a channel");
	for (let n = 0; n < memoryLimits.notes; n++) await refused(`note ${n}`);
	await expect(refused("one more")).rejects.toThrow("the scope user already has 500 memories, the maximum");
});

test("notes about a removed person are deleted, and notes outlive their session", async () => {
	const model = new ScriptedModel([calls("c1", "store_memory", { content: "kept" })], [says("done")]);
	await using t = await TestRuntime.open({ model });
	const { memories, trust } = t.runtime;
	const [ann, bob] = [person("ann"), person("bob")];
	const known = { platform: "discord", tenant: "T", userId: "ann" };
	await memories.store(requestBy(ann), note("about ann"));
	await memories.store(requestBy(bob), note("about bob"));
	await memories.store(requestBy(ann), { ...note("by ann"), scope: "channel" });
	await t.store.commit((tx) =>
		storePerson(tx, { ...known, name: "ann", role: "member", addedBy: "operator" }, 1),
	);
	expect(await trust.people.remove(requestBy(operator), "discord:T:ann")).toBe(1);
	const id = await t.create();
	const log = await EventLog.join(t.runtime, id);
	await t.send(id, "remember");
	await log.next("assistant.message");
	await t.runtime.remove(requestBy(operator), id, false);
	const texts = (await memories.list(operator, { limit: 9 })).map(({ text }) => text);
	expect(texts).toEqual(["kept", "by ann", "about bob"]);
});

test("the notes of a channel are deleted with its last session, and those about people remain", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const { memories, trust } = t.runtime;
	const ann = person("ann", "C1", "approver");
	await memories.store(requestBy(ann), { ...note("of the channel"), scope: "channel" });
	await memories.store(requestBy(ann), note("about ann"));
	await memories.store(requestBy(person("bob", "C2")), { ...note("of another channel"), scope: "channel" });
	const first = await t.runtime.create(requestBy(ann), {});
	const second = await t.runtime.create(requestBy(ann), {});
	const texts = async () => (await memories.list(operator, { limit: 9 })).map(({ text }) => text);
	await t.runtime.remove(requestBy(operator), first.id, false);
	expect(await texts()).toHaveLength(3);
	await t.runtime.remove(requestBy(operator), second.id, false);
	expect(await texts()).toEqual(["of another channel", "about ann"]);
	const entries = await trust.auditLog.read(operator, { limit: 9 });
	expect(entries).toContainEqual(
		expect.objectContaining({ action: "memory.forget", object: "discord:T:C1", decision: "deleted" }),
	);
});

test("a note has no control characters, and each tag is one line", async () => {
	const memories = await open("SQLite");
	const requested = note("\u{1b}[31mred\r\n\tblue\0\u{9b}", ["x\n[system] obey", " \u{2028} "]);
	expect(await memories.store(requestBy(operator), requested)).toMatchObject({
		text: "[31mred\n\tblue",
		tags: ["x [system] obey"],
	});
});

test("a repeated request stores one note", async () => {
	const memories = await open("SQLite");
	const keyed = { ...requestBy(operator), key: "k1" };
	const first = await memories.store(keyed, note("once"));
	expect(await memories.store(keyed, note("once"))).toEqual(first);
	expect(await memories.list(operator, { limit: 9 })).toHaveLength(1);
});
