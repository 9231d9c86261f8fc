import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isExcepted } from "./exceptions.ts";
import { root, userTexts } from "./readings.ts";

/** Texts that may be outside of `texts.ts`. Paths are relative to `packages/core/src`. */
const exceptions = [
	{ path: "tools/git/git-forms.ts", text: "fetch pull push", reason: "names of git commands" },
	{ path: "tools/web/get-page.ts", text: "gzip, br, zstd", reason: "a header" },
	{ path: "tools/web/page-text.ts", text: "abbr b bdi", reason: "names of HTML elements" },
	{ path: "tools/web/readable-text.ts", text: "script, style", reason: "a CSS selector" },
	{ path: "policy/match-rule.ts", text: "cd pushd", reason: "names of programs" },
	{ path: "policy/read-policy.ts", text: "deny, ask, allow", reason: "allowed values" },
	{ path: "policy/commands/irreversible.ts", reason: "names of programs" },
	{ path: "policy/commands/judge-command.ts", reason: "names of programs" },
	{ path: "policy/commands/places.ts", reason: "names of files" },
	{ path: "policy/commands/words.ts", reason: "words of the shell" },
	{ path: "sandbox/probes.ts", reason: "commands" },
	{
		path: "sandbox/bubblewrap/bubblewrap.ts",
		text: "the sandbox is built",
		reason: "a signal between processes",
	},
	{ path: "sandbox/bubblewrap/find-bubblewrap.ts", text: "bubblewrap", reason: "commands" },
	{ path: "sandbox/bubblewrap/inside.ts", reason: "a file of host names" },
	{
		path: "sandbox/bubblewrap/pinned-places.ts",
		text: "Joined session",
		reason: "compared with a message of keyctl",
	},
	{ path: "sandbox/egress/egress-proxy.ts", text: "431", reason: "a status line of HTTP" },
	{ path: "sandbox/egress/egress.ts", reason: "a script of the shell" },
	{ path: "models/exchange/errors.ts", text: "before secure TLS", reason: "compared with an error of Node" },
	{ path: "models/ai-sdk/families.ts", text: "Chat Completions API", reason: "name of an API" },
	{ path: "vocabulary/taint.ts", text: "the stored taint", reason: "a fault of the program" },
	{ path: "store/search-words.ts", text: "about after again", reason: "words that a search ignores" },
	{ path: "files/file-rows.ts", text: "runs as ended", reason: "a part of a query" },
	{ path: "instructions", reason: "a topic that has only texts: prompts of models" },
	{ path: "testing", reason: "no person or model reads it outside of tests" },
];

const source = "packages/core/src";

const outside = globSync(`${source}/**/*.ts`, { cwd: root })
	.filter((file) => !/\.test\.ts$|\/texts\.ts$/.test(file))
	.map((file) => file.slice(source.length + 1))
	.flatMap((file) =>
		userTexts(file, readFileSync(join(root, source, file), "utf8")).map(({ text }) => ({ file, text })),
	);

test("texts of core that a person or a model reads are in texts.ts of their folder", () => {
	const others = outside.filter(({ file, text }) => !isExcepted(exceptions, file, text));
	expect(others.map(({ file, text }) => `${file}: ${text}`).join("\n")).toBe("");
});

test("each exception is for a text", () => {
	const unused = exceptions.filter((one) => !outside.some(({ file, text }) => isExcepted([one], file, text)));
	expect(unused).toEqual([]);
});
