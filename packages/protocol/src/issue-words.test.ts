import { expect, test } from "vitest";
import * as z from "zod";
import { RequestFrame } from "./frame.ts";
import { issueWords } from "./issue-words.ts";
import { type MethodName, methods } from "./methods.ts";
import { OnBehalf } from "./on-behalf.ts";

const names = Object.keys(methods) as MethodName[];
const schemas = new Map<string, z.ZodObject>([
	...names.map((name) => [name, methods[name].params] as const),
	["a frame", RequestFrame],
	["whom a connector acts for", OnBehalf],
]);

const nonsense: readonly unknown[] = [
	undefined,
	null,
	true,
	0,
	1,
	-1,
	0.5,
	2e17,
	Number.NaN,
	Number.POSITIVE_INFINITY,
	"",
	" ",
	"\u{0}",
	"nonsense",
	"x".repeat(1_100_000),
	[],
	[null],
	[1],
	[""],
	["nonsense"],
	Array(1_001).fill("x"),
	{},
	{ nonsense: 1 },
	{ "": [] },
	{ seq: 0, hash: "x" },
	{ id: "a b", roles: [1], guest: 1 },
	{ tenant: "a:b", channel: 1 },
	{ agent: 1, tools: [""], budget_usd: -1, mention: "x", quota_bytes: 0.5 },
	[{ session_id: 1 }],
];

/** Words of zod's own messages, and the fallback text. */
const libraryWords =
	/invalid|expected|received|too (?:big|small)|unrecognized|an invalid form|another thing/i;

test("every issue of every request has a message of Parley", () => {
	const reported = new Set<string>();
	for (const [name, schema] of schemas) {
		const values = Object.keys(schema.shape).flatMap((key) => nonsense.map((value) => ({ [key]: value })));
		for (const value of [...nonsense, ...values]) {
			const { error } = schema.safeParse(value, { error: issueWords });
			for (const { path, message } of error?.issues ?? [])
				reported.add(`${name} ${path.join(".")}: ${message}`);
		}
	}
	expect(reported.size).toBeGreaterThan(200);
	expect([...reported].filter((message) => libraryWords.test(message))).toEqual([]);
});

test.each<[z.ZodType, unknown, string]>([
	[z.string(), undefined, "is missing: it must be a string"],
	[z.string(), 5, "must be a string"],
	[z.int(), 0.5, "must be a whole number"],
	[z.string().min(1), "", "must not be empty"],
	[z.string().max(1), "ab", "must have at most 1 character"],
	[z.array(z.unknown()).max(2), [1, 2, 3], "must have at most 2 entries"],
	[z.number().min(2), 1, "must be at least 2"],
	[z.number().lt(2), 2, "must be less than 2"],
	[z.number().multipleOf(3), 2, "must be a multiple of 3"],
	[z.literal("a"), "b", "must be a"],
	[z.enum(["a", "b"]), undefined, "is missing: it must be one of a, b"],
	[z.strictObject({ known: z.unknown() }), { known: 1, odd: 2 }, 'unknown key "odd"; allowed: known'],
	[z.union([z.string(), z.boolean()]), 5, "must be a string, or must be true or false"],
	[z.union([z.literal(1), z.null()]), "x", "must be 1, or must be null"],
	[z.record(z.string().max(1), z.unknown()), { ab: 1 }, "must have at most 1 character"],
])("%#: the message names the required form", (schema, value, words) => {
	expect(schema.safeParse(value, { error: issueWords }).error?.issues[0]?.message).toBe(words);
});

test("the message of a schema is used", () => {
	const role = z.string({ error: "must be a role" });
	expect(role.safeParse(5, { error: issueWords }).error?.issues[0]?.message).toBe("must be a role");
});
