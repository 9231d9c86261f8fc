import { actingId, type OpenPrompt, type Principal } from "@parley/core";
import { page, shown } from "../pages/html-page.ts";
import { passwordPageTexts } from "../texts/pages/password.ts";

export interface FormFacts {
	readonly question: OpenPrompt;
	readonly holder: Principal;
	readonly host: string;
	/** Time of expiry, in milliseconds since the epoch. */
	readonly expiresAt: number;
	/** Problem of the previous answer. */
	readonly problem?: string;
}

export function formPage({ question, holder, host, expiresAt, problem }: FormFacts): string {
	const { prompt, requester, sessionTitle } = question;
	const needed = prompt.required ? " required" : "";
	const facts = [
		[passwordPageTexts.conversation, sessionTitle === "" ? passwordPageTexts.withoutTitle : sessionTitle],
		[passwordPageTexts.workingFor, requester ? named(requester) : passwordPageTexts.operator],
		[passwordPageTexts.youAnswerAs, holder.person ? named(holder.person) : actingId(holder)],
	];
	return page(
		passwordPageTexts.title,
		passwordPageTexts.form({
			question: shown(prompt.label),
			facts: facts.map(([name = "", value = ""]) => `<dt>${name}</dt><dd>${shown(value)}</dd>`).join(""),
			problem: problem === undefined ? undefined : shown(problem),
			needed,
			host: shown(host),
			end: new Date(expiresAt).toISOString().slice(11, 16),
		}),
	);
}

function named({ id, name }: { readonly id: string; readonly name: string }): string {
	return name === "" ? id : `${name} (${id})`;
}
