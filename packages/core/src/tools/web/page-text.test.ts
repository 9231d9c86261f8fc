import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { PageReader } from "./page-text.ts";

const url = "https://example.com/";
/** Page for which the construction of a DOM would take minutes. */
const hostile = `<body>${(`${"<div>".repeat(190)}a, b${"</div>".repeat(190)}`).repeat(190)}`;

test("pages are read in their structure, one after another", async () => {
	const reader = new PageReader(new ManualClock());
	const log = new MemoryLogger();
	const { signal } = new AbortController();
	const read = (html: string): Promise<string> => reader.read({ html, url }, log, signal);
	expect(await Promise.all([read("<h2>One</h2>"), read("<h2>Two</h2>")])).toEqual(["## One", "## Two"]);
	expect(log.records).toEqual([]);
});

test("a page that takes too long is read without its structure, and the next one with it", async () => {
	const clock = new ManualClock();
	const log = new MemoryLogger();
	const reader = new PageReader(clock);
	const { signal } = new AbortController();
	const reading = reader.read({ html: hostile, url }, log, signal);
	await new Promise(setImmediate);
	clock.advance(5_000);
	await expect(reading).resolves.toMatch(/^a, b\n\na, b/);
	expect(log.records).toMatchObject([{ level: "debug", message: "a page is read without its structure" }]);
	await expect(reader.read({ html: "<h2>Next</h2>", url }, log, signal)).resolves.toBe("## Next");
});

test("reading stops when its caller has aborted", async () => {
	const reader = new PageReader(new ManualClock());
	const stop = new AbortController();
	const reading = reader.read({ html: hostile, url }, new MemoryLogger(), stop.signal);
	await new Promise(setImmediate);
	stop.abort(new Error("nobody waits"));
	await expect(reading).rejects.toThrow("nobody waits");
	await expect(reader.read({ html: "<h2>x</h2>", url }, new MemoryLogger(), stop.signal)).rejects.toThrow(
		"nobody waits",
	);
});

test.each([
	["too deep", `${"<div>".repeat(300)}x`],
	["of too many tags", `${"<b>".repeat(90_000)}x`],
	["too long", `<p>x${"<!-- -->".repeat(200_000)}`],
])("a page %s is read without its structure", async (_, html) => {
	const reader = new PageReader(new ManualClock());
	const text = await reader.read({ html, url }, new MemoryLogger(), new AbortController().signal);
	expect(text).toMatch(/x$/);
});
