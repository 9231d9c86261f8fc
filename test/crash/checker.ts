import { type EventFrame, isOzzieEvent, type OzzieEvent } from "@parley/protocol";
import { effectOf, type Outcome, type View } from "./outcome.ts";

const interrupted = "interrupted, outcome unknown";

/** Returns a description of each problem in an outcome. */
export function check(outcome: Outcome): string[] {
	return [
		...outcome.views.flatMap(checkOrder),
		...checkContents(outcome),
		...checkTranscripts(outcome),
		...checkPages(outcome),
		...checkMessages(outcome),
		...checkPrompts(outcome),
		...checkCalls(outcome),
	];
}

/**
 * Returns the problems of sequence numbers. A client must receive the numbers 1, 2, 3, … of each session, across
 * all its connections.
 */
function checkOrder({ client, session, frames }: View): string[] {
	return frames.flatMap(({ seq }, index) =>
		seq === index + 1 ? [] : [`${client} got seq ${seq} of ${session} at place ${index + 1}`],
	);
}

function checkContents({ views, replay }: Outcome): string[] {
	const known = new Map<string, { readonly text: string; readonly client: string }>();
	const problems: string[] = [];
	for (const { client, session, frames } of [...views, ...replay]) {
		for (const frame of frames) {
			const place = `seq ${frame.seq} of ${session}`;
			const text = contentOf(frame);
			const first = known.get(place);
			if (!first) known.set(place, { text, client });
			else if (first.text !== text)
				problems.push(`${place} is ${first.text} for ${first.client}, but ${text} for ${client}`);
		}
	}
	return problems;
}

function contentOf({ event, payload }: EventFrame): string {
	return `${event} ${JSON.stringify(payload)}`;
}

function checkTranscripts({ views, replay }: Outcome): string[] {
	return views.flatMap(({ client, session, frames }) => {
		const last = replay.find((view) => view.session === session)?.frames.at(-1)?.seq ?? 0;
		const end = frames.at(-1)?.seq ?? 0;
		return end === last ? [] : [`${client} ends with seq ${end} of ${session}, which ends with ${last}`];
	});
}

function checkPages({ replay, pages }: Outcome): string[] {
	return replay.flatMap(({ session, frames }) => {
		const paged = (pages.get(session) ?? []).map(({ role, content, seq }) => `${seq} ${role}: ${content}`);
		const shown = frames.flatMap((frame) => messageOf(frame) ?? []);
		return same(paged, shown)
			? []
			: [`load_messages of ${session} returns ${paged.length}, shown are ${shown.length}`];
	});
}

function messageOf(frame: EventFrame): string | undefined {
	if (!isOzzieEvent(frame)) return undefined;
	if (frame.event === "user.message") return `${frame.seq} user: ${frame.payload.content}`;
	if (frame.event !== "assistant.message") return undefined;
	const { content, error } = frame.payload;
	return `${frame.seq} assistant: ${content === "" && error !== "" ? `[${error}]` : content}`;
}

function same(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && one.every((line, index) => line === other[index]);
}

/**
 * Returns the problems of messages. Each acknowledged message must have one run, and each other message at most
 * one. Each run must end once, without an error.
 */
function checkMessages(outcome: Outcome): string[] {
	return outcome.messages.flatMap(({ id, session, content, acked }) => {
		const frames = eventsOf(outcome, session);
		const questions = frames.filter(
			(frame) => frame.event === "user.message" && frame.payload.content === content,
		);
		const answers = frames.filter(
			(frame) => frame.event === "assistant.message" && frame.payload.content.includes(`${id} done`),
		);
		const runs = questions.map(({ payload }) => ("run_id" in payload ? payload.run_id : ""));
		const problems: string[] = [];
		if (questions.length > 1) problems.push(`${id} was accepted ${questions.length} times`);
		if (acked.length > 0 && questions.length === 0) problems.push(`${id} was acknowledged and is lost`);
		if (acked.some((run) => !runs.includes(run))) problems.push(`${id} was acknowledged as another run`);
		if (answers.length !== questions.length) problems.push(`${id} was answered ${answers.length} times`);
		for (const { payload } of answers) {
			if ("error" in payload && payload.error !== "") problems.push(`${id} ended with ${payload.error}`);
		}
		return problems;
	});
}

function checkPrompts(outcome: Outcome): string[] {
	return outcome.replay.flatMap(({ session }) => {
		const settled = new Map<string, number>();
		const questions: string[] = [];
		for (const frame of eventsOf(outcome, session)) {
			if (frame.event === "prompt.request") questions.push(frame.payload.token);
			if (frame.event === "prompt.response" || frame.event === "prompt.closed") {
				settled.set(frame.payload.token, (settled.get(frame.payload.token) ?? 0) + 1);
			}
		}
		return questions
			.filter((token) => settled.get(token) !== 1)
			.map((token) => `${token} of ${session} was settled ${settled.get(token) ?? 0} times`);
	});
}

type CallFrame = Extract<OzzieEvent, { event: "tool.call" }>;

function checkCalls(outcome: Outcome): string[] {
	const calls = outcome.replay.flatMap(({ session }) => {
		return [...callsOf(eventsOf(outcome, session))].map(([id, frames]) =>
			readCall(`${id} of ${session}`, frames),
		);
	});
	const effects = (ends: readonly string[]): Set<string> => {
		return new Set(calls.filter(({ end }) => ends.includes(end)).map(({ effect }) => effect));
	};
	return [
		...calls.flatMap((call) => checkCall(call, outcome.effects)),
		...checkEffects(outcome, effects(["completed", "interrupted", "failed", "none"])),
		...checkInterrupted(outcome, effects(["interrupted"])),
	];
}

interface Call {
	readonly name: string;
	readonly effect: string;
	readonly end: "completed" | "interrupted" | "failed" | "none";
	/** Statuses of the call, or its error. Used in failure messages. */
	readonly story: string;
}

function readCall(name: string, frames: readonly CallFrame[]): Call {
	const [first, second] = frames.map(({ payload }) => payload);
	const statuses = frames.map(({ payload }) => payload.status).join(", ");
	const effect = (first?.status === "started" && effectOf(first.arguments)) || name;
	const hasStartAndEnd = first?.status === "started" && frames.length === 2;
	if (hasStartAndEnd && second?.status === "completed")
		return { name, effect, end: "completed", story: statuses };
	if (!hasStartAndEnd || second?.status !== "failed") return { name, effect, end: "none", story: statuses };
	const end = second.error.startsWith(interrupted) ? "interrupted" : "failed";
	return { name, effect, end, story: second.error };
}

function checkCall({ name, effect, end, story: statuses }: Call, effects: Outcome["effects"]): string[] {
	const times = effects.get(effect) ?? 0;
	if (end === "none") return [`${name} went ${statuses}`];
	if (end === "failed") return [`${name} failed: ${statuses}`];
	return end === "completed" && times !== 1 ? [`${effect} is completed and happened ${times} times`] : [];
}

function callsOf(frames: readonly OzzieEvent[]): Map<string, CallFrame[]> {
	const calls = frames.filter((frame) => frame.event === "tool.call");
	return Map.groupBy(calls, ({ payload }) => payload.call_id);
}

function checkEffects({ effects, messages, ...outcome }: Outcome, known: ReadonlySet<string>): string[] {
	const twice = [...effects]
		.filter(([, times]) => times > 1)
		.map(([effect, times]) => `${effect} happened ${times} times`);
	const unreported = [...effects.keys()]
		.filter((effect) => !known.has(effect))
		.map((effect) => `${effect} happened without a report`);
	const untried = messages
		.filter(({ id, session }) => {
			const view = outcome.replay.find((replayed) => replayed.session === session);
			return view?.frames.some(
				(frame) => frame.event === "assistant.message" && contentOf(frame).includes(`${id} done`),
			);
		})
		.flatMap(({ effects: expected }) => expected)
		.filter((effect) => !known.has(effect))
		.map((effect) => `${effect} was never tried`);
	return [...twice, ...unreported, ...untried];
}

/**
 * Returns the problems of interruptions. Each kill during a call, or before its result was recorded, must have a
 * call that is reported as interrupted.
 */
function checkInterrupted({ kills }: Outcome, unknown: ReadonlySet<string>): string[] {
	const problems = kills
		.filter(({ interrupts }) => interrupts !== undefined && !unknown.has(interrupts))
		.map(({ interrupts }) => `${interrupts} was interrupted without a report`);
	const hits = kills.filter(
		({ state }) => state === "tool running" || state === "tool done, not recorded",
	).length;
	if (unknown.size < hits)
		problems.push(`${hits} kills hit a call, ${unknown.size} calls are reported as interrupted`);
	return problems;
}

function eventsOf({ replay }: Outcome, session: string): OzzieEvent[] {
	return replay
		.filter((view) => view.session === session)
		.flatMap(({ frames }) => frames.filter(isOzzieEvent));
}
