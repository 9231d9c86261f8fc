import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import { executeCall } from "../calls/tool-call.ts";
import type { SearchProvider } from "./search-provider.ts";
import { createWebSearch } from "./web-search.ts";

function toolFor(search: SearchProvider["search"]) {
	return createWebSearch({
		provider: { title: "X", origin: "https://x.example", search },
		ids: seededIds(1),
	});
}

test("the query, the number of results and the signal reach the search engine", async () => {
	await using place = await createWorkplace();
	const context = createToolContext(place.cwd);
	const received: unknown[] = [];
	const tool = toolFor(async (...all) => {
		received.push(...all);
		return [];
	});
	const call = await readyCall(tool, { q: " tides ", limit: 99 }, context);
	expect(await executeCall(call, context)).toEqual({
		text: "X found nothing: use other words",
		failed: false,
	});
	expect(received).toEqual(["tides", 20, context.signal]);
});

test("long and hidden texts of a result are cut and cleaned", async () => {
	await using place = await createWorkplace();
	const context = createToolContext(place.cwd);
	const text = `a\u0000\u{e0041}b<b>c</b> &lt;i&gt; ${"x".repeat(10_000)}`;
	const tool = toolFor(async () => [{ title: "t".repeat(500), url: "https://a.example/?q=1", text }]);
	const call = await readyCall(tool, { query: "x" }, context);
	const lines = (await executeCall(call, context)).text.split("\n");
	expect(lines[3]).toBe(`1. ${"t".repeat(200)}…`);
	expect(lines[4]).toBe("   https://a.example/?q=1");
	expect(lines[5]).toMatch(/^ {3}abc <i> x{500,}…$/);
});

test("an empty query, a long one and a failed search are results for the model", async () => {
	await using place = await createWorkplace();
	const context = createToolContext(place.cwd);
	const tool = toolFor(() => Promise.reject(new Error("unplugged")));
	await expect(readyCall(tool, { query: " " }, context)).rejects.toThrow("query");
	await expect(readyCall(tool, { query: "x".repeat(401) }, context)).rejects.toThrow("query");
	const call = await readyCall(tool, { query: "x" }, context);
	expect(await executeCall(call, context)).toMatchObject({ failed: true });
});
