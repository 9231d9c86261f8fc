import type { ControlKind } from "@parley/connector";
import type { Sight } from "../scenes/step.ts";

/** A section of the gallery. */
export interface Kind {
	/** Anchor in the page. */
	readonly id: string;
	readonly title: string;
	/** Its scene in `scenes/golden.ts`. */
	readonly scene: string;
	/** Shows the first state of a post with this content. Without it, the section shows the channel after the scene. */
	readonly at?: Sight;
}

export interface Topic {
	readonly title: string;
	readonly kinds: readonly Kind[];
}

/** All kinds of posts. Each golden scene has at least one. */
export const topics: readonly Topic[] = [
	{
		title: "Answers",
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
			{ id: "queued", title: "A message that waits", scene: "busy-channel", at: "Yours is next" },
			{
				...{ id: "offered", title: "A message that waits, with the offer to add it to the running request" },
				...{ scene: "queued-message", at: "[Add to this]" },
			},
			{ id: "busy", title: "Two people who ask at the same time", scene: "busy-channel" },
		],
	},
	{
		title: "Approvals",
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
		],
	},
	{
		title: "Questions",
		kinds: [
			{ id: "question", title: "An open question", scene: "question-with-choices", at: "<Choose one" },
			{ id: "password", title: "A question for a password", scene: "password", at: "[Enter it on a page]" },
			{ id: "answered", title: "An answered question", scene: "question-with-choices" },
		],
	},
	{
		title: "Tasks and workflows",
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
		],
	},
	{
		title: "Trusted channels",
		kinds: [
			{ id: "trust-request", title: "A request", scene: "trusted-channel", at: "[Approve] [Deny]" },
			{ id: "trust", title: "A trusted channel", scene: "trusted-channel", at: "[End trust]" },
			{ id: "trust-ended", title: "A channel that is no longer trusted", scene: "trusted-channel" },
		],
	},
	{
		title: "People",
		kinds: [
			{ id: "welcome", title: "The welcome", scene: "welcome" },
			{ id: "no-access", title: "A person without access", scene: "stranger", at: "You have no access yet" },
			{ id: "help", title: "The help", scene: "stranger" },
		],
	},
];

/** Controls that no golden scene shows. All others are in the gallery of each platform. */
export const controlsElsewhere: readonly ControlKind[] = [
	...(["stop-one", "info-one", "usage-one", "model-one"] as const),
	"skip",
];
