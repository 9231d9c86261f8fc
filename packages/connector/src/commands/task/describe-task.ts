import type { TaskPayload } from "@parley/protocol";
import { plain } from "../../conversation/tasks/plain.ts";
import { hasEnded, shortId } from "../../conversation/tasks/task-state.ts";
import { barOf, because, lengthOf, stateWords, tokensOf } from "../../conversation/tasks/task-words.ts";
import type { ChatPlatform } from "../../platform/chat-platform.ts";

type Platform = Pick<ChatPlatform, "moment" | "person">;

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** A task in one line of a list. */
export function taskLine(task: TaskPayload, { moment }: Platform): string {
	const { id, title, status, progress, created_at } = task;
	const bar = hasEnded(status) ? undefined : barOf(progress.current_step, progress.total_steps);
	const facts = [stateWords[status], ...(bar === undefined ? [] : [bar])].join(", ");
	return `- \`${shortId(id)}\` **${plain(title, 80)}** · ${facts} · ${moment(Date.parse(created_at), "relative")}`;
}

/** All that people want to know of a task. */
export function taskReport(task: TaskPayload, platform: Platform): string {
	return [
		`**${plain(task.title, 200)}** · \`${shortId(task.id)}\`\n${statusLine(task, platform)}`,
		factsOf(task, platform),
		...planOf(task),
		...questionOf(task),
		...(task.description.trim() === "" ? [] : [`**Asked for**\n\n${task.description.trim()}`]),
		...(task.output.trim() === "" ? [] : [`**Came of it**\n\n${task.output.trim()}`]),
	].join("\n\n");
}

function statusLine({ status, error, progress }: TaskPayload, platform: Platform): string {
	const bar = barOf(progress.current_step, progress.total_steps);
	const why = hasEnded(status) ? because({ why: error }, platform) : "";
	return `${stateWords[status]}${why}${bar === undefined ? "" : `\n${bar}`}`;
}

function factsOf(task: TaskPayload, { moment }: Platform): string {
	const { usage, started_at, completed_at, created_at, agent, model } = task;
	const start = started_at === undefined ? undefined : Date.parse(started_at);
	const end = completed_at === undefined ? undefined : Date.parse(completed_at);
	const spent = tokensOf({ input: usage.tokens_input, output: usage.tokens_output });
	return [
		`asked for ${moment(Date.parse(created_at), "exact")}`,
		...(start !== undefined && end === undefined ? [`started ${moment(start, "relative")}`] : []),
		...(start !== undefined && end !== undefined ? [`took ${lengthOf(end - start)}`] : []),
		`agent ${plain(agent, 80)}${model === undefined ? "" : ` with ${plain(model, 80)}`}`,
		`${spent}, ${dollars.format(usage.cost_usd)}`,
	].join(" · ");
}

function planOf({ plan = [] }: TaskPayload): string[] {
	if (plan.length === 0) return [];
	const steps = plan.map(({ title, status }) => {
		const note = { pending: "", completed: "", in_progress: " (at work)", skipped: " (left out)" }[status];
		return `- [${status === "completed" ? "x" : " "}] ${plain(title, 120)}${note}`;
	});
	return [`**Plan**\n${steps.join("\n")}`];
}

function questionOf({ suspension }: TaskPayload): string[] {
	if (!suspension) return [];
	const { reason, plan_content: plan } = suspension;
	return [`**It waits for you**: ${plain(reason, 300)}`, ...(plan.trim() === "" ? [] : [plan.trim()])];
}
