import type { Skill, SkillStep } from "./skill.ts";

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
 * chat, which must not read like the words of the skill.
 */
export function useSkill(
	{ skill, files }: { readonly skill: Skill; readonly files: readonly string[] },
	given: string,
	{ isQuoted = false }: { readonly isQuoted?: boolean } = {},
): UsedSkill {
	const { name, source, directory, hash, body, tools, model, steps } = skill;
	const fill = (text: string): string => fillIn(text, { given, directory, isQuoted });
	return {
		...{ name, source, directory, hash, arguments: given, hasFiles: files.length > 0 },
		text: [`[Skill: ${name}]`, `Base path: ${directory}`, "", fill(body)].join("\n").trimEnd(),
		...(tools && { tools }),
		...(model !== undefined && { model }),
		...(steps && { steps: steps.map((step) => ({ ...step, prompt: fill(step.prompt) })) }),
	};
}

/**
 * Replaces `$ARGUMENTS`, `$0` for the first argument and so on, `$ARGUMENTS[0]` as another spelling, and
 * `${CLAUDE_SKILL_DIR}`, each once: placeholders in the arguments stay as they are, and so do those without an argument.
 */
function fillIn(
	text: string,
	{
		given,
		directory,
		isQuoted,
	}: { readonly given: string; readonly directory: string; readonly isQuoted: boolean },
): string {
	const words = splitArguments(given);
	const shown = (value: string): string => (isQuoted ? JSON.stringify(value) : value);
	return text.replaceAll(
		/\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})(?!\d)|\{CLAUDE_SKILL_DIR\})/g,
		(whole: string, index: string | undefined, short: string | undefined) => {
			if (whole === "$ARGUMENTS") return shown(given);
			const number = index ?? short;
			if (number === undefined) return directory;
			const word = words[Number(number)];
			return word === undefined ? whole : shown(word);
		},
	);
}

/** Splits at blanks. `"` and `'` enclose blanks and are dropped; there are no escapes, and an open quote lasts to the end. */
export function splitArguments(given: string): readonly string[] {
	const written = given.match(/(?:[^ "']|"[^"]*(?:"|$)|'[^']*(?:'|$))+/g) ?? [];
	return written
		.map((word) => word.replaceAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, "$1$2"))
		.filter((word) => word !== "");
}
