import type { ControlKind } from "@parley/connector";
import type { Sight } from "../scenes/step.ts";

export interface Kind {
	readonly id: string;
	readonly title: string;
	/** Name of the scene in `scenes/golden.ts`. */
	readonly scene: string;
	/**
	 * Content of the post whose first state the section shows. Without `at` and `shows`, the section shows the
	 * channel at the end of the scene.
	 */
	readonly at?: Sight;
	/** Whether the section shows the last opened form or the home page, as it is at the end of the scene. */
	readonly shows?: "form" | "home";
	/** The only platform that has this kind. */
	readonly only?: "slack";
}

export interface Topic {
	readonly title: string;
	/** Files in `packages/connector/src/texts` that contain the texts of this topic's posts. */
	readonly texts: readonly string[];
	readonly kinds: readonly Kind[];
}

/** All kinds of posts. The gallery has at least one kind for each golden scene. */
export const topics: readonly Topic[] = [
	{
		title: "Answers",
		texts: ["answers", "live", "messages"],
		kinds: [
			{ id: "answer", title: "Answers, and a private response to feedback", scene: "question-and-answer" },
			{
				...{ id: "growing", title: "An answer that grows, with a tool call", scene: "growing-answer" },
				at: ["read", "file", "t2", "[Stop]"],
			},
			{
				...{ id: "growing-direct", title: "The same in direct messages", scene: "growing-answer" },
				at: ["list", "schedules", "t2", "[Stop]"],
			},
			{ id: "long-answer", title: "An answer in several posts", scene: "long-answer" },
			{ id: "too-long", title: "An answer with the full text as a file", scene: "answer-that-is-too-long" },
			{ id: "edited", title: "A message that is edited later", scene: "edited-message" },
			{ id: "queued", title: "A message that waits", scene: "busy-channel", at: "Your message is next" },
			{
				...{ id: "offered", title: "A message that waits, with the offer to add it to the running request" },
				...{ scene: "queued-message", at: "[Add to running request]" },
			},
			{ id: "busy", title: "Two people who ask at the same time", scene: "busy-channel" },
			{ id: "stopped", title: "A request that a person stops", scene: "stopped-answer" },
			{ id: "failed", title: "A request that fails", scene: "failed-answer" },
		],
	},
	{
		title: "Approvals",
		texts: ["approvals", "notices"],
		kinds: [
			{ id: "approval", title: "An open approval", scene: "approval-approved", at: "[Approve once]" },
			{ id: "approved", title: "An approved call", scene: "approval-approved" },
			{ id: "denied", title: "A denied call", scene: "approval-denied" },
			{
				...{ id: "calls", title: "Several calls", scene: "approval-of-three-calls" },
				at: ["**3.**", "[Approve all]"],
			},
			{
				...{ id: "calls-details", title: "Their details, which only one person sees" },
				...{ scene: "approval-of-three-calls", at: "[Approve 3]" },
			},
			{ id: "calls-decided", title: "Several calls with their decisions", scene: "approval-of-three-calls" },
			{ id: "many-calls", title: "Many calls", scene: "approval-of-many-calls", at: "… 2 more" },
			{
				...{ id: "many-details", title: "Their details", scene: "approval-of-many-calls" },
				at: "Choose a call",
			},
			{ id: "votes", title: "Two approvals are required", scene: "approval-by-two-people", at: "0 of 2" },
			{ id: "vote", title: "One of two approvals", scene: "approval-by-two-people", at: "1 of 2" },
			{
				id: "approvals",
				title: "The list of open approvals",
				scene: "list-of-approvals",
				at: "Requested by @Mia here",
			},
			{ id: "voted", title: "Approved by two people", scene: "approval-by-two-people" },
			{ id: "details", title: "The details of a call, for one person", scene: "details-of-a-call" },
			{ id: "edit-form", title: "The form to edit a call", scene: "form-for-an-edit", shows: "form" },
			{ id: "edited-call", title: "An edited call", scene: "edited-call" },
			{ id: "notices", title: "A notice, a reminder and an escalation", scene: "notices-to-approvers" },
		],
	},
	{
		title: "Questions",
		texts: ["questions"],
		kinds: [
			{ id: "question", title: "An open question", scene: "question-with-choices", at: "<Choose one" },
			{ id: "password", title: "A question for a password", scene: "password", at: "[Enter it on a page]" },
			{ id: "answered", title: "An answered question", scene: "question-with-choices" },
		],
	},
	{
		title: "Tasks and workflows",
		texts: ["tasks"],
		kinds: [
			{
				...{ id: "task-waiting", title: "A task that waits", scene: "task-with-plan" },
				at: ["Waiting for your answer", "[Cancel]"],
			},
			{ id: "plan", title: "The review of a plan", scene: "task-with-plan", at: "[Revise]" },
			{ id: "task", title: "A task that is done, with its thread", scene: "task-with-plan" },
			{ id: "task-failed", title: "A task that failed", scene: "failed-task" },
			{
				...{ id: "steps", title: "A workflow that runs two steps", scene: "workflow" },
				at: ["1 of 4", "▶️ Building", "▶️ Testing"],
			},
			{ id: "steps-done", title: "A workflow that is done", scene: "workflow" },
			{ id: "tasks", title: "The list of tasks", scene: "lists", at: ["1. **Tidy**", "✅ Done"] },
		],
	},
	{
		title: "Trusted channels",
		texts: ["trust"],
		kinds: [
			{ id: "trust-request", title: "A request", scene: "trusted-channel", at: "[Approve] [Deny]" },
			{ id: "trust", title: "A trusted channel", scene: "trusted-channel", at: "[End trust]" },
			{ id: "trust-ended", title: "A channel that is no longer trusted", scene: "trusted-channel" },
		],
	},
	{
		title: "Schedules",
		texts: ["schedules"],
		kinds: [
			{ id: "schedule", title: "An answer of a schedule", scene: "schedule" },
			{ id: "schedules", title: "The list of schedules", scene: "lists", at: ["**Morning**", "next"] },
		],
	},
	{
		title: "Conversations",
		texts: ["context", "conversations", "export", "notes"],
		kinds: [
			{
				id: "sessions",
				title: "The list of conversations",
				scene: "lists",
				at: ["**Greetings**", "2 messages"],
			},
			{ id: "lists", title: "All lists, for the person who requests them", scene: "lists" },
			{
				...{ id: "compaction", title: "A conversation that was summarised for the agent" },
				...{ scene: "state-of-a-conversation", at: "I now work from a summary of the conversation" },
			},
			{
				...{ id: "no-compaction", title: "A conversation that cannot be summarised" },
				...{ scene: "state-of-a-conversation", at: "There is nothing to summarise" },
			},
			{
				id: "copy",
				title: "A conversation that continues as a copy, and as a file",
				scene: "copy-of-a-conversation",
			},
			{ id: "state", title: "The state of a conversation", scene: "state-of-a-conversation" },
			{ id: "deleted", title: "A conversation that is deleted elsewhere", scene: "deleted-conversation" },
			{ id: "why", title: "Messages that were read with a request", scene: "read-messages" },
		],
	},
	{
		title: "Home",
		texts: ["home"],
		kinds: [{ id: "home", title: "The home page", scene: "home", shows: "home", only: "slack" }],
	},
	{
		title: "People",
		texts: ["access", "commands", "welcome"],
		kinds: [
			{ id: "welcome", title: "The welcome", scene: "welcome" },
			{
				id: "no-access",
				title: "A person without access",
				scene: "stranger",
				at: "You do not have access yet",
			},
			{ id: "help", title: "The help", scene: "stranger" },
		],
	},
];

/**
 * Returns the topics, each with the kinds of posts that the platform has. Excludes topics without a kind for the
 * platform.
 */
export function topicsOf(platform: string): readonly Topic[] {
	const own = topics.map((topic) => ({
		...topic,
		kinds: topic.kinds.filter(({ only = platform }) => only === platform),
	}));
	return own.filter(({ kinds }) => kinds.length > 0);
}

export function kindsOf(platform: string): readonly Kind[] {
	return topicsOf(platform).flatMap(({ kinds }) => kinds);
}

/** Text files whose texts are not posts of a scene, with the reason. */
export const textsElsewhere: Readonly<Record<string, string>> = {
	posts: "lists for the operator in a terminal",
	setup: "steps of the setup in a terminal",
	shared: "errors that replace another response",
};

/**
 * Controls that no golden scene shows. All other controls must be in the gallery of each platform, except
 * `controlsOfHome` on Discord.
 */
export const controlsElsewhere: readonly ControlKind[] = [
	"info-one",
	"usage-one",
	"model-one",
	"compact-one",
	"skip",
];

/** Controls that only home pages have. Only Slack has home pages. */
export const controlsOfHome: readonly ControlKind[] = ["stop-one", "suggested"];

/** Commands whose answers no golden scene shows, with the reason. */
export const commandsElsewhere: Readonly<Record<string, string>> = {
	stop: "the end of the stopped run is shown",
	"task show": "the card of the task, for one person",
	"task cancel": "the card of the task changes",
	"task reply": "its answer is that of a message in the task's thread",
	"session new": "one sentence for one person",
	"session switch": "one sentence for one person",
	"trust off": "the button of the trusted channel does the same",
	"trust status": "the card of the trusted channel, for one person",
	forget: "one sentence for one person",
	"schedule remove": "one sentence for one person",
	skill: "a list like that of schedules, and the answer of a run",
	pair: "one sentence for one person",
};

/** For each event, the id of the section that shows it, or the reason why no section does. */
export const eventsShown: Readonly<Record<string, { readonly in: string } | { readonly why: string }>> = {
	"user.message": { in: "queued" },
	"assistant.stream": { in: "growing" },
	"assistant.message": { in: "answer" },
	"internal.llm.call": { in: "growing" },
	"run.retrying": { why: "a notice that the model is retried, which real time decides" },
	"budget.reached": { why: "the budget of a month must be used up" },
	"compaction.ended": { in: "compaction" },
	"schedule.created": { in: "schedules" },
	"schedule.trigger": { in: "schedule" },
	"schedule.removed": { why: "one sentence, as after its creation" },
	"task.created": { in: "task-waiting" },
	"task.started": { in: "task-waiting" },
	"task.progress": { in: "steps" },
	"todo.updated": { why: "the plan of a run is a part of the growing answer" },
	"task.suspended": { in: "task-waiting" },
	"task.resumed": { in: "task" },
	"task.completed": { in: "task" },
	"task.failed": { in: "task-failed" },
	"task.cancelled": { why: "the card of a failed task with another word" },
	"internal.worker": { why: "a line of a task's card while workers run" },
	"tool.call": { in: "growing" },
	"prompt.request": { in: "approval" },
	"prompt.response": { in: "approved" },
	"prompt.vote": { in: "vote" },
	"prompt.closed": { in: "stopped" },
	"prompt.reminder": { in: "notices" },
	"file.created": { in: "too-long" },
	"session.renamed": { in: "lists" },
	"grant.created": { in: "trust" },
	"grant.ended": { in: "trust-ended" },
	"session.deleted": { in: "deleted" },
};
