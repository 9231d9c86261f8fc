import { ParleyError } from "@parley/base";
import type { Skill, SkillStep } from "./skill.ts";

/** Limits in characters. The filled-in texts are stored with the run and sent to the model. */
const most = { arguments: 100_000, filled: 1_000_000 } as const;

/** A skill as one run uses it: recorded with the run, so that a later change of the file has no effect on it. */
export interface UsedSkill extends Pick<Skill, "name" | "source" | "directory" | "hash" | "tools" | "model"> {
	/** As the caller wrote them; "" for none. */
	readonly arguments: string;
	/** Whether it has files beside its text. */
	readonly hasFiles: boolean;
	/** The text for the model: the name, the directory and the body, without placeholders. */
	readonly text: string;
	/** The steps of a workflow, without placeholders. */
	readonly steps?: readonly SkillStep[];
}

/** A message that begins with `/name`. */
export interface Invocation {
	readonly name: string;
	/** Everything behind the name and one blank. */
	readonly arguments: string;
}

/** The skill that a message may start; undefined if it does not begin with `/` and a name. */
export function invocationIn(content: string): Invocation | undefined {
	const [, name, given = ""] =
		/^\/([\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63})(?:\s([\s\S]*))?$/u.exec(content) ?? [];
	return name === undefined ? undefined : { name, arguments: given };
}

/**
 * Fills in the arguments of a call. With `isQuoted`, each is written as one line in quotes: the words of a person of a
 * chat, which must not read like the words of the skill. Throws `invalid_argument` if the arguments have more than 100,000
 * characters, or the text and the prompts of all steps together more than 1,000,000.
 */
export function useSkill(
	{ skill, files }: { readonly skill: Skill; readonly files: readonly string[] },
	given: string,
	{ isQuoted = false }: { readonly isQuoted?: boolean } = {},
): UsedSkill {
	const { name, source, directory, hash, body, tools, model, steps } = skill;
	if (given.length > most.arguments) {
		throw refused(
			`the arguments of the skill ${name} have ${given.length} characters: use at most ${most.arguments}, or put the text in a file`,
		);
	}
	const filling = new Filling({ name, directory }, given, isQuoted);
	return {
		name,
		source,
		directory,
		hash,
		arguments: given,
		hasFiles: files.length > 0,
		text: [`[Skill: ${name}]`, `Base path: ${directory}`, "", filling.fill(body)].join("\n").trimEnd(),
		...(tools && { tools }),
		...(model !== undefined && { model }),
		...(steps && { steps: steps.map((step) => ({ ...step, prompt: filling.fill(step.prompt) })) }),
	};
}

/** The texts of one skill, filled in with the arguments of one call. */
class Filling {
	readonly #skill: Pick<Skill, "name" | "directory">;
	readonly #given: string;
	readonly #words: readonly string[];
	readonly #isQuoted: boolean;
	#length = 0;

	constructor(skill: Pick<Skill, "name" | "directory">, given: string, isQuoted: boolean) {
		this.#skill = skill;
		this.#given = given;
		this.#words = splitArguments(given);
		this.#isQuoted = isQuoted;
	}

	/**
	 * Replaces `$ARGUMENTS`, `$0` for the first argument and so on, `$ARGUMENTS[0]` as another spelling, and
	 * `${CLAUDE_SKILL_DIR}`, each once: placeholders in the arguments stay as they are, and so do those without an argument.
	 */
	fill(text: string): string {
		this.#count(text.length);
		return text.replaceAll(
			/\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})(?!\d)|\{CLAUDE_SKILL_DIR\})/g,
			(whole: string, index: string | undefined, short: string | undefined) => {
				const value = this.#valueOf(whole, index ?? short);
				this.#count(value.length - whole.length);
				return value;
			},
		);
	}

	#valueOf(whole: string, number: string | undefined): string {
		if (whole === "$ARGUMENTS") return this.#shown(this.#given);
		if (number === undefined) return this.#skill.directory;
		const word = this.#words[Number(number)];
		return word === undefined ? whole : this.#shown(word);
	}

	#shown(value: string): string {
		return this.#isQuoted ? JSON.stringify(value) : value;
	}

	/** Throws before the text becomes too long, so that it is never in memory. */
	#count(characters: number): void {
		this.#length += characters;
		if (this.#length <= most.filled) return;
		throw refused(
			`the skill ${this.#skill.name} with these arguments has more than ${most.filled} characters: shorten the arguments, or use fewer placeholders in its file`,
		);
	}
}

/** Splits at blanks. `"` and `'` enclose blanks and are dropped; there are no escapes, and an open quote lasts to the end. */
export function splitArguments(given: string): readonly string[] {
	const written = given.match(/(?:[^ "']|"[^"]*(?:"|$)|'[^']*(?:'|$))+/g) ?? [];
	return written
		.map((word) => word.replaceAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, "$1$2"))
		.filter((word) => word !== "");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
