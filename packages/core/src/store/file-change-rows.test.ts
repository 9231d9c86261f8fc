import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore } from "@parley/base/testing";
import { afterAll, expect, test } from "vitest";
import {
	changeLimits,
	changesOf,
	endWrite,
	insertWrite,
	lastChangedTurn,
	markUndone,
	type RunReference,
} from "./file-change-rows.ts";
import type { Tx } from "./journal.ts";
import { migrations } from "./migrations/migrations.ts";
import { insertRun } from "./statements.ts";
import type { Tables } from "./tables.ts";

const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-file-changes-"));
afterAll(() => rm(directory, { recursive: true }));

let files = 0;
const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: join(directory, `${++files}.sqlite`), migrations })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

const sessionId = "sess_1";

async function addTurn(tx: Tx, ordinal: number): Promise<RunReference> {
	const runId = `run_${ordinal}`;
	const empty = {
		images: null,
		retryOf: null,
		attachments: null,
		correlation: null,
		actor: null,
		options: null,
	};
	const run = { id: runId, sessionId, ordinal, state: "ended", content: "", acceptAll: 0, at: 1 } as const;
	await insertRun(tx, { ...run, ...empty });
	return { sessionId, runId };
}

interface TestWrite {
	readonly path: string;
	readonly before: string;
	readonly after: string;
	readonly content?: string;
}

function write(tx: Tx, turn: RunReference, { path, before, after, content = "c" }: TestWrite): Promise<void> {
	return insertWrite(tx, turn, { path, before: { hash: before, mode: 0o644, size: 1 }, after, content });
}

const recorded = { before_hash: "a", content: "c", interleaved: 0, undone_by: null };

test.each(engines)(
	"the content before a turn, its last hash and changes in between are recorded (%s)",
	async (_, open) => {
		const store = await open();
		await store.commit(async (tx) => {
			const turn = await addTurn(tx, 1);
			await write(tx, turn, { path: "/f", before: "a", after: "b" });
			expect(await changesOf(tx, turn)).toMatchObject([{ ...recorded, after_hash: "b", writing_from: "a" }]);
			await endWrite(tx, turn, { path: "/f", after: "b" }, "written");
			await write(tx, turn, { path: "/f", before: "b", after: "c", content: "later content" });
			await endWrite(tx, turn, { path: "/f", after: "by another sub-agent" }, "failed");
			expect(await changesOf(tx, turn)).toMatchObject([{ ...recorded, after_hash: "c", writing_from: "b" }]);
			await endWrite(tx, turn, { path: "/f", after: "c" }, "failed");
			expect(await changesOf(tx, turn)).toMatchObject([{ ...recorded, after_hash: "b", writing_from: null }]);
			await write(tx, turn, { path: "/f", before: "by hand", after: "d" });
			expect(await changesOf(tx, turn)).toMatchObject([{ ...recorded, after_hash: "d", interleaved: 1 }]);
			const later = await addTurn(tx, 2);
			await write(tx, later, { path: "/g", before: "a", after: "b" });
			expect(await lastChangedTurn(tx, sessionId)).toBe("run_2");
			await markUndone(tx, later, "run_3");
			expect(await lastChangedTurn(tx, sessionId)).toBe("run_1");
			const failed = await addTurn(tx, 4);
			await write(tx, failed, { path: "/h", before: "a", after: "b" });
			await endWrite(tx, failed, { path: "/h", after: "b" }, "failed");
			expect([await lastChangedTurn(tx, sessionId), await changesOf(tx, failed)]).toEqual(["run_1", []]);
			expect(await changesOf(tx, later)).toMatchObject([{ undone_by: "run_3", content: null, stored: 0 }]);
		});
		await store.close();
	},
);

test.each(engines)(
	"a session keeps a limited number of turns, and a limited size of their content (%s)",
	async (_, open) => {
		const store = await open();
		await store.commit(async (tx) => {
			const turns: RunReference[] = [];
			for (let ordinal = 1; ordinal <= changeLimits.turns + 1; ordinal++) {
				const turn = await addTurn(tx, ordinal);
				turns.push(turn);
				await write(tx, turn, { path: "/f", before: "a", after: "b" });
			}
			const remaining = await tx.selectFrom("file_changes").select("run_id").execute();
			expect(new Set(remaining.map(({ run_id }) => run_id))).toEqual(
				new Set(turns.slice(1).map(({ runId }) => runId)),
			);
			const large = await addTurn(tx, changeLimits.turns + 2);
			await write(tx, large, {
				path: "/f",
				before: "a",
				after: "b",
				content: "x".repeat(changeLimits.characters),
			});
			await write(tx, large, { path: "/g", before: "a", after: "b" });
			const rows = await tx.selectFrom("file_changes").select(["run_id", "path", "stored"]).execute();
			expect(rows.map(({ run_id, path, stored }) => [run_id, path, Number(stored)])).toEqual([
				[large.runId, "/f", changeLimits.characters],
				[large.runId, "/g", 0],
			]);
		});
		await store.close();
	},
);
