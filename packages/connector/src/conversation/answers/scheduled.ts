import type { EventPayloads, OriginPayload } from "@parley/protocol";
import type { PlatformWords } from "../../platform/chat-platform.ts";
import { scheduleTexts } from "../../texts/schedules.ts";
import { oneLine, plainLine } from "../vocabulary/plain.ts";
import type { ReducerStep, Scene } from "../vocabulary/reducer.ts";
import type { RenderOperation, ShowOperation } from "../vocabulary/render-operation.ts";
import { plainWithTimes } from "../vocabulary/with-times.ts";
import { plainWithPeople } from "../vocabulary/without-ids.ts";
import { type AnswersSlice, withRun } from "./runs.ts";

const maxTitle = 150;
const maxReason = 600;

/** Begins a run that a schedule started. A silent run is shown only if it fails or asks a question. */
export function beginScheduled(
	slice: AnswersSlice,
	{ id, origin }: { readonly id: string; readonly origin: OriginPayload },
	scene: Scene,
): ReducerStep<AnswersSlice> {
	if (origin.show === "silent") return { slice: { ...slice, newest: id }, operations: [] };
	const run = { id, about: oneLine(origin.title, 80), scheduled: true as const };
	return { slice: withRun(slice, run), operations: openThread(id, origin, scene) };
}

/**
 * Returns the operations that open the thread of a scheduled run. Returns none unless the schedule requires a thread
 * and the room can have threads.
 */
function openThread(id: string, origin: OriginPayload, scene: Scene): RenderOperation[] {
	const { thread } = threadOf(id, origin, scene);
	if (thread === undefined) return [];
	const card = { lane: "milestone" as const, card: thread };
	const name = oneLine(origin.title, scene.platform.limits.threadName) || scheduleTexts.thread;
	return [
		{ type: "show", ...card, text: nameOf(origin.title) },
		{ type: "thread", ...card, name },
	];
}

/**
 * Returns the card that has the thread for a run's answer. Returns an empty object if the answer is not posted in a
 * thread of its own.
 */
export function threadOf(
	id: string | undefined,
	origin: OriginPayload | undefined,
	{ threads = true }: Scene,
): { readonly thread?: string } {
	return origin?.show === "thread" && threads && id !== undefined ? { thread: `schedule:${id}` } : {};
}

/** Returns the name of the schedule for the footer, with the due time if the answer is late. */
export function scheduleFoot(origin: OriginPayload, platform: PlatformWords): string {
	const due = platform.moment(Date.parse(origin.due_at));
	return `⏰ ${plainLine(origin.title, maxTitle)}${origin.late ? scheduleTexts.late({ due }) : ""}`;
}

/** Shows why a schedule did not run. Shows nothing if `error` is empty. */
export function missed(
	{ title, error }: EventPayloads["schedule.trigger"],
	{ platform }: Scene,
): ShowOperation[] {
	if (error === "") return [];
	const shown = plainWithPeople(error, maxReason, platform);
	const text = scheduleTexts.missed({ name: nameOf(title), error: shown });
	return [{ type: "show", lane: "error", state: "failed", text }];
}

export function created(
	{ title, when, show }: EventPayloads["schedule.created"],
	{ platform, at }: Scene,
): ShowOperation {
	const text = scheduleTexts.created({
		name: nameOf(title),
		when: plainWithTimes(when, 200, { platform, from: at }),
		silent: show === "silent",
	});
	return { type: "show", lane: "milestone", state: "notice", text };
}

/** Shows the removal of a schedule. Shows nothing for a one-time schedule that has fired. */
export function removed({ title, reason }: EventPayloads["schedule.removed"]): ShowOperation[] {
	if (reason === "completed") return [];
	const text = scheduleTexts.removed({ name: nameOf(title) });
	return [{ type: "show", lane: "milestone", state: "notice", text }];
}

function nameOf(title: string): string {
	return `⏰ **${plainLine(title, maxTitle)}**`;
}
