import { globSync, readFileSync } from "node:fs";
import { eventNames } from "@parley/protocol";
import { expect, test } from "vitest";
import { notDisplayed } from "./not-displayed.ts";

const root = new URL("../../packages/connector/src/", import.meta.url);

const sources = globSync(["conversation/**/*.ts", "subscription/**/*.ts"], {
	cwd: root,
	exclude: ["**/*.test.ts"],
})
	.map((path) => readFileSync(new URL(path, root), "utf8"))
	.join("\n");

test("each event is displayed in chats, or has a reason why not", () => {
	const isHandled = (name: string): boolean => sources.includes(`"${name}"`);
	const missing = eventNames.filter((name) => !isHandled(name) && !(name in notDisplayed));
	expect(missing, "handle it in connector/src/conversation, or add a reason here").toEqual([]);
	expect(Object.keys(notDisplayed).filter((name) => isHandled(name) || !eventNames.includes(name))).toEqual(
		[],
	);
});
