import type { Controls } from "../../controls/controls.ts";
import type { CardState, Control } from "../../platform/posting.ts";
import { taskTexts } from "../../texts/tasks.ts";
import { earlierMarker } from "../vocabulary/earlier-marker.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { hasEnded, type Review, type TaskState } from "./task-state.ts";

const { review: texts } = taskTexts;

/**
 * Number of characters from the end of a token that are written into a control id, because a complete token is too
 * long. These characters distinguish the questions of a task.
 */
const endLength = 8;

/** Subject of the buttons of a review: the task and one of its questions. */
export interface ReviewSubject {
	readonly task: string;
	readonly tokenEnd: string;
}

/**
 * Returns the subject for the buttons of a review. The subject names the question, so that an older card cannot
 * answer a newer question.
 */
export function reviewSubject({ task, token }: { readonly task: string; readonly token: string }): string {
	return `${task}~${token.slice(-endLength)}`;
}

export function readReviewSubject(subject: string): ReviewSubject {
	const [task = "", tokenEnd = ""] = subject.split("~");
	return { task, tokenEnd };
}

export interface ReviewPost {
	readonly card: string;
	readonly marker: string;
	readonly text: string;
	readonly state: CardState;
	readonly controls?: Control[][];
}

export function openReview(review: Review, scene: Scene): ReviewPost {
	const how =
		scene.threads === false
			? texts.replyByCommand({ command: scene.platform.command("task reply", scene) })
			: texts.replyHere;
	return {
		...named(review),
		state: "waiting",
		text: texts.open({ reason: reasonText(review), how }),
		controls: [reviewControls(review, scene)],
	};
}

export function closedReview(review: Review, state: TaskState): ReviewPost {
	const ended = hasEnded(state);
	const text = texts.closed({ reason: reasonText(review), ended });
	return { ...named(review), state: ended ? "closed" : "done", text };
}

function named({ token }: Review): { readonly card: string; readonly marker: string } {
	return { card: `review:${token}`, marker: earlierMarker("question", token) };
}

function reasonText({ reason }: Review): string {
	return reason === "" ? texts.usualReason : plainLine(reason, 300);
}

export function reviewControls(
	review: { readonly task: string; readonly token: string },
	{ controls, session }: { readonly controls: Controls; readonly session: string },
): Control[] {
	const subject = reviewSubject(review);
	const approve = controls.write({ kind: "task-approve", session, subject });
	const revise = controls.write({ kind: "task-revise", session, subject });
	return [
		{ type: "button", id: approve, label: taskTexts.buttons.approve, style: "success" },
		{ type: "button", id: revise, label: taskTexts.buttons.revise, style: "secondary" },
	];
}
