import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, parseJson } from "@parley/base";
import { migrations, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { run } from "../run.ts";
import { CapturedIo } from "../testing/captured-io.ts";

async function inDirectory(work: (at: (name: string) => string) => Promise<void>): Promise<void> {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-cli-backup-"));
	await work((name) => join(directory.path, name));
}

async function fill(data: string): Promise<void> {
	const store = await openSqliteStore<Tables>({ file: join(data, "parley.sqlite"), migrations });
	await store.close();
}

test("prints saved and restored data as rows or JSON", () =>
	inDirectory(async (at) => {
		await fill(at("data"));
		const io = new CapturedIo({ PARLEY_DATA: at("data") });
		expect(await run(["backup", at("b.tar.gz")], io)).toBe(0);
		expect(io.drainOut()).toMatch(
			/^saved 0 sessions of .*\/data\nin .*\/b\.tar\.gz \(.* kB, 1 files?\)\nThe backup contains keys and tokens\. .*\n$/,
		);
		expect(await run(["backup", at("b.tar.gz")], io)).toBe(1);
		expect(io.drainError()).toMatch(/^parley: .*b\.tar\.gz exists; .*--force\n$/);
		expect(await run(["backup", at("b.tar.gz"), "--force", "--json"], io)).toBe(0);
		expect(parseJson(io.drainOut())).toEqual({
			file: at("b.tar.gz"),
			data: at("data"),
			sessions: 0,
			files: 1,
			missing_files: [],
			bytes: expect.any(Number),
		});
		expect(await run(["restore", "--verify", at("b.tar.gz")], io)).toBe(0);
		expect(io.drainOut()).toMatch(
			/b\.tar\.gz can be restored: 1 files? \(.* kB\), saved by Parley .* at 2\d{3}-/,
		);
		expect(await run(["restore", "--verify", "--max-size", "1kB", at("b.tar.gz")], io)).toBe(1);
		expect(io.drainError()).toMatch(
			/^parley: .*b\.tar\.gz cannot be used: .*limit is 1000; .*--max-size SIZE\n$/,
		);
		expect(await run(["restore", "--max-size", "much", at("b.tar.gz")], io)).toBe(2);
		expect(io.drainError()).toContain("500MB, 100GB or 2TB");
		expect(await run(["restore", "--max-ratio", "0", at("b.tar.gz")], io)).toBe(2);
		expect(io.drainError()).toContain("a positive whole number");
		const roomy = ["--max-size", "1.5GB", "--max-ratio", "500"];
		expect(await run(["restore", "--data", at("new"), at("b.tar.gz"), ...roomy, "--json"], io)).toBe(0);
		expect(parseJson(io.drainOut())).toMatchObject({ data: at("new"), files: 1, aside: null });
		expect(await readdir(at("new"))).toEqual(["parley.sqlite", "restored.json", "run"]);
		expect(await run(["restore", "--data", at("new"), at("b.tar.gz")], io)).toBe(1);
		expect(io.drainError()).toMatch(/^parley: .*new is not empty \(parley\.sqlite\); use --force .*\n$/);
		expect(await run(["restore", "--data", at("new"), at("b.tar.gz"), "--force"], io)).toBe(0);
		expect(io.drainOut()).toMatch(
			/^restored .*\nto .*`parley start --data .*`.*\nthe previous data is in .*before-restore-.*\n$/,
		);
	}));

test("prints one line for an unusable file, and changes nothing", () =>
	inDirectory(async (at) => {
		await writeFile(at("letter"), "dear reader");
		const io = new CapturedIo({ PARLEY_DATA: at("data") });
		for (const args of [["--verify"], []]) {
			expect(await run(["restore", at("letter"), ...args], io)).toBe(1);
			expect(io.drainError()).toMatch(
				/^parley: .*letter is not a backup, or is damaged or incomplete \(Z_DATA_ERROR\); use another backup\n$/,
			);
		}
		expect(await run(["backup", at("b.tar.gz")], io)).toBe(1);
		expect(io.drainError()).toMatch(
			/^parley: there is no database in .*data; name another data directory with --data\n$/,
		);
		expect(await readdir(at("data"))).toEqual(["run"]);
	}));
