import { chmod, mkdir, mkdtempDisposable, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, mintToken, Redactor, readTokenText } from "@parley/base";
import { expect, test } from "vitest";
import { loadOrCreateOperatorToken, openOperatorToken, readOperatorToken } from "./operator-token.ts";

const ids = createIds();

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-token-"));
}

test("the first start creates a token that only this user can read, and later starts read it", async () => {
	await using data = await temporaryDirectory();
	expect(await readOperatorToken(data.path)).toBeUndefined();
	const token = await loadOrCreateOperatorToken(data.path, ids);
	expect(readTokenText(token)?.kind).toBe("operator");
	expect((await stat(join(data.path, "tokens"))).mode & 0o777).toBe(0o700);
	expect((await stat(join(data.path, "tokens", "operator"))).mode & 0o777).toBe(0o600);
	expect(await loadOrCreateOperatorToken(data.path, ids)).toBe(token);
	expect(await readOperatorToken(data.path)).toBe(token);
});

test("only one of many simultaneous starts creates the token, and no other file remains", async () => {
	await using data = await temporaryDirectory();
	const tokens = await Promise.all(
		Array.from({ length: 20 }, () => loadOrCreateOperatorToken(data.path, ids)),
	);
	expect(new Set(tokens).size).toBe(1);
	expect(await readdir(join(data.path, "tokens"))).toEqual(["operator"]);
});

test.each([
	["tokens", 0o750, "chmod 700"],
	["tokens", 0o701, "chmod 700"],
	["tokens/operator", 0o640, "chmod 600"],
	["tokens/operator", 0o604, "chmod 600"],
])("%s with mode %o is refused, with the command that fixes it", async (name, mode, command) => {
	await using data = await temporaryDirectory();
	await loadOrCreateOperatorToken(data.path, ids);
	const path = join(data.path, name);
	await chmod(path, mode);
	const refused = { code: "failed_precondition", message: expect.stringContaining(`${command} '${path}'`) };
	await expect(loadOrCreateOperatorToken(data.path, ids)).rejects.toMatchObject(refused);
	await expect(readOperatorToken(data.path)).rejects.toMatchObject(refused);
});

test("a new token replaces the first one, readable by this user only", async () => {
	await using data = await temporaryDirectory();
	const redactor = new Redactor();
	const file = await openOperatorToken(data.path, { ids, redactor });
	const first = await file.read();
	const second = mintToken("operator", ids);
	await file.replace(second);
	expect(await readOperatorToken(data.path)).toBe(second);
	expect(await file.read()).toBe(second);
	expect(second).not.toBe(first);
	for (const text of [first, second]) expect(redactor.redact(btoa(text))).toBe("[redacted]");
	expect((await stat(join(data.path, "tokens", "operator"))).mode & 0o777).toBe(0o600);
	expect(await readdir(join(data.path, "tokens"))).toEqual(["operator"]);
});

test("a token that replaces a deleted file is redacted", async () => {
	await using data = await temporaryDirectory();
	const redactor = new Redactor();
	const file = await openOperatorToken(data.path, { ids, redactor });
	await rm(join(data.path, "tokens", "operator"));
	expect(redactor.redact(btoa(await file.read()))).toBe("[redacted]");
});

const kinds = ["observer", "connector", "ticket"] as const;
const ofOtherKinds = kinds.map((kind) => mintToken(kind, ids));
const cutOff = mintToken("operator", ids).slice(0, -3);

test.each(["", "\n", " ", "undefined", "null", "changeme", "[redacted]", cutOff, ...ofOtherKinds])(
	"a file that contains %j is refused and left unchanged",
	async (content) => {
		await using data = await temporaryDirectory();
		await mkdir(join(data.path, "tokens"), { mode: 0o700 });
		const path = join(data.path, "tokens", "operator");
		await writeFile(path, content, { mode: 0o600 });
		await expect(loadOrCreateOperatorToken(data.path, ids)).rejects.toMatchObject({
			code: "failed_precondition",
			message: expect.stringContaining("does not contain a token"),
		});
		expect(await readFile(path, "utf8")).toBe(content);
	},
);
