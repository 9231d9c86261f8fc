import { expect, test } from "vitest";
import { Redactor } from "./redactor.ts";

const key = "sk-test-0123456789abcdef";

function redactorWith(...secrets: readonly string[]): Redactor {
	const redactor = new Redactor();
	for (const secret of secrets) redactor.add(secret);
	return redactor;
}

/** What comes out for these pieces, piece by piece, and at the end. */
function flow(redactor: Redactor, pieces: readonly string[]): string[] {
	const stream = redactor.stream();
	return [...pieces.map((piece) => stream.push(piece)), stream.end()];
}

/** Every way to cut a text in two, and into single characters. */
function cuts(text: string): string[][] {
	const inTwo = Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)]);
	return [...inTwo, [...text]];
}

const pem =
	"-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34\nGkxFhD90vcNLYLInFEX6\n-----END RSA PRIVATE KEY-----";

test.each([
	["a registered value", `the key is ${key}.`, "the key is [redacted]."],
	["a value in base64", `see ${Buffer.from(key).toString("base64")} now`, "see [redacted] now"],
	["a value in a URL", `https://x.test/?d=${key}&e=1 ok`, "https://x.test/?d=[redacted]&e=1 ok"],
	["a token of ours", "use gw_0123456789abcdefghij please", "use [redacted] please"],
	["a key of a provider", "it is sk-ant-api03-abcdefghijkl here", "it is [redacted] here"],
	["a private key", `before\n${pem}\nafter`, "before\n[redacted]\nafter"],
	["two in one word", `${key},${key}`, "[redacted],[redacted]"],
])("%s is found wherever the text was cut", (_, text, expected) => {
	for (const pieces of cuts(text)) {
		const shown = flow(redactorWith(key), pieces).join("");
		expect(shown.length).toBeLessThanOrEqual(expected.length + 11);
		// The first characters may have left before anybody could know.
		const [, ...rest] = shown.split("[redacted]");
		expect(rest.length, JSON.stringify(pieces)).toBe(expected.split("[redacted]").length - 1);
		expect(shown).not.toContain(key.slice(8));
		expect(shown.endsWith(expected.split("[redacted]").at(-1) ?? "")).toBe(true);
	}
});

test("ordinary text leaves at once, unchanged", () => {
	const pieces = [
		"Hello",
		", wor",
		"ld! ",
		"-----",
		"\n",
		"| a |---|",
		" My eyes",
		" see ghosts",
		" skip",
		" 42",
	];
	expect(flow(redactorWith(key), pieces)).toEqual([...pieces, ""]);
});

test("what only looks like the start of a secret leaves with the end of its word", () => {
	expect(flow(redactorWith(key), ["a sk-a", "te", "board ", "b"])).toEqual([
		"a ",
		"",
		"sk-ateboard ",
		"b",
		"",
	]);
	expect(flow(redactorWith(key), ["-----BEGIN", " CERTIFICATE", "-----"])).toEqual([
		...["-----BEGIN", " CERTIFICATE", "-----"].map(() => ""),
		"-----BEGIN CERTIFICATE-----",
	]);
});

test("a secret with spaces is held back to its end", () => {
	const phrase = "correct horse battery";
	for (const pieces of cuts(`say ${phrase} aloud`)) {
		expect(flow(redactorWith(phrase), pieces).join("")).not.toContain("battery");
	}
});

test("a word without end is not held back for ever", () => {
	const stream = redactorWith(key).stream();
	expect(stream.push(`sk-a${"z".repeat(4000)}`)).toBe("");
	expect(stream.push("z".repeat(1000))).toBe(`sk-a${"z".repeat(5000)}`);
});

test("a secret that the end of the text cuts off is not shown up to there", () => {
	for (const length of [6, 12, key.length - 1]) {
		const shown = flow(redactorWith(key), ["it is ", ...key.slice(0, length)]).join("");
		expect(shown).toMatch(/^it is .{0,5}\[redacted\]$/);
	}
	expect(flow(redactorWith(key), ["skip it, sk-"]).join("")).toBe("skip it, sk-");
});
