import { type Clock, definedItems } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { type Roots, toolRoots } from "../../filesystem/paths.ts";
import { stamp } from "../../store/tables.ts";
import { askUser } from "../../tools/ask-user.ts";
import type { Skill } from "../../vocabulary/skill.ts";
import { attributionNote } from "../../vocabulary/transcript.ts";
import type { SystemPromptOf } from "../run/run.ts";
import type { PromptAgent } from "../run/settings.ts";
import type { Skills } from "../skills/skills.ts";
import { gatherFacts } from "./project-facts.ts";
import { renderSystemPrompt } from "./system-prompt.ts";

interface PromptOptions {
	readonly clock: Clock;
	readonly roots: Roots;
	readonly systemTemplate?: string;
	readonly tools: readonly { readonly name: string }[];
	/** See `RuntimeOptions`. */
	readonly commandsNote?: string;
	readonly skills: { readonly forModel: Skills["forModel"] };
}

/**
 * The system prompt of a session: rendered before its first model call, kept with it, and the same ever after, also when the
 * instructions of its agent have changed since. The prompt of another agent that works on a run of the session stays the
 * same until the session leaves memory.
 */
export function systemPromptOf(options: PromptOptions): SystemPromptOf {
	const ofOthers = new WeakMap<Session, Map<string, string>>();
	return async (session, by) => {
		if (by.agent === session.profile) {
			session.systemPrompt ??= await keep(session, await render(options, session, by));
			return session.systemPrompt;
		}
		const known = ofOthers.get(session) ?? new Map<string, string>();
		ofOthers.set(session, known);
		const prompt = known.get(by.agent) ?? (await render(options, session, by));
		known.set(by.agent, prompt);
		return prompt;
	};
}

async function render(
	options: PromptOptions,
	session: Session,
	{ instructions }: PromptAgent,
): Promise<string> {
	const { clock, roots, systemTemplate, tools, skills, commandsNote: commands = "" } = options;
	const questions = tools.some(({ name }) => name === askUser.name);
	const facts = await gatherFacts({ cwd: session.rootDir, roots: toolRoots(session, roots.given), clock });
	const rendered = renderSystemPrompt(
		{ ...facts, commands, questions },
		{ template: systemTemplate, instructions },
	);
	const { place, taskId } = session;
	const listed = await skills.forModel(session.rootDir);
	const notes = definedItems([
		listed.length === 0 ? undefined : skillsNote(listed.map(({ skill }) => skill)),
		place === undefined ? undefined : attributionNote(place),
		taskId === undefined ? undefined : taskNote,
	]);
	const whole = notes.length === 0 ? rendered : `${[rendered.trimEnd(), ...notes].join("\n\n")}\n`;
	// Notes of a project and the state of its repository are whatever their authors wrote.
	return session.redactor.into("instructions").redact(whole);
}

async function keep(session: Session, prompt: string): Promise<string> {
	await session.commit(async (tx) => {
		const row = { session_id: session.id, text: prompt, ...stamp };
		await tx
			.insertInto("system_prompts")
			.values(row)
			.onConflict((conflict) => conflict.column("session_id").doUpdateSet({ text: prompt }))
			.execute();
	});
	return prompt;
}

/** Part of the system prompt for runs of tasks. */
const taskNote = `You work on a task in the background. Nobody reads what you write while you work: your last
reply is the result of the task, so it says what was done, where it is, and what is left. Where the work has more than
one step, keep the list of the tool todo up to date: people see it as the progress. People can be asked with ask_user or
request_review where you have these tools, and may take hours to answer.`;

/** Maximum characters of the list, and of one description in it. */
const mostList = 8_000;
const mostDescription = 400;

/**
 * The skills that a model may start, for the system prompt: names and descriptions alone, since the texts are loaded when
 * they are needed. It is part of the session's prompt, which never changes, so that the provider's cache stays valid.
 */
function skillsNote(skills: readonly Skill[]): string {
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
	return definedItems([
		"# Skills",
		"",
		"A skill holds instructions for a kind of work. If one fits the task, load it with the tool `skill` before you begin.",
		"",
		...lines,
		more > 0 ? `- and ${more} more, which the operator has to name` : undefined,
	]).join("\n");
}
