import type { Run } from "../conversation/answers/runs.ts";
import { openQuestions, type QuestionsSlice } from "../conversation/questions/questions.ts";

/**
 * Whether a run waits for a person: it has an open question, and all running calls belong to open questions. `running`
 * are the ids of running calls. A question without the id of its call may belong to any running call. Trust requests
 * and questions of tasks are ignored.
 */
export function waitsForPeople(
	questions: QuestionsSlice,
	{ parts = [] }: Pick<Run, "parts">,
	running: ReadonlySet<string>,
): boolean {
	const open = openQuestions(questions).filter(({ task, kind }) => task === undefined && kind !== "grant");
	const asking = parts.filter((part) => part.type === "call").filter(({ waits }) => waits !== undefined);
	const named = [...asking, ...open.map(({ call }) => call)].map((call) => call?.id);
	const unnamed = open.filter(
		({ kind, token }) => kind !== "approval" && !asking.some(({ waits }) => waits === token),
	);
	const busy = [...running].filter((id) => !named.includes(id));
	return open.length > 0 && busy.length <= unnamed.length;
}
