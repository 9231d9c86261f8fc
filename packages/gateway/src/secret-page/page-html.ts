import { createHash } from "node:crypto";
import { actingId, type OpenPrompt, type Principal, visible } from "@parley/core";

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

/** Headers of every response: no scripts, no external resources, no framing, no referrer, no caching. */
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

/** Content of the form besides the question. */
export interface FormFacts {
	readonly question: OpenPrompt;
	readonly holder: Principal;
	readonly host: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
	/** Fault of the previous answer. */
	readonly problem?: string;
}

/** Page with the form. */
export function formPage({ question, holder, host, expiresAt, problem }: FormFacts): string {
	const { prompt, requester, sessionTitle } = question;
	const needed = prompt.required ? " required" : "";
	const facts = [
		["Conversation", sessionTitle === "" ? "without a title" : sessionTitle],
		["Working for", requester ? named(requester) : "the operator of this gateway"],
		["You answer as", holder.person ? named(holder.person) : actingId(holder)],
	];
	return page(
		"An agent requests a password from you",
		`<p>Text of the agent:</p>
<blockquote>${shown(prompt.label)}</blockquote>
<dl>${facts.map(([name = "", value = ""]) => `<dt>${name}</dt><dd>${shown(value)}</dd>`).join("")}</dl>
${problem === undefined ? "" : `<p role="alert">Not accepted: ${shown(problem)}.</p>`}
<form method="post" accept-charset="utf-8" autocomplete="off">
<label for="value">Password</label>
<input id="value" name="value" type="password" autocomplete="off" maxlength="4096"${needed} autofocus>
<button type="submit">Send</button>
</form>
<p>It goes to the Parley gateway at ${shown(host)}, is stored there encrypted, and reaches only the tool that needs it. The chat and the model do not see it. If you did not expect this question, close the page.</p>
<p>This page works once, until ${new Date(expiresAt).toISOString().slice(11, 16)} UTC.</p>`,
	);
}

export function wordsPage(title: string, words: string): string {
	return page(title, `<p>${shown(words)}</p>`);
}

function page(title: string, body: string): string {
	return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${shown(title)}</title><style>${style}</style></head>
<body><main><h1>${shown(title)}</h1>
${body}
</main></body>
</html>
`;
}

function named({ id, name }: { readonly id: string; readonly name: string }): string {
	return name === "" ? id : `${name} (${id})`;
}

const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Untrusted text: every character is visible, and none is markup. */
function shown(text: string): string {
	return visible(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
