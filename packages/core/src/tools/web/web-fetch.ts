import * as z from "zod";
import { defineTool, type Tool } from "../../vocabulary/tool.ts";
import type { FetchArguments, PageFetcher, WebFetchOptions } from "./page-fetcher.ts";
import { webFetchTexts } from "./texts.ts";

/** Maximum characters of a page: less than 256 KiB in any script. */
const MAX_CHARS = 80_000;
const DEFAULT_CHARS = 40_000;

const parameters = () =>
	z.strictObject({
		url: z.string().describe(webFetchTexts.url),
		max_chars: z.int().min(1_000).max(MAX_CHARS).default(DEFAULT_CHARS).describe(webFetchTexts.maxChars),
		raw: z.boolean().default(false).describe(webFetchTexts.raw),
	});
/**
 * Creates the tool that gets the text of a page from the public internet. Neither a model nor a page can make the tool:
 *
 * - reach this machine or its networks
 * - send a header of its choice
 * - use more than 5 MiB or 20 s
 */
export function createWebFetch(options: WebFetchOptions): Tool {
	let loading: Promise<PageFetcher> | undefined;
	/** Returns the page fetcher. Imports the fetcher's module at the first call, so that the gateway starts faster. */
	const fetcher = (): Promise<PageFetcher> => {
		loading ??= import("./page-fetcher.ts").then((module) => new module.PageFetcher(options));
		return loading;
	};
	return defineTool<FetchArguments>({
		name: "web_fetch",
		description: webFetchTexts.description,
		parameters,
		accepts: { ignored: ["description", "prompt"], parameters: { max_chars: { atMost: true } } },
		// GET changes nothing: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
		effect: "none",
		usual: ["egress"],
		plan: async ({ url }) => (await fetcher()).plan(url),
		run: async (args, plan, context) => (await fetcher()).run(args, plan, context),
	});
}
