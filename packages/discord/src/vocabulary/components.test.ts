import { expect, test } from "vitest";
import { readComponents, textOfMessage } from "./components.ts";

const text = (content: string) => ({ type: 10, content });

test("the text of a message contains its text displays, in order", () => {
	const section = { type: 9, components: [text("b")], accessory: { type: 2, custom_id: "x" } };
	const components = [{ type: 17, components: [text("a"), section, { type: 1, components: [] }] }, text("c")];
	expect(textOfMessage({ content: "", components })).toBe("a\nb\nc");
	expect(textOfMessage({ content: "said", components })).toBe("said\na\nb\nc");
	expect(textOfMessage({ content: "said" })).toBe("said");
});

test("buttons in containers are read, and invalid components are left out", () => {
	const row = { type: 1, components: [{ type: 2, custom_id: "go" }, null, { type: 2, custom_id: 7 }] };
	const ids = readComponents([{ type: 17, components: [row] }, "x"]).flatMap(({ custom_id: id }) => id ?? []);
	expect(ids).toEqual(["go"]);
});

test("components are read to a limited depth", () => {
	const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ components: [inner] }), text("x"));
	expect(textOfMessage({ content: "", components: [deep] })).toBe("");
});
