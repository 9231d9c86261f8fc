import { domainToUnicode } from "node:url";
import { type Clock, definedItems, type Ids } from "@parley/base";
import { type Lookup, publicReach, type Reach, systemLookup } from "../../sandbox/egress/reach.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import type { ToolContext, ToolPlan, ToolResult } from "../../vocabulary/tool.ts";
import { decodeText, type GetDeps, getPage, isHtml, notText, type Page } from "./get-page.ts";
import { PageReader } from "./page-text.ts";
import { readPageUrl } from "./page-url.ts";
import { pageTexts } from "./texts.ts";

export interface FetchArguments {
	readonly url: string;
	readonly max_chars: number;
	/** Whether HTML is returned unchanged. If false, its readable text is returned. */
	readonly raw: boolean;
}

export interface WebFetchOptions {
	readonly clock: Clock;
	readonly ids: Ids;
	/** Addresses that requests may reach. Default: public addresses, ports 80 and 443. */
	readonly reach?: Reach;
	/** Resolves host names. Default: the system's resolver. */
	readonly lookup?: Lookup;
}

/**
 * Characters that are invisible to people but not to models: bidirectional embeddings, overrides and
 * isolates, tag characters, and control characters except line feeds and tabs.
 */
const UNSEEN = /(?![\n\t])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu;

export class PageFetcher {
	readonly #deps: GetDeps;
	readonly #ids: WebFetchOptions["ids"];
	readonly #reader: PageReader;

	constructor({ clock, ids, reach = publicReach, lookup = systemLookup }: WebFetchOptions) {
		this.#deps = { clock, reach, lookup };
		this.#ids = ids;
		this.#reader = new PageReader(clock);
	}

	plan(text: string): ToolPlan {
		const url = readPageUrl(text, this.#deps.reach);
		const name = domainToUnicode(url.hostname);
		return {
			label: `fetch ${visible(url.href)}`,
			classes: ["egress"],
			preview: "",
			binding: { url: url.href },
			grant: { kind: "argv", tool: "web_fetch", prefix: [url.origin] },
			notes: definedItems([
				url.protocol === "http:" ? pageTexts.withoutHttps : undefined,
				name !== "" && name !== url.hostname ? pageTexts.shownHost(visible(name)) : undefined,
				...mixedScriptNotes(name),
			]),
		};
	}

	async run(args: FetchArguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
		const url = readPageUrl(args.url, this.#deps.reach);
		if (url.href !== approved.binding["url"]) {
			return { text: pageTexts.changed, failed: true };
		}
		const answer = await getPage(url, this.#deps, context.signal);
		if (answer.kind === "page") {
			return describe(answer, await this.#textOf(answer, args, context), args, this.#ids.create("page"));
		}
		const redirect = pageTexts.redirects(answer.next.href);
		const advice = pageTexts.notFollowed;
		return { text: [...headOf(answer), redirect, advice].join("\n"), failed: false };
	}

	async #textOf(page: Page, { raw }: FetchArguments, { log, signal }: ToolContext): Promise<string> {
		const { bytes } = page.body;
		const text = decodeText(bytes, page.type);
		if (text === undefined) throw notText(page.url, page.type, String(bytes.length));
		if (raw || !isHtml(page.type, text)) return text;
		return this.#reader.read({ html: text, url: page.url.href }, log, signal);
	}
}

/**
 * Returns the page as a tool result, with its text between two lines with `mark`. The mark is created after the text was
 * read, so the text cannot contain the mark.
 */
function describe(page: Page, text: string, { max_chars }: FetchArguments, mark: string): ToolResult {
	const clean = text.replaceAll("\r\n", "\n").replaceAll(UNSEEN, "").toWellFormed().trim();
	const shown = clean.slice(0, max_chars).replace(/[\ud800-\udbff]$/, "");
	const left = clean.length - shown.length;
	const lines = definedItems([
		...headOf(page),
		pageTexts.untrusted(mark),
		`--- begin ${mark}`,
		shown === "" ? pageTexts.noText : shown,
		`--- end ${mark}`,
		left > 0 ? pageTexts.left(left) : undefined,
		page.body.cut ? pageTexts.tooLong : undefined,
	]);
	return { text: lines.join("\n"), failed: page.status >= 400 };
}

interface PageHead {
	readonly status: number;
	readonly url: URL;
	readonly type?: Page["type"];
}

function headOf({ status, url, type }: PageHead): string[] {
	return definedItems([
		`status ${status}`,
		`url ${url.href}`,
		type?.essence ? `type ${type.essence}` : undefined,
	]);
}
