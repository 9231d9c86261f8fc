import { createHash } from "node:crypto";
import {
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rm,
	stat,
	symlink,
	truncate,
	utimes,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { defined, openSqliteStore } from "@parley/base";
import { ManualClock, paced } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { Header } from "tar";
import { expect, test } from "vitest";
import { databaseIn } from "../data-directory/data-directory.ts";
import { lockDataDirectory } from "../data-directory/data-lock.ts";
import { createBackup } from "./create-backup.ts";
import { restoreBackup, verifyBackup } from "./restore-backup.ts";

const clock = new ManualClock();
const version = "1.2.3";
const stamp = { epoch: 1, v: 1 };

class Place implements AsyncDisposable {
	readonly #path: string;

	private constructor(path: string) {
		this.#path = path;
	}

	static async open(): Promise<Place> {
		return new Place(await mkdtemp(join(tmpdir(), "parley-backup-test-")));
	}

	at(...names: readonly string[]): string {
		return join(this.#path, ...names);
	}

	async fill(name: string, fileId = "file_a"): Promise<string> {
		const data = this.at(name);
		await this.write(join(data, "keys", "secrets"), "key");
		await this.write(join(data, "tokens", "operator"), "token");
		await this.write(join(data, "agents", "writer.md"), "You write.");
		await this.write(join(data, "files", fileId), "kept");
		await this.write(join(data, "files", "file_unnamed"), "left over");
		await this.write(join(data, "run", "gateway.json"), "{}");
		await this.write(join(data, "parley.config.json.1.draft"), "half");
		const store = await openSqliteStore<Tables>({ file: databaseIn(data), migrations });
		const row = { owner: "operator", session_id: null, name: "a.txt", media_type: "text/plain", bytes: 4 };
		const note = {
			scope: "everyone",
			subject: "",
			author: "operator",
			session_id: null,
			taint: "U",
		} as const;
		const text = { text: "お茶が好き", tags: "[]", search_text: "お茶が好き" };
		await store.commit(async (tx) => {
			await tx
				.insertInto("files")
				.values({ id: fileId, ...row, sha256: "", created_at: 1, expires_at: 2, ...stamp })
				.execute();
			await tx
				.insertInto("memories")
				.values({ id: "mem_a", ...note, ...text, created_at: 1, ...stamp })
				.execute();
		});
		await store.close();
		return data;
	}

	async write(path: string, text: string): Promise<void> {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		await writeFile(path, text);
	}

	async pack(name: string, entries: readonly Packed[]): Promise<string> {
		const blocks = entries.flatMap(({ path, type = "File", text = "", linkpath, ...more }) => {
			const content = more.content ?? Buffer.from(text);
			const block = Buffer.alloc(512);
			new Header({ path, type, size: content.length, mode: 0o600, ...defined({ linkpath }) }).encode(block);
			return [block, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
		});
		await writeFile(this.at(name), gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
		return this.at(name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await rm(this.#path, { recursive: true, force: true });
	}
}

interface Packed {
	readonly path: string;
	readonly type?: "File" | "SymbolicLink" | "CharacterDevice" | "Directory";
	readonly text?: string;
	readonly content?: Buffer;
	readonly linkpath?: string;
}

/** Returns the text of each file by its path. Omits the side files of databases. The text of a database is empty. */
async function contents(directory: string): Promise<Record<string, string>> {
	const entries = await readdir(directory, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile() && !/-(?:wal|shm)$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name));
	const texts = await Promise.all(
		files
			.sort()
			.map(async (path) => [
				path.slice(directory.length + 1),
				path.endsWith(".sqlite") ? "" : await readFile(path, "utf8"),
			]),
	);
	return Object.fromEntries(texts);
}

function save(place: Place, dataDirectory: string, force = false) {
	return createBackup({ dataDirectory, file: place.at("b.tar.gz"), version, clock, force });
}

function restore(file: string, dataDirectory: string, force = false) {
	return restoreBackup({ file, dataDirectory, clock, force });
}

function manifestOf(files: readonly { path: string; text: string }[], more: object = {}): Packed {
	const listed = files.map(({ path, text }) => ({
		path,
		bytes: Buffer.byteLength(text),
		sha256: createHash("sha256").update(text).digest("hex"),
	}));
	const facts = { format: 1, version, created_at: "2026-01-01T00:00:00Z", migrations: [] };
	return { path: "manifest.json", text: JSON.stringify({ ...facts, files: listed, ...more }) };
}

test("a restore has the saved content, for this user only, without files of a process", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	const saved = await save(place, data);
	expect(saved).toMatchObject({ files: 5, sessions: 0, missing: [] });
	expect((await stat(saved.file)).mode & 0o777).toBe(0o600);
	expect((await readdir(place.at("."))).sort()).toEqual(["b.tar.gz", "data"]);
	expect(await verifyBackup(saved.file)).toMatchObject({
		version,
		files: 5,
		createdAt: "2026-01-01T00:00:00.000Z",
	});
	await restore(saved.file, place.at("new"));
	const { "run/lock.pid": _pid, "run/lock.sqlite": _lock, ...found } = await contents(place.at("new"));
	const { "restored.json": note, ...restored } = found;
	expect(note).toContain('"backup_of":"2026-01-01T00:00:00.000Z"');
	expect(Object.keys(restored)).toEqual([
		...["agents/writer.md", "files/file_a", "keys/secrets", "parley.sqlite", "tokens/operator"],
	]);
	expect(restored).toMatchObject({ "agents/writer.md": "You write.", "files/file_a": "kept" });
	expect((await stat(place.at("new", "keys", "secrets"))).mode & 0o777).toBe(0o600);
	expect((await stat(place.at("new", "agents"))).mode & 0o777).toBe(0o700);
	await save(place, place.at("new"), true);
	const store = await openSqliteStore<Tables>({ file: databaseIn(place.at("new")), migrations });
	const notes = await store.read((db) =>
		db.selectFrom("memories").select(["id", "author", "taint"]).execute(),
	);
	expect(notes).toEqual([{ id: "mem_a", author: "operator", taint: "U" }]);
	await store.close();
});

test("names that differ only in upper and lower case are restored", async ({ skip }) => {
	await using place = await Place.open();
	const data = await place.fill("data");
	await place.write(join(data, "agents", "WRITER.md"), "YOU WRITE.");
	const { length } = await readdir(join(data, "agents"));
	skip(length === 1, "this file system ignores upper and lower case");
	await restore((await save(place, data)).file, place.at("new"));
	expect(await contents(place.at("new"))).toMatchObject({ "agents/WRITER.md": "YOU WRITE." });
});

test("a file system on which two files of a backup have one name is reported", async () => {
	await using place = await Place.open();
	const { file } = await save(place, await place.fill("data"));
	const dataDirectory = place.at("new");
	// Such a file system already has the file `tokens/operator` when the restore wants to create it.
	const reach = async (): Promise<void> => {
		const [part = ""] = (await readdir(dataDirectory)).filter((name) => name !== "run");
		await place.write(join(dataDirectory, part, "tokens", "operator"), "other");
	};
	const refused = restoreBackup({ file, dataDirectory, clock, force: false, failpoints: { reach } });
	await expect(refused).rejects.toThrow('cannot restore "tokens/operator": on this file system');
});

test("workspaces of sessions are in no backup, and stay at their places in a restore", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	const own = join(data, "workspaces", "sess_a", "notes.txt");
	await place.write(own, "mine");
	// A command in a workspace can create a link to a backup.
	await symlink(place.at("b.tar.gz"), join(dirname(own), "link"));
	const saved = await save(place, data);
	expect(saved.files).toBe(5);
	const { aside = "" } = await restore(saved.file, data, true);
	expect(await readFile(own, "utf8")).toBe("mine");
	expect(await readdir(aside)).not.toContain("workspaces");
});

test("a backup of an earlier version, which has workspaces, replaces them", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	const database = await readFile(databaseIn(data));
	const own = join(data, "workspaces", "sess_a", "notes.txt");
	await place.write(own, "mine");
	const files = [
		{ path: "parley.sqlite", text: "" },
		{ path: "workspaces/sess_a/notes.txt", text: "saved" },
	];
	const listed = files.map(({ path, text }) => {
		const content = path === "parley.sqlite" ? database : Buffer.from(text);
		return { path, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
	});
	const manifest = manifestOf([], { files: listed });
	const entries = files.map(({ path, text }) => ({
		path: `data/${path}`,
		...(path === "parley.sqlite" ? { content: database } : { text }),
	}));
	const file = await place.pack("old.tar.gz", [manifest, ...entries]);
	const { aside = "" } = await restore(file, data, true);
	expect(await readFile(own, "utf8")).toBe("saved");
	expect(await readFile(join(aside, "workspaces", "sess_a", "notes.txt"), "utf8")).toBe("mine");
});

test("an existing file is replaced only on request", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	await writeFile(place.at("b.tar.gz"), "mine");
	await expect(save(place, data)).rejects.toMatchObject({ code: "already_exists" });
	expect(await readFile(place.at("b.tar.gz"), "utf8")).toBe("mine");
	await save(place, data, true);
	await verifyBackup(place.at("b.tar.gz"));
});

test("a backup is never inside its source, under any name", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	await symlink(data, place.at("linked"));
	const before = await readdir(data);
	for (const file of [
		join(data, "b.tar.gz"),
		join(data, "agents", "b.tar.gz"),
		place.at("linked", "b.tar.gz"),
	]) {
		const saving = createBackup({ dataDirectory: data, file, version, clock, force: false });
		await expect(saving).rejects.toMatchObject({
			code: "invalid_argument",
			message: expect.stringContaining("choose a path outside this directory"),
		});
	}
	expect(await readdir(data)).toEqual(before);
	await createBackup({ dataDirectory: data, file: place.at("data.tar.gz"), version, clock, force: false });
});

test("the remainder of a killed backup is removed by the next one after a day", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	const left = [".parley-backup-aB3dE6", ".parley-backup-fresh1", ".parley-backup-of-mine"];
	for (const name of left) await place.write(place.at(name, "data", "parley.sqlite"), "copy");
	const yesterday = new Date(clock.now() - 25 * 60 * 60_000);
	for (const name of [".parley-backup-aB3dE6", ".parley-backup-of-mine"]) {
		await utimes(place.at(name), yesterday, yesterday);
	}
	await place.write(place.at("b.tar.gz.part"), "mine");
	await save(place, data);
	const names = [".parley-backup-fresh1", ".parley-backup-of-mine", "b.tar.gz", "b.tar.gz.part", "data"];
	expect((await readdir(place.at())).sort()).toEqual(names);
});

test("a preserved file that was deleted in the meantime is named, and the target of a link is saved", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	await rm(join(data, "files", "file_a"));
	await rm(join(data, "agents"), { recursive: true });
	await place.write(place.at("elsewhere", "poet.md"), "You rhyme.");
	await symlink(place.at("elsewhere"), join(data, "agents"));
	expect(await save(place, data)).toMatchObject({ missing: ["file_a"], files: 4 });
	await restore(place.at("b.tar.gz"), place.at("new"));
	expect(await contents(place.at("new"))).toMatchObject({ "agents/poet.md": "You rhyme." });
});

test("a directory without conversations is not saved, and an unwritable one is reported", async () => {
	await using place = await Place.open();
	await mkdir(place.at("empty"));
	await expect(save(place, place.at("empty"))).rejects.toMatchObject({ code: "not_found" });
	const data = await place.fill("data");
	await place.write(place.at("file"), "");
	for (const [directory, reason] of [
		["nowhere", "does not exist; create it, or choose another path for the backup"],
		["file", "is not a directory; choose another path for the backup"],
	] as const) {
		const file = place.at(directory, "b.tar.gz");
		await expect(
			createBackup({ dataDirectory: data, file, version, clock, force: false }),
		).rejects.toMatchObject({
			code: "failed_precondition",
			message: `${place.at(directory)} ${reason}`,
		});
	}
});

test("only force moves all existing content aside, and a running gateway is never disturbed", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	const { file } = await save(place, data);
	await place.write(join(data, "agents", "writer.md"), "You write more.");
	const before = await contents(data);
	await expect(restore(file, data)).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining("is not empty"),
	});
	const lock = lockDataDirectory(data);
	await expect(restore(file, data, true)).rejects.toThrow("is in use by another gateway");
	lock.release();
	expect(await contents(data)).toMatchObject(before);
	const { aside = "" } = await restore(file, data, true);
	expect(aside).toBe(join(data, "before-restore-20260101T000000000Z"));
	expect(await contents(aside)).toMatchObject({
		"agents/writer.md": "You write more.",
		"keys/secrets": "key",
	});
	expect(await readFile(join(data, "agents", "writer.md"), "utf8")).toBe("You write.");
	// The next backup omits the content that was moved aside.
	expect((await save(place, data, true)).files).toBe(5);
});

test("every byte is checked, and an invalid backup leaves no files", async () => {
	await using place = await Place.open();
	const { file } = await save(place, await place.fill("data"));
	const full = await readFile(file);
	for (const cut of [0, 1, 100, full.length >> 1, full.length - 20]) {
		await writeFile(file, full);
		await truncate(file, cut);
		await expect(restore(file, place.at("new")), `cut at ${cut}`).rejects.toMatchObject({
			code: "data_loss",
		});
		await expect(verifyBackup(file)).rejects.toMatchObject({ code: "data_loss" });
	}
	for (const at of [15, full.length >> 2, (full.length * 3) >> 2]) {
		const changed = Buffer.from(full);
		changed[at] = (changed[at] ?? 0) ^ 0x55;
		await writeFile(file, changed);
		await expect(restore(file, place.at("new")), `changed at ${at}`).rejects.toMatchObject({
			code: "data_loss",
		});
	}
	expect(await readdir(place.at("new"))).toEqual(["run"]);
	await expect(verifyBackup(place.at("none"))).rejects.toMatchObject({ code: "not_found" });
	await expect(verifyBackup(place.at("new"))).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining("is a directory"),
	});
});

const good = { path: "parley.sqlite", text: "no database" };
const evil: readonly [string, readonly Packed[], string][] = [
	["no list", [{ path: "data/parley.sqlite", text: "x" }], "does not begin with a valid list"],
	["a list that is no JSON", [{ path: "manifest.json", text: "{" }], "the list of its files is not JSON"],
	["a list of something else", [{ path: "manifest.json", text: '{"format":1}' }], "not valid"],
	[
		"a path out of the directory",
		[manifestOf([{ path: "../x", text: "" }])],
		"not an allowed path inside a data directory",
	],
	[
		"an absolute path",
		[manifestOf([{ path: "/etc/x", text: "" }])],
		"not an allowed path inside a data directory",
	],
	[
		"the lock",
		[manifestOf([{ path: "run/lock.sqlite", text: "" }])],
		"not an allowed path inside a data directory",
	],
	[
		"a path of another system",
		[manifestOf([{ path: "a\\..\\b", text: "" }])],
		"not an allowed path inside a data directory",
	],
	["one path twice", [manifestOf([good, { path: "a", text: "" }, { path: "a", text: "" }])], "twice"],
	["no database", [manifestOf([{ path: "a", text: "" }])], "no database"],
	["too little", [manifestOf([good])], "parley.sqlite is missing"],
	[
		"what is not listed",
		[manifestOf([good]), { path: "data/x", text: "x" }],
		"is not one of the listed files",
	],
	[
		"a link",
		[manifestOf([good]), { path: "data/parley.sqlite", type: "SymbolicLink", linkpath: "/etc/passwd" }],
		"",
	],
	[
		"a device",
		[manifestOf([good]), { path: "data/parley.sqlite", type: "CharacterDevice" }],
		"is not one of the listed files",
	],
	[
		"a file twice",
		[
			manifestOf([good]),
			{ path: "data/parley.sqlite", text: good.text },
			{ path: "data/parley.sqlite", text: "" },
		],
		"is not one of the listed files",
	],
	[
		"another content",
		[manifestOf([good]), { path: "data/parley.sqlite", text: "NO database" }],
		"differs from the saved content",
	],
	[
		"another size",
		[manifestOf([good]), { path: "data/parley.sqlite", text: "no" }],
		"differs from the saved content",
	],
	["what is no database", [manifestOf([good]), { path: "data/parley.sqlite", text: good.text }], ""],
	[
		"far more than it lists",
		[manifestOf([good]), { path: "data/parley.sqlite", text: "0".repeat(5 * 2 ** 20) }],
		"more content than it lists",
	],
];

test.each(evil)("an archive with %s is refused", async (_what, entries, reason) => {
	await using place = await Place.open();
	const file = await place.pack("evil.tar.gz", entries);
	const refusal = {
		code: expect.stringMatching(/data_loss|invalid_argument/),
		message: expect.stringContaining(reason),
	};
	await expect(restore(file, place.at("new"))).rejects.toMatchObject(refusal);
	await expect(verifyBackup(file)).rejects.toMatchObject(refusal);
	expect(await readdir(place.at("new"))).toEqual(["run"]);
	expect((await readdir(place.at("."))).sort()).toEqual(["evil.tar.gz", "new"]);
});

test("a backup of a newer version is reported with its version", async () => {
	await using place = await Place.open();
	const newer = manifestOf([good], { version: "9.0.0", migrations: ["9999-future"] });
	const file = await place.pack("newer.tar.gz", [newer]);
	await expect(verifyBackup(file)).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/9\.0\.0.*9999-future.*upgrade/),
	});
	const format = await place.pack("format.tar.gz", [manifestOf([good], { format: 2, version: "9.0.0" })]);
	await expect(verifyBackup(format)).rejects.toMatchObject({ message: expect.stringContaining("9.0.0") });
});

const mebibyte = 2 ** 20;

test(
	"64 MiB of zeros, alone or after an archive, are refused at once",
	async () => {
		await using place = await Place.open();
		const zeros = gzipSync(Buffer.alloc(64 * mebibyte));
		await writeFile(place.at("zeros.tar.gz"), zeros);
		await expect(verifyBackup(place.at("zeros.tar.gz"))).rejects.toMatchObject({
			message: expect.stringMatching(
				/zeros\.tar\.gz cannot be used: it unpacks to more than 100 times its size/,
			),
		});
		await expect(
			verifyBackup(place.at("zeros.tar.gz"), { limits: { maxRatio: 2_000 } }),
		).rejects.toMatchObject({
			code: "data_loss",
			message: expect.stringMatching(/is not a backup, or is damaged/),
		});
		const archive = await readFile(await place.pack("good.tar.gz", [manifestOf([good])]));
		await writeFile(place.at("behind.tar.gz"), Buffer.concat([archive, zeros]));
		await expect(verifyBackup(place.at("behind.tar.gz"))).rejects.toMatchObject({
			message: expect.stringContaining("it has more content than it lists"),
		});
		await writeFile(place.at("more.tar.gz"), Buffer.concat([archive, gzipSync(Buffer.alloc(20_000, 1))]));
		await expect(verifyBackup(place.at("more.tar.gz"))).rejects.toMatchObject({
			message: expect.stringContaining("it has content after its end"),
		});
	},
	// The limit is ten times the usual duration. Quadratic time would take a minute.
	paced(10_000),
);

test("an archive that is compressed twice is refused before its inner content is unpacked", async () => {
	await using place = await Place.open();
	const zeros = { path: "agents/zeros", text: "\0".repeat(16 * mebibyte) };
	const bomb = await place.pack("bomb.tar.gz", [manifestOf([good]), zeros]);
	const inner = await readFile(bomb);
	await writeFile(place.at("gzip.tar.gz"), gzipSync(inner));
	// If the first bytes are packed separately, they arrive one by one.
	const pieces = [inner.subarray(0, 1), inner.subarray(1, 2), inner.subarray(2)];
	await writeFile(place.at("pieces.tar.gz"), Buffer.concat(pieces.map((piece) => gzipSync(piece))));
	for (const name of ["gzip.tar.gz", "pieces.tar.gz"]) {
		await expect(verifyBackup(place.at(name))).rejects.toMatchObject({
			code: "data_loss",
			message: expect.stringContaining("it is compressed twice"),
		});
	}
	await writeFile(place.at("zstd.tar.gz"), gzipSync(zstdCompressSync(gunzipSync(inner))));
	await expect(verifyBackup(place.at("zstd.tar.gz"))).rejects.toMatchObject({
		code: "data_loss",
		message: expect.stringContaining("it does not begin with a valid list of its files"),
	});
});

test("a backup beyond the limits of ratio or size is refused with the option that allows it, and nothing changes", async () => {
	await using place = await Place.open();
	const data = await place.fill("data");
	await writeFile(join(data, "agents", "zeros"), Buffer.alloc(70 * mebibyte));
	const { file } = await save(place, data);
	await place.write(place.at("new", "agents", "mine.md"), "You stay.");
	const before = await contents(place.at("new"));
	const progress: string[] = [];
	const restoring = (limits: object) =>
		restoreBackup({
			file,
			dataDirectory: place.at("new"),
			clock,
			force: true,
			limits,
			onProgress: (doing) => progress.push(doing),
		});
	await expect(restoring({})).rejects.toMatchObject({
		code: "resource_exhausted",
		message: expect.stringMatching(/b\.tar\.gz cannot be used: .*100 times its size.*--max-ratio N$/),
	});
	await expect(restoring({ maxBytes: 1_000 })).rejects.toMatchObject({
		code: "resource_exhausted",
		message: expect.stringMatching(/unpacks to \d+ bytes, and the limit is 1000; .*--max-size SIZE$/),
	});
	const { "run/lock.pid": _pid, "run/lock.sqlite": _lock, ...after } = await contents(place.at("new"));
	expect(after).toEqual(before);
	progress.length = 0;
	const { bytes } = await restoring({ maxRatio: 2_000 });
	expect(bytes).toBeGreaterThan(70 * mebibyte);
	expect(progress).toEqual(
		expect.arrayContaining(["unpacking: 16 MiB of 70 MiB", "unpacking: 64 MiB of 70 MiB"]),
	);
});
