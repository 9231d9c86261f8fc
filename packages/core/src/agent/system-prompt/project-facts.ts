import { machine, release, type } from "node:os";
import type { Clock } from "@parley/base";
import { describeGit } from "./git-state.ts";
import { readProjectNotes } from "./project-notes.ts";
import type { ProjectFacts } from "./system-prompt.ts";

/** Where a session works: absolute real paths, as in `ToolContext`. */
interface Surroundings {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly clock: Clock;
}

/**
 * Collects the facts for `renderSystemPrompt` from files, without starting a program. Never rejects because of what it
 * finds: a fact that cannot be read says so in its own text.
 */
export async function gatherFacts({
	cwd,
	roots,
	clock,
}: Surroundings): Promise<Omit<ProjectFacts, "commands" | "questions">> {
	const [git, projectNotes] = await Promise.all([describeGit(cwd, roots), readProjectNotes(cwd, roots)]);
	const date = new Date(clock.now()).toISOString().slice(0, 10);
	return { cwd, roots, date, os: `${type()} ${release()} (${machine()})`, git, projectNotes };
}
