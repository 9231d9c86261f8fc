import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { readSessionKey, roomKeyOf, roomOf, writeSessionKey } from "./external-key.ts";

const id = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
const key = fc
	.record(
		{
			platform: id,
			tenant: id,
			channel: id,
			thread: id,
			person: id,
			number: fc.integer({ min: 1, max: 999_999_999 }),
		},
		{ requiredKeys: ["platform", "tenant", "channel", "number"] },
	)
	.map(({ thread, person, ...rest }) => ({
		...rest,
		...defined({ thread, person }),
	}));

test("a key is parsed to the value that was written, for all ids", () => {
	void fc.assert(
		fc.property(key, (written) => {
			expect(readSessionKey(writeSessionKey(written))).toEqual(written);
		}),
	);
});

test("two keys are equal only if all their parts are equal", () => {
	void fc.assert(
		fc.property(key, key, (one, other) => {
			const same = writeSessionKey(one) === writeSessionKey(other);
			expect(same).toBe(
				JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort()),
			);
		}),
	);
});

test.each([
	["discord:111:222", { platform: "discord", tenant: "111", channel: "222", number: 1 }],
	["discord:111:222:333", { platform: "discord", tenant: "111", channel: "222", thread: "333", number: 1 }],
	["discord:111:222@42/3", { platform: "discord", tenant: "111", channel: "222", person: "42", number: 3 }],
	...[
		"",
		"discord",
		"discord:111",
		"a:b:c/1",
		"a:b:c/0",
		"a:b:c/x",
		"a:b:c:",
		"a:b:c:d:e",
		"a:b:c@",
		"%:b:c",
	].map((text) => [text, undefined] as const),
	["%e4:b:c", undefined],
] as const)("%s is read", (text, expected) => {
	expect(readSessionKey(text)).toEqual(expected);
});

test("all sessions of a channel share the start of its key, and its channel", () => {
	const third = { platform: "discord", tenant: "1", channel: "2", thread: "3", person: "4", number: 3 };
	expect(roomKeyOf(third)).toBe("discord:1:2:3@4");
	expect(roomOf(third)).toEqual({ tenant: "1", channel: "2", thread: "3", shared: false, kind: "channel" });
});
