import { ManualClock, seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { grantCovers } from "../../policy/policy.ts";
import { createToolContext } from "../../testing/tool-context.ts";
import type { ToolPlan } from "../../vocabulary/tool.ts";
import { createWebFetch } from "./web-fetch.ts";

const lookup = (): Promise<never> => Promise.reject(new Error("nothing is looked up"));
const tool = createWebFetch({ clock: new ManualClock(), ids: seededIds(1), lookup });
const context = createToolContext("/");
const plan = async (url: string): Promise<ToolPlan> => tool.plan(tool.parameters().parse({ url }), context);

test("a plan shows the complete URL as it will be sent, without a lookup", async () => {
	expect(await plan("https://Example.com./a%20b?c=d#e")).toEqual({
		label: "fetch https://example.com/a%20b?c=d",
		classes: ["egress"],
		preview: "",
		binding: { url: "https://example.com/a%20b?c=d" },
		grant: { kind: "argv", tool: "web_fetch", prefix: ["https://example.com"] },
		notes: [],
	});
	expect((await plan("http://example.com")).notes).toEqual([
		"without https: other machines on the network can read and change it",
	]);
});

test("a name that looks like another one is shown with its letters", async () => {
	// The first letter of the host name is Cyrillic.
	const { label, notes } = await plan("https://\u0430pple.com/");
	expect(label).toBe("fetch https://xn--pple-43d.com/");
	expect(notes).toEqual([
		'the host is shown as "\u0430pple.com" in a browser',
		'mixes letters of different scripts: "\u0430pple"',
	]);
});

test("an answer for the session covers the pages of one origin", async () => {
	const { grant } = await plan("https://example.com/a");
	const covers = async (url: string): Promise<boolean> =>
		grant !== undefined && grantCovers(grant, tool, await plan(url));
	expect(await covers("https://example.com/other?x=y")).toBe(true);
	expect(await covers("http://example.com/a")).toBe(false);
	expect(await covers("https://www.example.com/a")).toBe(false);
	expect(await covers("https://example.com.evil.test/a")).toBe(false);
	expect(await covers("https://example.com:80/a")).toBe(false);
});

test("an invalid URL is refused before any approval", async () => {
	await expect(plan("http://127.0.0.1/")).rejects.toMatchObject({ code: "permission_denied" });
	await expect(plan("example.com")).rejects.toMatchObject({ code: "invalid_argument" });
	for (const args of [{}, { url: 1 }, { url: "https://example.com", headers: { cookie: "x" } }]) {
		expect(tool.parameters().safeParse(args).success).toBe(false);
	}
});

test("only the approved URL is fetched", async () => {
	const approved = await plan("https://example.com/a");
	const args = tool.parameters().parse({ url: "https://example.com/b" });
	expect(await tool.run(args, approved, context)).toEqual({
		text: "changed since it was approved: the URL; the page was not fetched, so repeat the call",
		failed: true,
	});
});
