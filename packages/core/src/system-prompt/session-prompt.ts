import type { Clock } from "@parley/base";
import { stamp } from "../journal/tables.ts";
import { attributionNote } from "../run/transcript.ts";
import { type Roots, toolRoots } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import type { Skills } from "../skills/skills.ts";
import { skillsNote } from "../skills/skills-note.ts";
import { taskNote } from "../tasks/task-note.ts";
import type { Tool } from "../tool.ts";
import { askUser } from "../tools/ask-user.ts";
import { gatherFacts } from "./project-facts.ts";
import { renderSystemPrompt } from "./system-prompt.ts";

interface PromptOptions {
	readonly clock: Clock;
	readonly roots: Roots;
	readonly systemTemplate?: string;
	readonly tools: readonly Pick<Tool, "name">[];
	/** See `RuntimeOptions`. */
	readonly commandsNote?: string;
	readonly skills: Pick<Skills, "forModel">;
}

/**
 * The system prompt of a session: rendered before its first model call, kept with it, and the same ever after, also
 * when the instructions of its agent, which take the place of the built-in ones, have changed since.
 */
export function systemPromptOf(
	options: PromptOptions,
): (session: Session, instructions?: string) => Promise<string> {
	const { clock, roots, systemTemplate, tools, skills, commandsNote: commands = "" } = options;
	const questions = tools.some(({ name }) => name === askUser.name);
	return async (session, instructions) => {
		if (session.systemPrompt !== undefined) return session.systemPrompt;
		const facts = await gatherFacts({ cwd: session.rootDir, roots: toolRoots(session, roots), clock });
		const rendered = renderSystemPrompt(
			{ ...facts, commands, questions },
			{ template: systemTemplate, instructions },
		);
		const { place, taskId } = session;
		const listed = await skills.forModel(session.rootDir);
		const notes = [
			...(listed.length === 0 ? [] : [skillsNote(listed.map(({ skill }) => skill))]),
			...(place === undefined ? [] : [attributionNote(place)]),
			...(taskId === undefined ? [] : [taskNote]),
		];
		const whole = notes.length === 0 ? rendered : `${[rendered.trimEnd(), ...notes].join("\n\n")}\n`;
		// Notes of a project and the state of its repository are whatever somebody wrote into them.
		const prompt = session.redactor.into("instructions").redact(whole);
		await session.commit(async (tx) => {
			const row = { session_id: session.id, text: prompt, ...stamp };
			await tx
				.insertInto("system_prompts")
				.values(row)
				.onConflict((conflict) => conflict.column("session_id").doUpdateSet({ text: prompt }))
				.execute();
		});
		session.systemPrompt = prompt;
		return prompt;
	};
}
