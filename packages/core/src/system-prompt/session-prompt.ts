import type { Clock } from "@parley/base";
import type { Sandbox } from "../sandbox.ts";
import type { Roots } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { describeGit } from "./git-state.ts";
import { gatherFacts } from "./project-facts.ts";
import { shareByDirectory } from "./share-by-directory.ts";
import { renderSystemPrompt } from "./system-prompt.ts";

interface PromptOptions {
	readonly clock: Clock;
	readonly sandbox: Sandbox;
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
	const git = shareByDirectory((cwd) => describeGit(sandbox, cwd), clock);
	return async (session, instructions) => {
		if (session.systemPrompt !== undefined) return session.systemPrompt;
		const seen = { cwd: session.rootDir, roots: [...new Set([session.rootDir, ...roots.given])] };
		const facts = await gatherFacts({ ...seen, clock, git });
		const prompt = renderSystemPrompt(facts, { template: systemTemplate, instructions });
		await session.commit(async (tx) => {
			await tx.updateTable("sessions").set({ system_prompt: prompt }).where("id", "=", session.id).execute();
		});
		session.systemPrompt = prompt;
		return prompt;
	};
}
