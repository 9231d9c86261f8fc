import { ParleyError } from "@parley/base";
import { agentInstructions, systemTemplate } from "../../instructions/prompt-files.ts";
import { systemPromptTexts } from "./texts.ts";

/** Facts about the surroundings of a session. Collected once per session, so that the prompt stays cacheable. */
export interface ProjectFacts {
	/** Absolute path of the working directory. */
	readonly cwd: string;
	/** Absolute paths that tools may touch. */
	readonly roots: readonly string[];
	/** YYYY-MM-DD. */
	readonly date: string;
	readonly os: string;
	/** One line about the repository and its branch. */
	readonly git: string;
	/** Text of `AGENTS.md` and `CLAUDE.md`; "" if none exists. */
	readonly projectNotes: string;
	/** Permissions and limits of commands; "" for no text. */
	readonly commands: string;
	/** Whether the agent has the tool for questions. */
	readonly questions: boolean;
}

/** Texts of the operator or a profile that replace built-in texts. */
export interface PromptTexts {
	/** The complete prompt with its placeholders. A prompt without `{{instructions}}` is not used for an agent that has some. */
	readonly template?: string | undefined;
	/** Role and working rules of the agent. Placeholders in it are not replaced. */
	readonly instructions?: string | undefined;
}

const instructionsPlace = /\{\{\s*instructions\s*\}\}/;

/** Role and working rules of an agent without its own instructions. */
export function builtInInstructions({ questions }: { readonly questions: boolean }): string {
	return withBlocks(agentInstructions, { questions });
}

/** Removes the blocks `{{#name}}…{{/name}}` whose name is false in `holds`. */
function withBlocks(text: string, blocks: Readonly<Record<string, boolean>>): string {
	return text.replaceAll(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, name: string, inner: string) => {
		return blocks[name] === true ? inner : "";
	});
}

/**
 * The system prompt of a session: the template with each `{{name}}` replaced by the instructions or a fact. The result is
 * deterministic. Throws `invalid_argument` with all unknown placeholders.
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

/** The name of a directory or a branch is untrusted: it must not add lines to the prompt. */
function oneLine(text: string): string {
	return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
