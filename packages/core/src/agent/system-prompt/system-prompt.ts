import { ParleyError } from "@parley/base";
import { agentInstructions, systemTemplate } from "../../instructions/prompt-files.ts";
import { systemPromptTexts } from "./texts.ts";

/**
 * Facts about the environment of a session. They are collected once for each prompt, so that the prompt stays
 * cacheable.
 */
export interface ProjectFacts {
	/** Absolute path of the working directory. */
	readonly cwd: string;
	/** Absolute paths that tools may access. */
	readonly roots: readonly string[];
	/** Date in the form YYYY-MM-DD. */
	readonly date: string;
	readonly os: string;
	/** Description of the repository and its branch in one line. */
	readonly git: string;
	/** Text of `AGENTS.md` and `CLAUDE.md`; "" if none exists. */
	readonly projectNotes: string;
	/** Permissions and limits of commands; "" for none. */
	readonly commands: string;
	/** Whether the agent has the tool that asks questions. */
	readonly questions: boolean;
}

/** Texts of the operator or a profile that replace built-in texts. */
export interface PromptTexts {
	/**
	 * Complete prompt with placeholders. The template is not used for an agent with its own instructions if the template
	 * does not contain `{{instructions}}`.
	 */
	readonly template?: string | undefined;
	/** Role and rules of the agent. Placeholders in these instructions are not replaced. */
	readonly instructions?: string | undefined;
}

const instructionsPlace = /\{\{\s*instructions\s*\}\}/;

/** Returns the built-in role and rules, for agents without their own instructions. */
export function builtInInstructions({ questions }: { readonly questions: boolean }): string {
	return withBlocks(agentInstructions, { questions });
}

/**
 * Returns the text without the markers of `{{#name}}…{{/name}}` if `blocks` contains true for the name. Otherwise
 * removes the complete block.
 */
function withBlocks(text: string, blocks: Readonly<Record<string, boolean>>): string {
	return text.replaceAll(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name: string, inner: string) => {
		return blocks[name] === true ? inner : "";
	});
}

/**
 * Renders the system prompt of a session: replaces each `{{name}}` of the template with the instructions or a fact.
 * The result is deterministic. Throws `invalid_argument` with all unknown placeholders of the template.
 */
export function renderSystemPrompt(facts: ProjectFacts, texts: PromptTexts = {}): string {
	const { instructions } = texts;
	const { questions } = facts;
	const builtIn = withBlocks(systemTemplate, { questions, commands: facts.commands !== "" });
	const own = texts.template ?? builtIn;
	const template = instructions === undefined || instructionsPlace.test(own) ? own : builtIn;
	const values: Readonly<Record<string, string>> = {
		instructions: instructions ?? builtInInstructions({ questions }),
		cwd: oneLine(facts.cwd),
		roots: facts.roots.map(oneLine).join(", "),
		date: facts.date,
		os: oneLine(facts.os),
		git: oneLine(facts.git),
		commands: oneLine(facts.commands),
		projectNotes: facts.projectNotes.trim() || systemPromptTexts.noNotes,
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
	throw new ParleyError(systemPromptTexts.unknownPlaceholders([...unknown], known), {
		code: "invalid_argument",
	});
}

function oneLine(text: string): string {
	// Names of directories and branches are untrusted, and must not add lines to the prompt.
	return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
