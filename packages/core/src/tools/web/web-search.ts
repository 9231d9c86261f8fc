import type { Ids } from "@parley/base";
import * as z from "zod";
import { visible } from "../../text/visible.ts";
import { defineTool, type Tool } from "../../vocabulary/tool.ts";
import type { SearchProvider, SearchResult } from "./search-provider.ts";
import { pageTexts, webSearchTexts } from "./texts.ts";

const maxResults = 20;
/** Maximum characters of the title, the URL and the text of a search result. */
const maxTitle = 200;
const maxUrl = 2_000;
const maxText = 600;

const parameters = () =>
	z.strictObject({
		query: z.string().trim().min(1).max(400).describe(webSearchTexts.query),
		count: z.int().min(1).max(maxResults).default(8).describe(webSearchTexts.maxResults),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Creates the tool that searches the web with the operator's search engine. */
export function createWebSearch({
	provider,
	ids,
}: {
	readonly provider: SearchProvider;
	readonly ids: Ids;
}): Tool {
	return defineTool<Arguments>({
		name: "web_search",
		description: webSearchTexts.description,
		parameters,
		accepts: {
			ignored: ["description"],
			parameters: { query: { names: ["q"] }, count: { names: ["limit"], atMost: true } },
		},
		effect: "none",
		usual: ["egress"],
		plan: async ({ query }) => ({
			label: webSearchTexts.label(visible(query)),
			classes: ["egress"],
			preview: "",
			binding: { origin: provider.origin },
			grant: { kind: "argv", tool: "web_search", prefix: [provider.origin] },
			notes: [webSearchTexts.getsQuery(provider.title, provider.origin)],
		}),
		async run({ query, count }, _plan, { signal }) {
			const results = await provider.search(query, count, signal);
			return {
				text: textOf(results, count, { title: provider.title, mark: ids.create("page") }),
				failed: false,
			};
		},
	});
}

/**
 * Returns the results as text between two lines with `mark`. The mark must be created after the results arrive, so that
 * the results cannot contain the mark.
 */
function textOf(
	results: readonly SearchResult[],
	maximum: number,
	{ title, mark }: { readonly title: string; readonly mark: string },
): string {
	const shown = results
		.values()
		.map(resultText)
		.filter((text) => text !== undefined)
		.take(maximum)
		.toArray();
	if (shown.length === 0) return webSearchTexts.nothing(title);
	return [
		`${shown.length} ${shown.length === 1 ? "result" : "results"} of ${title}`,
		pageTexts.untrusted(mark),
		`--- begin ${mark}`,
		shown.map((text, index) => `${index + 1}. ${text}`).join("\n"),
		`--- end ${mark}`,
	].join("\n");
}

/**
 * Returns the title, address and text of the result. Returns undefined if the result has no web address of at most
 * `maxUrl` characters.
 */
function resultText({ title, url, text }: SearchResult): string | undefined {
	const address = URL.parse(url);
	if (!address || !/^https?:$/.test(address.protocol) || address.href.length > maxUrl) return undefined;
	const lines = [oneLine(title, maxTitle), address.href, oneLine(text, maxText)];
	return lines.filter((line) => line !== "").join("\n   ");
}

const entities: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
	"&#39;": "'",
	"&#x27;": "'",
	"&nbsp;": " ",
};

/**
 * Returns the text of the HTML in one line, without common tags and invisible characters. Cuts the text after
 * `max` characters.
 */
function oneLine(html: string, max: number): string {
	const text = html
		.slice(0, 10 * max)
		.replaceAll(/<\/?(?:strong|b|em|i|mark|br|p|span)\b[^<>]{0,100}>/gi, "")
		.replaceAll(/&(?:amp|lt|gt|quot|nbsp|#39|#x27);/gi, (entity) => entities[entity.toLowerCase()] ?? entity)
		.replaceAll(/\s+/g, " ")
		.replaceAll(/[\p{Cc}\p{Cf}]/gu, "")
		.toWellFormed()
		.trim();
	return text.length > max ? `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
