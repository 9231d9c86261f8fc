import { readFileSync } from "node:fs";
import { ParleyError } from "@parley/base";

/** What a session knows about its surroundings. Taken once per session, so that the prompt stays cacheable. */
export interface ProjectFacts {
	/** Absolute path of the working directory. */
	readonly cwd: string;
	/** Absolute paths that tools may touch. */
	readonly roots: readonly string[];
	/** YYYY-MM-DD. */
	readonly date: string;
	readonly os: string;
	/** One line about branch, changes and last commit, or why there is none. */
	readonly git: string;
	/** The text of `AGENTS.md`, "" when there is none. */
	readonly projectNotes: string;
}

const builtInTemplate = readFileSync(new URL("./system.md", import.meta.url), "utf8");

/**
 * The system prompt of a session: the template with each `{{name}}` replaced by that fact; the same facts give the
 * same bytes. Throws `invalid_argument` naming every placeholder of a template that is no fact.
 */
export function renderSystemPrompt(facts: ProjectFacts, template = builtInTemplate): string {
	const values: Readonly<Record<string, string>> = {
		cwd: oneLine(facts.cwd),
		roots: facts.roots.map(oneLine).join(", "),
		date: facts.date,
		os: oneLine(facts.os),
		git: oneLine(facts.git),
		projectNotes: facts.projectNotes.trim() || "(There are none.)",
	};
	const unknown = new Set<string>();
	const prompt = template.replace(/\{\{([^{}]*)\}\}/g, (placeholder, name: string) => {
		const key = name.trim();
		if (Object.hasOwn(values, key)) return values[key] ?? "";
		unknown.add(placeholder);
		return placeholder;
	});
	if (unknown.size === 0) return prompt;
	const known = Object.keys(values).map((name) => `{{${name}}}`);
	throw new ParleyError(
		`the system prompt has unknown placeholders ${[...unknown].join(", ")}; use only ${known.join(", ")}`,
		{ code: "invalid_argument" },
	);
}

/** A directory or branch may be named by anybody: its name must not be able to add lines to the prompt. */
function oneLine(text: string): string {
	return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
