import { actingId, type OpenPrompt, type Principal } from "@parley/core";
import { page, shown } from "../pages/html-page.ts";

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

function named({ id, name }: { readonly id: string; readonly name: string }): string {
	return name === "" ? id : `${name} (${id})`;
}
