import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";

/**
 * Maximum levels of a page, and maximum attributes of an element. The libraries recurse, or need time that is
 * quadratic in these numbers.
 */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 100;
/** Maximum attributes of a page. */
const MAX_ALL_ATTRIBUTES = 100_000;
/**
 * Minimum share of an article in the text of its page. A page with a smaller share is probably an index or a
 * reference.
 */
const LEAST_SHARE = 0.3;

const unread = "script, style, noscript, template, svg, iframe, object, [hidden], [aria-hidden=true]";

/** DOM element. Declared here because the published DOM types are only for browsers. */
interface PageElement {
	readonly nodeName: string;
	readonly textContent: string | null;
	readonly firstElementChild: PageElement | null;
	readonly nextElementSibling: PageElement | null;
	readonly parentElement: PageElement | null;
	getAttribute(name: string): string | null;
	getAttributeNames(): string[];
	remove(): void;
}
interface PageDocument {
	readonly documentElement: PageElement;
	querySelector(selector: string): PageElement | null;
	querySelectorAll(selector: string): Iterable<PageElement>;
	cloneNode(deep: boolean): PageDocument;
}

/**
 * Returns the readable part of an HTML page as Markdown: its article, or all of its text. Runs no scripts and loads no resources.
 * Returns undefined if the page has no body, too many attributes, or too many levels. A hostile page can make this function slow
 * or fail, so call it in a worker.
 */
export function readableText(html: string, url: string): string | undefined {
	// Without a root element, the library would use the first element as the root.
	const page = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
	const { document }: { readonly document: PageDocument } = parseHTML(page);
	const body = document.querySelector("body");
	if (!body || isTooMuch(document.documentElement)) return undefined;
	for (const element of document.querySelectorAll(unread)) element.remove();
	// The title can be in the body, because a page without a root element has its head there.
	const heading = document.querySelector("title");
	const title = (heading?.textContent ?? "").replaceAll(/\s+/g, " ").trim();
	heading?.remove();
	const length = (body.textContent ?? "").length;
	const article = new Readability(document.cloneNode(true)).parse();
	const isArticle = (article?.length ?? 0) >= length * LEAST_SHARE;
	const text = toMarkdown((isArticle && article?.content) || body, url);
	return title === "" ? text : `# ${title}\n\n${text}`;
}

function isTooMuch(root: PageElement): boolean {
	let attributes = 0;
	let depth = 0;
	for (let element: PageElement | null = root; element; ) {
		const own = element.getAttributeNames().length;
		attributes += own;
		if (own > MAX_ATTRIBUTES || attributes > MAX_ALL_ATTRIBUTES || depth > MAX_DEPTH) return true;
		if (element.firstElementChild) {
			element = element.firstElementChild;
			depth += 1;
			continue;
		}
		while (element && element !== root && !element.nextElementSibling) {
			element = element.parentElement;
			depth -= 1;
		}
		element = element === root ? null : (element?.nextElementSibling ?? null);
	}
	return false;
}

function toMarkdown(content: string | PageElement, url: string): string {
	const service = new TurndownService({
		headingStyle: "atx",
		codeBlockStyle: "fenced",
		bulletListMarker: "-",
	});
	service.addRule("link", {
		filter: (node: PageElement) => node.nodeName === "A",
		replacement: (text, node: PageElement) => {
			const target = URL.parse(node.getAttribute("href") ?? "", url);
			const label = text.replaceAll(/\s+/g, " ").trim();
			const isPage = target !== null && /^(?:https?|mailto):$/.test(target.protocol);
			return isPage && label !== "" ? `[${label}](${target.href})` : text;
		},
	});
	service.addRule("image", {
		filter: "img",
		replacement: (_text, node: PageElement) =>
			(node.getAttribute("alt") ?? "").replaceAll(/\s+/g, " ").trim(),
	});
	service.addRule("cell", {
		filter: ["td", "th"],
		replacement: (text) => ` ${text.trim().replaceAll("\n", " ")} |`,
	});
	service.addRule("row", { filter: "tr", replacement: (text) => `|${text}\n` });
	return service.turndown(content);
}
