import { expect, test } from "vitest";
import { SecretBox } from "./secrets.ts";

const box = new SecretBox(Buffer.alloc(32, 7));

test.each(["hunter2", "", "pässwörd 🔑", "x".repeat(100_000)])("a sealed text can be opened", (value) => {
	expect(box.open("pw_1", box.seal("pw_1", value))).toBe(value);
});

test("a sealed value reveals no content, and differs each time", () => {
	const [first, second] = [box.seal("pw_1", "hunter2"), box.seal("pw_1", "hunter2")];
	expect(first).not.toBe(second);
	expect(Buffer.from(first, "base64url").includes("hunter2")).toBe(false);
});

test("another key, another handle or a changed value cannot open it", () => {
	const sealed = box.seal("pw_1", "hunter2");
	const changed = Buffer.from(sealed, "base64url");
	changed.writeUInt8(changed.readUInt8(14) ^ 1, 14);
	const failing = [
		() => new SecretBox(Buffer.alloc(32, 8)).open("pw_1", sealed),
		() => box.open("pw_2", sealed),
		() => box.open("pw_1", changed.toString("base64url")),
		() => box.open("pw_1", sealed.slice(0, -4)),
		() => box.open("pw_1", sealed.slice(0, 20)),
		() => box.open("pw_1", ""),
	];
	for (const open of failing) expect(open).toThrow(expect.objectContaining({ code: "data_loss" }));
});

test("the error names the handle but not the value", () => {
	const sealed = box.seal("pw_1", "hunter2");
	expect(() => box.open("pw_2", sealed)).toThrow("secret pw_2 cannot be decrypted with this key");
});

test.each([0, 16, 31, 33])("a key of %i bytes is refused", (length) => {
	expect(() => new SecretBox(Buffer.alloc(length))).toThrow(
		`the secret key has ${length} bytes, but must have 32 bytes`,
	);
});
