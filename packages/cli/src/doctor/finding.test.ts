import { chmod, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSqliteFile, createIds } from "@parley/base";
import { loadOrCreateOperatorToken, readOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { failWith } from "./finding.ts";

test("a finding shows the complete failure and its correction, also for a directory with an unusual name", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-finding-"));
	const data = join(directory.path, "old: move; run: later");
	await mkdir(data);
	const file = join(data, "parley.sqlite");
	await writeFile(file, "this is a letter, not a database. ".repeat(200));
	const damaged: unknown = await checkSqliteFile(file, []).catch((reason: unknown) => reason);
	expect(failWith(damaged, "other")).toEqual({
		status: "fail",
		what: `the database ${file} is damaged and was not changed`,
		fix: "move it and its -wal file aside, restore a backup in its place, and start again",
	});
	await loadOrCreateOperatorToken(data, createIds());
	const token = join(data, "tokens", "operator");
	await chmod(token, 0o644);
	const open: unknown = await readOperatorToken(data).catch((reason: unknown) => reason);
	expect(failWith(open, "other")).toEqual({
		status: "fail",
		what: `${token} is open to other users of this machine (mode 644)`,
		fix: `chmod 600 '${token}'`,
	});
});

test("a finding about another error has the usual correction", () => {
	expect(failWith(new Error("disk I/O error: move"), "restore a backup")).toEqual({
		status: "fail",
		what: "disk I/O error: move",
		fix: "restore a backup",
	});
});
