import { createHash } from "node:crypto";
import { visible } from "@parley/core";

const style = `
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1c1c1e;background:#f4f4f6}
main{max-width:34rem;margin:3rem auto;padding:2rem;background:#fff;border-radius:.75rem}
h1{margin-top:0;font-size:1.4rem}
blockquote{margin:1rem 0;padding:.75rem 1rem;border-left:.25rem solid #8a8a8e;background:#f4f4f6;overflow-wrap:anywhere}
dt{font-weight:600}dd{margin:0 0 .5rem;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin-top:1.5rem}
input{box-sizing:border-box;width:100%;padding:.6rem;font:inherit}
button{margin-top:1rem;padding:.6rem 1.5rem;font:inherit}
[role=alert]{color:#b00020;font-weight:600}
@media (prefers-color-scheme:dark){body{color:#eee;background:#161618}main{background:#242428}
blockquote{background:#161618}input{color:#eee;background:#161618;border:1px solid #8a8a8e}[role=alert]{color:#ff8a8a}}
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Headers of every page: no scripts, no external resources, no framing, no referrer, no caching, no indexing. */
export const pageHeaders: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
	"cache-control": "no-store",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"x-robots-tag": "noindex, nofollow",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
};

export function wordsPage(title: string, words: string): string {
	return page(title, `<p>${shown(words)}</p>`);
}

/** Returns a page with `title` as HTML. `body` is HTML. `shown` must have escaped all untrusted text in `body`. */
export function page(title: string, body: string): string {
	return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${shown(title)}</title><style>${style}</style></head>
<body><main><h1>${shown(title)}</h1>
${body}
</main></body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Escapes untrusted text, so that every character is visible, and none is markup. */
export function shown(text: string): string {
	return visible(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
