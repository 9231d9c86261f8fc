import type { Clock } from "@parley/base";
import { attributionNote } from "../run/attribute.ts";
import type { Sandboxes } from "../sandbox.ts";
import { type Roots, toolRoots } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { taskNote } from "../tasks/task-note.ts";
import { describeGit } from "./git-state.ts";
import { gatherFacts } from "./project-facts.ts";
import { shareByDirectory } from "./share-by-directory.ts";
import { renderSystemPrompt } from "./system-prompt.ts";

interface PromptOptions {
	readonly clock: Clock;
	readonly sandbox: Sandboxes;
	readonly roots: Roots;
	readonly systemTemplate?: string;
}

/**
 * The system prompt of a session: rendered before its first model call, kept with it, and the same ever after, also
 * when the instructions of its agent, which take the place of the built-in ones, have changed since.
 */
export function systemPromptOf(
	options: PromptOptions,
): (session: Session, instructions?: string) => Promise<string> {
	const { clock, sandbox, roots, systemTemplate } = options;
	const looking = (chat: boolean): ((cwd: string) => Promise<string>) =>
		shareByDirectory(async (cwd) => describeGit(await sandbox.of({ chat, roots: [cwd] }), cwd), clock);
	const [git, gitOfChat] = [looking(false), looking(true)];
	return async (session, instructions) => {
		if (session.systemPrompt !== undefined) return session.systemPrompt;
		const seen = { cwd: session.rootDir, roots: toolRoots(session, roots) };
		const facts = await gatherFacts({ ...seen, clock, git: session.place === undefined ? git : gitOfChat });
		const rendered = renderSystemPrompt(facts, { template: systemTemplate, instructions });
		const { place, taskId } = session;
		const notes = [
			...(place === undefined ? [] : [attributionNote(place)]),
			...(taskId === undefined ? [] : [taskNote]),
		];
		const whole = notes.length === 0 ? rendered : `${[rendered.trimEnd(), ...notes].join("\n\n")}\n`;
		// Notes of a project and the state of its repository are whatever somebody wrote into them.
		const prompt = session.redactor.into("instructions").redact(whole);
		await session.commit(async (tx) => {
			await tx.updateTable("sessions").set({ system_prompt: prompt }).where("id", "=", session.id).execute();
		});
		session.systemPrompt = prompt;
		return prompt;
	};
}
