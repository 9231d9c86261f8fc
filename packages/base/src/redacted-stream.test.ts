import { expect, test } from "vitest";
import { fc } from "../../../test/properties.ts";
import { Redactor } from "./redactor.ts";

const key = "sk-test-0123456789abcdef";

function redactorWith(...secrets: readonly string[]): Redactor {
	const redactor = new Redactor();
	for (const secret of secrets) redactor.add(secret);
	return redactor;
}

function flow(redactor: Redactor, pieces: readonly string[]): string[] {
	const stream = redactor.stream();
	return [...pieces.map((piece) => stream.push(piece)), stream.end()];
}

function piecesOf(text: string, length: number): string[] {
	return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
		text.slice(index * length, (index + 1) * length),
	);
}

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
])("%s is found at any cut of the text", (_, text, expected) => {
	for (const pieces of cuts(text)) {
		const shown = flow(redactorWith(key), pieces).join("");
		expect(shown.length).toBeLessThanOrEqual(expected.length + 11);
		// The opening of a shape may precede the replacement, because the opening is not part of the secret.
		const [, ...rest] = shown.split("[redacted]");
		expect(rest.length, JSON.stringify(pieces)).toBe(expected.split("[redacted]").length - 1);
		for (const part of [key.slice(8), key.slice(0, 4)]) expect(shown).not.toContain(part);
		expect(shown.endsWith(expected.split("[redacted]").at(-1) ?? "")).toBe(true);
	}
});

test("no character of a registered value is emitted, at any cut", () => {
	const values = ["hunter2-and-more", "correct horse battery", "hunt the fox", "s3cr"];
	const text = fc.array(
		fc.oneof(fc.constantFrom(...values, " ", "h", "hunt", "cor", "s3", "\n"), fc.string()),
		{
			maxLength: 12,
		},
	);
	fc.assert(
		fc.property(text, fc.array(fc.nat(20), { minLength: 1 }), (parts, lengths) => {
			const redactor = redactorWith(...values);
			const full = parts.join("");
			const pieces: string[] = [];
			for (let at = 0, index = 0; at < full.length; index++) {
				const length = (lengths[index % lengths.length] ?? 0) + 1;
				pieces.push(full.slice(at, at + length));
				at += length;
			}
			// The line breaks end an incomplete value. Without them, only the stream would redact the value.
			expect(flow(redactor, [...pieces, "\n\n"]).join("")).toBe(redactor.redact(`${full}\n\n`));
		}),
	);
});

test("no secret of a known shape is emitted because it follows other text without a space, at any cut", () => {
	const body = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6";
	const secrets = [
		{ text: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`, hidden: body },
		{ text: "sk-ant-api03-q8w7e6r5t4y3u2", hidden: "q8w7e6r5t4y3u2" },
		{ text: "ghp_z1x2c3v4b5n6m7a8s9d0", hidden: "c3v4b5n6m7a8s9d0" },
	];
	const others = [
		"-----BEGIN CERTIFICATE-----",
		"MONGODB_ACCESS_KEY",
		"=".repeat(70),
		"~".repeat(4_090),
		"x",
	];
	const part = fc.constantFrom(...secrets.map(({ text }) => text), ...others);
	const parts = fc.array(fc.tuple(part, fc.constantFrom(" ", "\n", '","', "=")), {
		minLength: 1,
		maxLength: 6,
	});
	fc.assert(
		fc.property(parts, fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }), (words, lengths) => {
			const full = words.flat().join("");
			const pieces: string[] = [];
			for (let at = 0, index = 0; at < full.length; index++) {
				const length = (lengths[index % lengths.length] ?? 0) + 1;
				pieces.push(full.slice(at, at + length));
				at += length;
			}
			const shown = flow(redactorWith(), pieces).join("");
			for (const { hidden } of secrets) expect(shown).not.toContain(hidden.slice(-8));
		}),
	);
});

test("a value that arrives character by character is delayed from its first character", () => {
	const stream = redactorWith(key).stream();
	expect(["i", "t", " ", ...key].map((character) => stream.push(character)).join("")).toBe("it ");
	expect(stream.push(" ok")).toBe("[redacted] ok");
});

test("a text that ends like the start of a shape is emitted at once", () => {
	const stream = redactorWith("gw_0123456789abcdefghij").stream();
	expect(stream.push("thinking")).toBe("thinking");
	expect(stream.push(" of gw_0123456789abcdefghij ")).toBe(" of [redacted] ");
});

test("a value with spaces that begins within another word is not cut at the end of that word", () => {
	const redactor = redactorWith(key, "correct horse battery");
	expect(flow(redactor, ["sk-test correct horse battery staple"]).join("")).toBe("sk-test [redacted] staple");
});

test("a value in a word that is too long for the buffer is not cut", () => {
	const stream = redactorWith(key).stream();
	const long = `sk-t${"z".repeat(4085)}${key}${"z".repeat(5000)}`;
	const shown = [...(long.match(/.{1,7}/g) ?? [])].map((piece) => stream.push(piece)).join("") + stream.end();
	expect(shown).toBe(long.replace(key, "[redacted]"));
});

const encoded = Buffer.from(key).toString("base64");
const body = "q8w7e6r5t4y3u2i1o0p9";
const signature = "dozjgNryP4J3jVmNHl0w5N";
const endless = "aZ".repeat(3_000);

const forms: readonly (readonly [name: string, secret: string, hidden: readonly string[]])[] = [
	["a registered value", key, [key]],
	["a registered value in base64", encoded, [encoded]],
	[
		"a registered value in wrapped base64",
		`${encoded.slice(0, 20)}\n${encoded.slice(20)}`,
		[encoded.slice(0, 20), encoded.slice(20)],
	],
	["a token of Slack", `xoxb-${body}`, [body]],
	["a key of Anthropic", `sk-ant-${body}`, [body]],
	["a token of GitHub", `ghp_${body}`, [body]],
	["a fine-grained token of GitHub", `github_pat_${body}`, [body]],
	["a key id of AWS", "AKIAIOSFODNN7EXAMPLE", ["IOSFODNN7EXAMPLE"]],
	["a token of the gateway", `gw_${body}`, [body]],
	["a token of Discord", `.MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCj${body}kKWs`, [body]],
	[
		"a JSON Web Token",
		`.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${signature}`,
		["zdWIiOiIxMjM0In0", signature],
	],
	["a JSON Web Token of 6,000 characters", `.eyJhbGciOi.eyJ${endless}.${signature}`, ["aZaZaZaZ", signature]],
	["a JSON Web Token with a header of 6,000 characters", `.eyJ${endless}.eyJzdWIi.${signature}`, [signature]],
	["a key of 6,000 characters", `sk-ant-${endless}`, ["aZaZaZaZ"]],
];

const fillings = [
	["sk-a", "x"],
	["eyJa", "x"],
	["sk-a", "~"],
] as const;

test.each(forms)("%s is hidden at every place around the cut of a long word", (_, secret, hidden) => {
	const [redactor, cut, step] = [redactorWith(key), 4_096, secret.length > 1_000 ? 13 : 1];
	const parts = hidden.flatMap((part) => Array.from({ length: 10 }, (_, at) => part.slice(at, at + 6)));
	for (const [opening, filling] of fillings) {
		for (let at = cut - Math.min(secret.length, 130); at <= cut + 8; at += step) {
			const end = `~${filling.repeat(9)} end`;
			const text = `${opening}${filling.repeat(at - opening.length)}${secret}${end}`;
			const shown = flow(redactor, at % 40 === 0 ? piecesOf(text, 7) : [text]).join("");
			expect(parts.filter((part) => part.length === 6 && shown.includes(part))).toEqual([]);
			expect(shown.endsWith(end)).toBe(true);
		}
	}
});

test("a registered value in base64 with line breaks is hidden, at any cut", () => {
	for (const ending of ["\n", "\r\n"]) {
		for (let width = 1; width < encoded.length; width++) {
			const text = `token: ${encoded.replaceAll(new RegExp(`.{${width}}`, "g"), (line) => line + ending)}, end`;
			for (const pieces of [[text], [...text], piecesOf(text, 5)])
				expect(flow(redactorWith(key), pieces).join("")).toMatch(/^token: \[redacted\](?:\r?\n)?, end$/);
		}
	}
});

test("a key block that is too long for the buffer is hidden to its end", () => {
	const line = `${body.repeat(3)}\n`;
	const text = `-----BEGIN PRIVATE KEY-----\n${line.repeat(1_200)}-----END PRIVATE KEY-----\n{"a":1}`;
	for (const pieces of [[text], piecesOf(text, 997)])
		expect(flow(redactorWith(), pieces).join("")).toMatch(/^\[redacted\]\n?{"a":1}$/);
});

test("ordinary text is emitted at once and unchanged, except the start of a registered value", () => {
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
	const redactor = redactorWith(key);
	expect(flow(redactor, pieces).join("")).toBe(pieces.join(""));
	expect(flow(new Redactor(), pieces)).toEqual([...pieces, ""]);
	const stream = redactor.stream();
	let [pushed, left] = ["", ""];
	for (const piece of pieces) {
		pushed += piece;
		left += stream.push(piece);
		expect(pushed.length - left.length).toBeLessThanOrEqual(3);
	}
});

test("text that only looks like the start of a secret is emitted at the end of its word", () => {
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

test("a secret with spaces is delayed until its end", () => {
	const phrase = "correct horse battery";
	for (const pieces of cuts(`say ${phrase} aloud`)) {
		expect(flow(redactorWith(phrase), pieces).join("")).not.toContain("battery");
	}
});

test("an endless word is not delayed indefinitely", () => {
	const stream = redactorWith(key).stream();
	expect(stream.push(`sk-a${"~".repeat(4000)}`)).toBe("");
	expect(stream.push("~".repeat(1000))).toBe(`sk-a${"~".repeat(5000)}`);
});

test("a secret that is cut off by the end of the text is not shown in part", () => {
	for (const length of [6, 12, key.length - 1]) {
		const shown = flow(redactorWith(key), ["it is ", ...key.slice(0, length)]).join("");
		expect(shown).toBe("it is [redacted]");
	}
	expect(flow(redactorWith(key), ["skip it, sk-"]).join("")).toBe("skip it, sk-");
});
