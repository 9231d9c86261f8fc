import { definedItems } from "@parley/base";
import type { FeedbackPayload, MemoryPayload, MethodResult, SchedulePayload } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { memoryTableTexts, skillTableTexts } from "../texts/tables/skills.ts";

type SkillList = MethodResult<"list_skills">;
type Skill = SkillList["skills"][number];

/**
 * Returns the rows of the skills, followed by the invalid files. If a skill is not trusted, the last row is the
 * command that trusts skills.
 */
export function skillTable(
	{ skills, problems }: { readonly skills: readonly Skill[]; readonly problems: SkillList["problems"] },
	format: OutputFormat,
): string[] {
	const cells = [skillTableTexts.columns, ...skills.map(skillCells)];
	const table =
		skills.length === 0
			? [skillTableTexts.noSkills]
			: tableRows({ rows: cells, optional: [3, 1], elastic: 4 }, format);
	const broken = problems.flatMap(({ path, message }) =>
		wrapText(`✗ ${visibleLine(path)}: ${visibleLine(message)}`, format.columns).map(format.styles.red),
	);
	const needed = skills.some(({ trust }) => trust === "untrusted" || trust === "changed");
	const help = needed ? [skillTableTexts.howToTrust] : [];
	return [...table, ...broken, ...help];
}

export function skillRows(skill: MethodResult<"show_skill">, { columns, styles }: OutputFormat): string[] {
	const {
		name,
		argument_hint: hint,
		description,
		directory,
		path,
		trust,
		tools,
		model,
		steps,
		files,
		body,
		changes,
	} = skill;
	const facts: [string, string][] = definedItems([
		[skillTableTexts.file, path],
		[skillTableTexts.directory, directory],
		[skillTableTexts.trust, trust],
		[skillTableTexts.startedByLabel, startedBy(skill)],
		[
			skillTableTexts.tools,
			tools === undefined ? skillTableTexts.allTools : tools.join(", ") || skillTableTexts.noTools,
		],
		model === undefined ? undefined : ([skillTableTexts.model, model] satisfies [string, string]),
		steps === undefined
			? undefined
			: ([skillTableTexts.steps, steps.map(({ title }) => title).join(", ")] satisfies [string, string]),
		...files.map((file): [string, string] => [skillTableTexts.contains, file]),
	]);
	const changed =
		trust === "changed" ? ["", styles.bold(skillTableTexts.changes), ...changeRows(changes)] : [];
	return [
		styles.bold(visibleLine(`/${name}${hint === undefined ? "" : ` ${hint}`}`)),
		...wrapText(visibleLine(description), columns),
		...facts.map(([label, value]) => `${label.padEnd(11)}${visibleLine(value)}`),
		"",
		...body.split("\n").flatMap((line) => wrapText(visibleLine(line), columns)),
		...changed,
	];
}

/** Returns a diff from `show_skill` as rows, or a note if there is no diff. */
export function changeRows(changes: string | undefined): string[] {
	if (changes === undefined) return [skillTableTexts.noTrustedText];
	return changes.replace(/\n$/, "").split("\n").map(visibleText);
}

function skillCells(skill: Skill): string[] {
	const { name, trust, path, description } = skill;
	return [name, startedBy(skill), trust, path, description].map(visibleLine);
}

function startedBy({ user_invocable: people, model_invocable: agent }: Skill): string {
	return skillTableTexts.startedBy({ people, agent });
}

/**
 * Returns one line of details for each note, followed by the text of the note. `now` is in milliseconds since the
 * epoch.
 */
export function memoryRows(
	memories: readonly MemoryPayload[],
	now: number,
	{ columns, styles }: OutputFormat,
): string[] {
	return memories.flatMap(({ memory_id, scope, subject, content, tags, author, created_at }) => {
		const about =
			scope === "everyone"
				? memoryTableTexts.forAllPeople
				: memoryTableTexts.about({ scope, subject: subject ?? "" });
		const labels = tags.map((tag) => ` #${tag}`).join("");
		const facts = `${about}, by ${author}, ${timeAgo(Date.parse(created_at), now)}${labels}`;
		return [
			`${memory_id}  ${styles.dim(visibleLine(facts))}`,
			...content.split("\n").flatMap((line) => wrapText(`  ${visibleLine(line)}`, columns)),
		];
	});
}

/**
 * Returns the rows of the schedules. The first row of each schedule contains its id and its trigger. Further rows
 * contain other facts, the title, the prompt, and the reason if a schedule did not run. `now` is in milliseconds
 * since the epoch.
 */
export function scheduleRows(
	schedules: readonly SchedulePayload[],
	now: number,
	{ columns, styles }: OutputFormat,
): string[] {
	return schedules.flatMap((schedule) => {
		const { entry_id, title, prompt, when, owner, show, next_due, last_fired_at, problem } = schedule;
		const next = next_due === undefined ? [] : [memoryTableTexts.nextDue({ time: minuteOf(next_due) })];
		const last =
			last_fired_at === undefined
				? []
				: [memoryTableTexts.fired({ ago: timeAgo(Date.parse(last_fired_at), now) })];
		const facts = [...next, ...last, show, `by ${owner}`].join(", ");
		const text = title === prompt ? prompt : `${title}: ${prompt}`;
		const why =
			problem === undefined
				? []
				: [styles.yellow(memoryTableTexts.problem({ problem: visibleLine(problem) }))];
		return [
			`${entry_id}  ${visibleLine(when)}`,
			...[styles.dim(visibleLine(facts)), visibleLine(text), ...why].flatMap((line) =>
				wrapText(`  ${line}`, columns),
			),
		];
	});
}

/** Formats `2026-11-25T09:00:00.000Z` as `2026-11-25 09:00 UTC`. */
function minuteOf(time: string): string {
	return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Returns one line of facts for each rating, followed by the first line of the reply, and by the comment if there
 * is one. `now` is in milliseconds since the epoch.
 */
export function feedbackRows(
	feedback: readonly FeedbackPayload[],
	now: number,
	{ columns, styles }: OutputFormat,
): string[] {
	return feedback.flatMap(({ session_id, title, by, rating, comment, ts, reply }) => {
		const about = title === "" ? session_id : `${session_id} (${title})`;
		const facts = visibleLine(
			memoryTableTexts.feedbackFacts({ by, ago: timeAgo(Date.parse(ts), now), session: about }),
		);
		const [first = ""] = reply.trimStart().split("\n");
		return [
			`${rating.padEnd(4)}  ${styles.dim(facts)}`,
			shorten(`  ${memoryTableTexts.reply({ text: visibleLine(first) })}`, columns),
			...(comment === ""
				? []
				: wrapText(`  ${memoryTableTexts.comment({ text: visibleLine(comment) })}`, columns)),
		];
	});
}
