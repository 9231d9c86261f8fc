import { expect, test } from "vitest";
import { fc } from "../../../test/properties.ts";
import { ParleyError } from "./errors.ts";
import { Redactor } from "./redactor.ts";
import { paced } from "./testing/pace.ts";

const secret = 'p@ss "wörd"/+?~';

function redactorOf(...secrets: string[]): Redactor {
	const redactor = new Redactor();
	for (const each of secrets) redactor.add(each);
	return redactor;
}

test.each([
	["as it is", secret],
	["as base64", Buffer.from(secret).toString("base64")],
	["as base64url", Buffer.from(secret).toString("base64url")],
	["percent-encoded", encodeURIComponent(secret)],
	[
		"percent-encoded in lower case",
		encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
	],
	["as a form field", new URLSearchParams({ a: secret }).toString().slice(2)],
	["inside a JSON string", JSON.stringify(secret).slice(1, -1)],
	["inside JSON inside JSON", JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
	["percent-encoded twice", encodeURIComponent(encodeURIComponent(secret))],
	["as hex", Buffer.from(secret).toString("hex")],
	["as upper-case hex", Buffer.from(secret).toString("hex").toUpperCase()],
])("a registered secret is removed %s", (_how, text) => {
	expect(redactorOf(secret).redact(`<${text}>`)).toBe("<[redacted]>");
});

test("a secret is removed from base64 that also contains other text", () => {
	const redactor = redactorOf("correct horse battery");
	for (const user of ["a", "ab", "abc", "abcd"]) {
		const header = Buffer.from(`${user}:correct horse battery`).toString("base64");
		const clean = redactor.redact(header);
		expect(clean).toContain("[redacted]");
		// The rest contains the user and at most the last character of the secret.
		expect(clean.replace("[redacted]", "").length).toBeLessThanOrEqual(
			Math.ceil((user.length + 1) / 3) * 4 + 4,
		);
	}
});

const long = "a-token-of-the-kind-that-nobody-can-remember-0123456789";

test.each([
	["base64", 76, Buffer.from(`x ${long} y`).toString("base64")],
	["base64", 64, Buffer.from(`{"secret":"${long}"}`).toString("base64")],
	["hex", 60, Buffer.from(long).toString("hex")],
])(
	"a secret is found in %s with a line break after every %d characters, from any offset",
	(_, width, encoded) => {
		for (const ending of ["\n", "\r\n"]) {
			for (let first = 1; first < width; first++) {
				const rest = encoded.slice(first).replaceAll(new RegExp(`.{${width}}`, "g"), (line) => line + ending);
				const clean = redactorOf(long).redact(encoded.slice(0, first) + ending + rest);
				expect(clean).toContain("[redacted]");
				expect(clean.length).toBeLessThan(encoded.length - long.length);
			}
		}
	},
);

test("a secret removed for a sink is reported with the name of the sink", () => {
	const redactor = redactorOf("hunter2000");
	const hits: string[] = [];
	redactor.onHit = (sink) => hits.push(sink);
	redactor.redact("hunter2000");
	redactor.into("log").redact("nothing");
	redactor.into("log").redact("hunter2000 hunter2000");
	redactor.into("audit").redactFields({ a: ["hunter2000"], b: "x" });
	const stream = redactor.into("reply").stream();
	expect(stream.push("it is hunt") + stream.push("er2000 ") + stream.end()).toBe("it is [redacted] ");
	expect(hits).toEqual(["log", "audit", "reply"]);
});

test("only registered values are removed from text that people write", () => {
	const shape = `ghp_${"abcdefghijklmnopqrstuvwxyz0123456789"}`;
	expect(redactorOf("hunter2000").redactKnown(`hunter2000 ${shape}`)).toBe(`[redacted] ${shape}`);
});

test("no registered secret survives at any position of the text", () => {
	const text = fc.string({ maxLength: 20 });
	fc.assert(
		fc.property(fc.string({ minLength: 4, maxLength: 30 }), text, text, (value, before, after) => {
			fc.pre(!"[redacted]".includes(value) && !value.includes("[redacted]"));
			const clean = redactorOf(value).redact(`${before}${value}${after}`);
			// The replacement and the surrounding text may together form a secret.
			expect(clean.replaceAll("[redacted]", "\n")).not.toContain(value);
		}),
	);
});

test("the longer of two secrets is removed completely", () => {
	expect(redactorOf("abcdef", "abcdef-and-more").redact("x abcdef-and-more y")).toBe("x [redacted] y");
});

test("a line break inside an encoded value hides no value, and the search stays fast", () => {
	const values = Array.from({ length: 60 }, (_, index) => `value ${index} of many that are registered`);
	const redactor = redactorOf(...values);
	const broken = values.map((value, index) => {
		const text = Buffer.from(value).toString("hex");
		return `${text.slice(0, index + 1)}\r\n${text.slice(index + 1)}`;
	});
	const before = process.cpuUsage();
	const clean = redactor.redact(broken.join("; "));
	const { user, system } = process.cpuUsage(before);
	expect(clean).toBe(values.map(() => "[redacted]").join("; "));
	// Limit in microseconds. To compile a pattern of all values would take several seconds.
	expect(user + system).toBeLessThan(500_000);
});

test("values of three characters are not changed", () => {
	expect(redactorOf("", "the").redact("the other")).toBe("the other");
});

const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"].join(".");
const pemBody = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
// The parts are joined here, so that secret scanners do not report this file.
const pem = (kind: string) => `-----${"BEGIN"} ${kind}-----\n${pemBody}-----END ${kind}-----`;

test.each([
	["xoxb", `xoxb-${"1234567890"}-abcdefghijkl`],
	["xoxe.xoxp", `xoxe.xoxp-${"1-Mi0yLTEyMzQ1Njc4"}`],
	["xapp", `xapp-${"1-A0123456789-abcdef"}`],
	["Anthropic key", `sk-ant-${"api03-abcdef_ghijkl-mno"}`],
	["GitHub token", `ghp_${"abcdefghijklmnopqrstuvwxyz0123456789"}`],
	["GitHub fine-grained token", `github_pat_${"11ABCDEFG0abcdefghijkl"}`],
	["AWS key id", `AKIA${"IOSFODNN7EXAMPLE"}`],
	["Discord token", `${"MTk4NjIyNDgzNDcxOTI1MjQ4"}.Cl2FMQ.${"ZnCjm1XVW7vRze4b7Cq4se7kKWs"}`],
	["JWT", jwt],
	["private key", pem("PRIVATE KEY")],
	["private key of OpenSSH", pem("OPENSSH PRIVATE KEY")],
	["escaped private key", JSON.stringify(pem("RSA PRIVATE KEY")).slice(1, -1)],
	["cut-off private key", pem("EC PRIVATE KEY").slice(0, 80)],
	["token of the gateway", `gw_${"0123456789abcdefghijklmnop"}`],
])("a credential is redacted by its shape alone: %s", (_name, text) => {
	expect(new Redactor().redact(`before ${text}; after`)).toBe("before [redacted]; after");
});

test.each([
	"a gw_ prefix alone, sk-ant- alone, and AKIA in prose",
	"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
	"eyJ is how JSON begins in base64",
])("ordinary text is not redacted: %s", (text) => {
	expect(new Redactor().redact(text)).toBe(text);
});

test(
	"hostile text takes linear time",
	() => {
		const redactor = new Redactor();
		for (const piece of [
			"eyJaaaaa",
			"eyJaaaaa.",
			"-----BEGIN PRIVATE KEY",
			"MTk4NjIyNDgzNDcxOTI1MjQ4.",
			"xoxb",
			"-",
		]) {
			const text = piece.repeat(200_000 / piece.length);
			expect(redactor.redact(text).length).toBeGreaterThan(0);
		}
	},
	paced(2000),
);

test("fields are copied as plain data, with keys and strings redacted at every depth", () => {
	const cause = new TypeError("inner hunter2");
	const fields = {
		hunter2: 1,
		list: [{ text: "is hunter2" }, null, true, 2.5, 10n, undefined],
		error: new ParleyError("outer hunter2", { code: "internal", cause }),
		many: new AggregateError([cause], "many"),
		url: new URL("http://host/?key=hunter2"),
		date: new Date(0),
		bytes: Buffer.from("hunter2"),
		map: new Map([["a", "hunter2"]]),
		call: () => "hunter2",
	};
	const clean = redactorOf("hunter2").redactFields(fields);
	expect(JSON.stringify(clean, (_key, value) => value ?? null)).not.toContain("hunter2");
	expect(clean).toMatchObject({
		"[redacted]": 1,
		list: [{ text: "is [redacted]" }, null, true, 2.5, "10", undefined],
		error: {
			type: "ParleyError",
			code: "internal",
			message: "outer [redacted]",
			stack: expect.stringContaining("redactor.test.ts"),
			cause: { type: "TypeError", message: "inner [redacted]" },
		},
		many: { errors: [{ type: "TypeError" }] },
		url: "http://host/?key=[redacted]",
		date: "1970-01-01T00:00:00.000Z",
		bytes: "[Buffer]",
		map: "[Map]",
		call: "[function]",
	});
});

test("cycles and unlimited depth are cut off", () => {
	const cycle: Record<string, unknown> = { name: "a" };
	cycle["self"] = cycle;
	let deep: unknown = "bottom";
	for (let level = 0; level < 100_000; level++) deep = [deep];
	const clean = new Redactor().redactFields({ cycle, twice: [cycle["name"], cycle["name"]], deep });
	expect(clean).toMatchObject({ cycle: { name: "a", self: "[circular]" }, twice: ["a", "a"] });
	expect(JSON.stringify(clean)).toContain("[too deep]");
});

test("a secret that was removed from the redactor is shown, and other secrets stay hidden", () => {
	const redactor = new Redactor();
	redactor.add("first-secret");
	redactor.add("second-secret");
	redactor.remove("first-secret");
	expect(redactor.redact("first-secret second-secret")).toBe("first-secret [redacted]");
	redactor.remove("second-secret");
	redactor.remove("unknown");
	expect(redactor.redact("second-secret")).toBe("second-secret");
	const stream = redactor.stream();
	expect(stream.push("second-secret") + stream.end()).toBe("second-secret");
});
