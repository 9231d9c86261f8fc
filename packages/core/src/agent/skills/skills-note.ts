import type { Skill } from "../../vocabulary/skill.ts";

/** Maximum characters of the list, and of one description in it. */
const mostList = 8_000;
const mostDescription = 400;

/**
 * The skills that a model may start, for the system prompt: names and descriptions alone, since the texts are loaded when
 * they are needed. It is part of the session's prompt, which never changes, so that the provider's cache stays valid.
 */
export function skillsNote(skills: readonly Pick<Skill, "name" | "description" | "argumentHint">[]): string {
	const lines: string[] = [];
	let left = mostList;
	for (const { name, description, argumentHint: hint } of skills) {
		const words =
			description.length > mostDescription ? `${description.slice(0, mostDescription)}…` : description;
		const line = `- ${name}${hint === undefined ? "" : ` ${hint}`}${words === "" ? "" : `: ${words}`}`;
		if (line.length > left) break;
		lines.push(line);
		left -= line.length + 1;
	}
	const more = skills.length - lines.length;
	return [
		"# Skills",
		"",
		"A skill holds instructions for a kind of work. If one fits the task, load it with the tool `skill` before you begin.",
		"",
		...lines,
		...(more > 0 ? [`- and ${more} more, which the operator has to name`] : []),
	].join("\n");
}
