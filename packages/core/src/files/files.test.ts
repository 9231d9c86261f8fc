import { createHash } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, type Store } from "@parley/base";
import { storeWith } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Tables } from "../store/tables.ts";
import { ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { StoredFile } from "../vocabulary/stored-file.ts";

const mebibyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;
const discord: Principal = { id: "connector:discord", kind: "connector" };
const slack: Principal = { id: "connector:slack", kind: "connector" };
const observer: Principal = { id: "observer", kind: "observer" };

let t: TestRuntime;

beforeEach(async () => {
	const files = { maxBytes: mebibyte, quotaBytes: 2 * mebibyte };
	t = await TestRuntime.open({ model: new ScriptedModel([says("done")]), files });
});
afterEach(() => t[Symbol.asyncDispose]());

async function* bytes(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
	for (const part of parts) yield Buffer.from(part);
}

const stored = (): Promise<string[]> => readdir(join(t.directory, "data", "files")).catch(() => []);

async function contentOf(id: string): Promise<string> {
	let text = "";
	for await (const chunk of await t.runtime.files.read(id)) text += chunk;
	return text;
}

function store(
	name: string,
	content: AsyncIterable<Uint8Array>,
	key?: string,
	principal = operator,
): Promise<StoredFile> {
	return t.runtime.files.store(principal, { name, content, key });
}

test("an upload is stored unchanged, under its own id and a safe name, for its owner only", async () => {
	const uploaded = await store("../secret/notes\n.txt", bytes("hello ", "world"));
	expect(uploaded).toEqual({
		id: expect.stringMatching(/^file_[0-9a-z]{26}$/),
		name: "notes.txt",
		mediaType: "text/plain",
		bytes: 11,
		sha256: createHash("sha256").update("hello world").digest("hex"),
		expiresAt: t.clock.now() + 7 * dayMs,
	});
	expect(await stored()).toEqual([uploaded.id]);
	const path = join(t.directory, "data", "files");
	expect((await stat(path)).mode & 0o777).toBe(0o700);
	expect((await stat(join(path, uploaded.id))).mode & 0o777).toBe(0o600);
	expect(await contentOf(uploaded.id)).toBe("hello world");
	await expect(t.runtime.files.find(operator, uploaded.id)).resolves.toMatchObject(uploaded);
});

const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

test.each<[string, string | Uint8Array, string]>([
	["an image", png, "image/png"],
	["a document", "%PDF-1.7\n%\u00e2\n", "application/pdf"],
	["words", "# Grüße\n", "text/plain"],
	["nothing", "", "text/plain"],
	["a page", "<!doctype html><script>alert(1)</script>", "text/plain"],
	[
		"a drawing that may run scripts",
		'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
		"text/plain",
	],
	["text that is no UTF-8", Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), "application/octet-stream"],
	["half a character at the end", Buffer.from([0x61, 0xc3]), "application/octet-stream"],
	["zeros", Buffer.alloc(100), "application/octet-stream"],
])("the type of %s follows from its content", async (_, content, mediaType) => {
	await expect(store("lies.png", bytes(content))).resolves.toMatchObject({ mediaType });
});

test("a character may be split between two chunks", async () => {
	const euro = Buffer.from("€");
	await expect(store("x", bytes(euro.subarray(0, 1), euro.subarray(1)))).resolves.toMatchObject({
		mediaType: "text/plain",
	});
});

test("a file that is too large is cut off and leaves nothing", async () => {
	const half = Buffer.alloc(mebibyte / 2);
	let received = 0;
	const endless = async function* () {
		for (;;) {
			received += 1;
			yield half;
		}
	};
	await expect(store("x", endless())).rejects.toThrow("the file is larger than 1 MiB");
	expect(received).toBe(3);
	expect(await stored()).toEqual([]);
});

test("an interrupted upload leaves no content", async () => {
	const broken = async function* () {
		yield Buffer.from("half");
		throw new ParleyError("the client has left", { code: "cancelled" });
	};
	await expect(store("x", broken())).rejects.toThrow("the client has left");
	expect(await stored()).toEqual([]);
});

test("simultaneous uploads share the same space as sequential ones", async () => {
	const full = () => bytes(Buffer.alloc(mebibyte));
	const all = await Promise.allSettled(["a", "b", "c", "d"].map((name) => store(name, full())));
	const failed = all.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
	expect(failed).toHaveLength(2);
	for (const reason of failed) expect(reason).toContain("no space for another file");
	expect(await stored()).toHaveLength(2);
	await expect(store("e", bytes("one more"))).rejects.toMatchObject({ code: "resource_exhausted" });
});

test("empty files use space as well", async () => {
	const options = { model: new ScriptedModel(), files: { quotaBytes: 10 * 1024 } };
	await using small = await TestRuntime.open(options);
	const { files } = small.runtime;
	for (const name of ["a", "b"]) await files.store(operator, { name, content: bytes() });
	await expect(files.store(operator, { name: "c", content: bytes() })).rejects.toMatchObject({
		code: "resource_exhausted",
		message: expect.stringContaining(
			"the quota of all files is 10 KiB, and each file counts as at least 4 KiB",
		),
	});
});

test("uploads with the same key are one file", async () => {
	const first = await store("a.txt", bytes("same"), "k1");
	await expect(store("a.txt", bytes("sa", "me"), "k1")).resolves.toEqual(first);
	expect(await stored()).toEqual([first.id]);
	await expect(store("a.txt", bytes("other"), "k1")).rejects.toThrow(
		'key "k1" was used for another request: use another key',
	);
	await expect(store("b.txt", bytes("same"), "k1")).rejects.toMatchObject({ code: "invalid_argument" });
	expect(await stored()).toEqual([first.id]);
	expect((await store("a.txt", bytes("same"), "k2")).id).not.toBe(first.id);
});

test("a repeated upload is answered by its key also if no space is left", async () => {
	const content = () => bytes(Buffer.alloc(mebibyte));
	const first = await store("a", content(), "k1");
	await store("b", content());
	await expect(store("a", content(), "k1")).resolves.toEqual(first);
	await expect(store("a", content(), "k2")).rejects.toThrow("no space for another file");
	expect(await stored()).toHaveLength(2);
});

test("the owner of a file and the operator can read it", async () => {
	const { id } = await store("x", bytes("x"), undefined, discord);
	await expect(t.runtime.files.find(discord, id)).resolves.toMatchObject({ id });
	await expect(t.runtime.files.find(operator, id)).resolves.toMatchObject({ id });
	await expect(t.runtime.files.find(slack, id)).rejects.toThrow(`file not found: ${id}`);
	await expect(store("x", bytes("x"), undefined, observer)).rejects.toMatchObject({
		code: "permission_denied",
	});
	await expect(t.runtime.files.find(operator, "../parley.sqlite")).rejects.toMatchObject({
		code: "not_found",
	});
});

test("a file without a message expires", async () => {
	const { id } = await store("x", bytes("x"));
	t.clock.advance(7 * dayMs - 1);
	await t.runtime.files.sweep();
	await expect(t.runtime.files.find(operator, id)).resolves.toMatchObject({ id });
	t.clock.advance(1);
	await expect(t.runtime.files.find(operator, id)).rejects.toMatchObject({ code: "not_found" });
	await t.runtime.files.sweep();
	expect(await stored()).toEqual([]);
});

test("a sweep deletes files that a crash left, and keeps files that are arriving", async () => {
	const { id } = await store("x", bytes("x"));
	const directory = join(t.directory, "data", "files");
	await writeFile(join(directory, "file_orphan"), "renamed, and never recorded");
	await writeFile(join(directory, "file_torn.part"), "never whole");
	const gate = Promise.withResolvers<void>();
	const slow = async function* () {
		yield Buffer.from("first");
		await gate.promise;
	};
	const coming = store("slow", slow());
	while ((await stored()).length < 4) await t.settle();
	await t.runtime.files.sweep();
	gate.resolve();
	const { id: late } = await coming;
	expect((await stored()).sort()).toEqual([id, late].sort());
});

test("a file that is recorded during a sweep is not deleted", async () => {
	const [placed, listed, recorded] = [0, 1, 2].map(() => Promise.withResolvers<void>());
	let sweeping: Promise<void> | undefined;
	const wrap = (store: Store<Tables>): Store<Tables> =>
		storeWith(store, {
			async read(query) {
				const rows = await store.read(query);
				if (!sweeping) return rows;
				listed?.resolve();
				await recorded?.promise;
				return rows;
			},
		});
	await using own = await TestRuntime.open({ model: new ScriptedModel([says("done")]), wrap });
	const { files } = own.runtime;
	const incoming = {
		id: "file_late",
		name: "late",
		owner: operator.id,
		sessionId: null,
		content: bytes("late"),
	};
	const coming = files.storeWith(incoming, async (insert) => {
		placed?.resolve();
		await listed?.promise;
		return own.store.commit(insert);
	});
	await placed?.promise;
	sweeping = own.settle().then(() => files.sweep());
	await coming;
	recorded?.resolve();
	await sweeping;
	await expect(files.load("file_late")).resolves.toEqual(Buffer.from("late"));
});

test("a file with missing content is not found", async () => {
	const { id } = await store("x", bytes("x"));
	await t.runtime.files.unlink([id]);
	await expect(t.runtime.files.read(id)).rejects.toMatchObject({ code: "not_found" });
});
