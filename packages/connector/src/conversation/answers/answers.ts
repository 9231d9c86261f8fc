import { defined, definedItems } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import { usualLevel } from "../../platform/answer-card.ts";
import type { Control } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import { conversationTexts } from "../../texts/conversations.ts";
import { trustTexts } from "../../texts/trust.ts";
import { stepsOf } from "../tasks/step-lines.ts";
import { isBlank, oneLine, plainLine } from "../vocabulary/plain.ts";
import type { Reducer, ReducerStep, Scene } from "../vocabulary/reducer.ts";
import type { RenderOperation, ShowOperation } from "../vocabulary/render-operation.ts";
import { stoppedText, stopperOf } from "../vocabulary/stopper.ts";
import { plainWithTimes } from "../vocabulary/with-times.ts";
import {
	showJoined,
	showMoved,
	showQueued,
	showQueueOver,
	showRetrying,
	showRetryOver,
	showSteps,
	showStepsOver,
} from "./cards.ts";
import { showCompaction } from "./compaction.ts";
import { control, grownPost } from "./control.ts";
import { elsewhereOf } from "./elsewhere.ts";
import { callsFoot } from "./live-view.ts";
import { notice, sentence } from "./notice.ts";
import { answeredQuestion, openedQuestion, reduceModelCall, toolCalled } from "./run-events.ts";
import { earlierTexts, type RunPart } from "./run-parts.ts";
import {
	type AnswersSlice,
	messageOf,
	type Run,
	withActive,
	withChange,
	withJoined,
	withoutRun,
	withRun,
} from "./runs.ts";
import { beginScheduled, created, missed, removed, scheduleFoot, threadOf } from "./scheduled.ts";
import { type RunState, showStatuses } from "./status-reactions.ts";

const empty: AnswersSlice = { open: [], ended: [] };

/** Reducer for messages and the runs that answer them. */
export const answers: Reducer<AnswersSlice> = {
	empty,
	reduce(slice, recorded, scene) {
		const { event } = recorded;
		switch (event.event) {
			case "user.message":
				return numbered(accept({ ...slice, usedAt: recorded.at }, event.payload, scene), {
					run: event.payload.run_id,
					seq: recorded.seq,
				});
			case "assistant.message":
				return finish({ ...slice, usedAt: recorded.at }, event.payload, scene);
			case "run.retrying":
				return retrying(slice, { at: recorded.at, payload: event.payload }, scene);
			case "internal.llm.call":
				return reduceModelCall(slice, event.payload, scene);
			case "tool.call":
				return { slice: toolCalled(slice, { at: recorded.at, payload: event.payload }), operations: [] };
			case "prompt.request":
				return openedQuestion(slice, event.payload, scene);
			case "prompt.response":
			case "prompt.closed":
				return { slice: answeredQuestion(slice, event.payload.token, recorded.at), operations: [] };
			case "todo.updated":
				return listed(slice, event.payload, scene);
			case "file.created":
				return { slice, operations: [share(slice, event.payload)] };
			case "budget.reached":
				return { slice, operations: [notice("error", sentence(event.payload.message), "failed")] };
			case "compaction.ended":
				return { slice, operations: [showCompaction(event.payload)] };
			case "session.renamed":
				return { slice, operations: renamed(event.payload, scene) };
			case "schedule.created":
				return { slice, operations: [created(event.payload, scene)] };
			case "schedule.trigger":
				return { slice, operations: missed(event.payload, scene) };
			case "schedule.removed":
				return { slice, operations: removed(event.payload) };
			case "session.deleted":
				return deleted(slice, scene);
			default:
				return { slice, operations: [] };
		}
	},
};

function listed(
	slice: AnswersSlice,
	{ run_id, plan }: EventPayloads["todo.updated"],
	scene: Scene,
): ReducerStep<AnswersSlice> {
	const run = slice.open.find(({ id }) => id === run_id);
	if (run === undefined) return { slice, operations: [] };
	const steps = stepsOf(plan);
	return {
		slice: withChange(slice, { ...run, steps }),
		operations: [showSteps(run, { steps, ended: false }, scene)],
	};
}

/**
 * Returns the operations that show a new title. They include a post if the title is not empty and a model did not
 * choose it. In a thread, the post is omitted if the platform shows the titles of all threads.
 */
function renamed(
	{ title, by }: EventPayloads["session.renamed"],
	{ session, thread, platform: { titles } }: Scene,
): RenderOperation[] {
	const isShown = titles !== undefined && titles !== false && thread !== undefined && !isBlank(title);
	const shown: RenderOperation[] = isShown
		? [{ type: "title", lane: "progress", card: `title:${session}`, title }]
		: [];
	const isPosted = by !== "model" && title !== "" && !(isShown && titles === true);
	if (!isPosted) return shown;
	return [...shown, notice("milestone", conversationTexts.renamed({ title: plainLine(title, 200) }))];
}

/** Ends all open runs, because no further event arrives. */
function deleted({ open }: AnswersSlice, scene: Scene): ReducerStep<AnswersSlice> {
	const over = conversationTexts.cardDeleted;
	const cards = open.flatMap((run) => [
		...showQueueOver(run, over, scene),
		...(run.waited ? [] : showStatuses(run, "cancelled")),
		...showRetryOver(run, over, scene),
		...showStepsOver(run, scene),
	]);
	return { slice: empty, operations: cards };
}

type UserMessage = EventPayloads["user.message"];

const maxOfAbout = 80;
const maxOfQuote = 300;

function accept(slice: AnswersSlice, userMessage: UserMessage, scene: Scene): ReducerStep<AnswersSlice> {
	if (userMessage.origin)
		return beginScheduled(slice, { id: userMessage.run_id, origin: userMessage.origin }, scene);
	const quoted = isShownHere(userMessage) ? [] : [quote(userMessage, scene)];
	if (userMessage.steered) return { slice, operations: quoted };
	const position = slice.open.length;
	const run: Run = {
		...startRun(slice, userMessage),
		...defined({
			waited: position > 0 ? (true as const) : undefined,
			reacts: scene.reacts?.() ? (true as const) : undefined,
			offers: position > 0 && canJoin(userMessage) && scene.offers?.() ? (true as const) : undefined,
		}),
	};
	return { slice: withRun(slice, run), operations: [...quoted, ...showQueued(run, position, scene)] };
}

function canJoin(message: UserMessage): boolean {
	const { retry_of, attachments } = message;
	return ownMessage(message) !== undefined && retry_of === undefined && attachments === undefined;
}

function numbered(
	step: ReducerStep<AnswersSlice>,
	{ run, seq }: { readonly run: string; readonly seq: number },
): ReducerStep<AnswersSlice> {
	const open = step.slice.open.map((each) =>
		each.id === run && each.seq === undefined ? { ...each, seq } : each,
	);
	return { ...step, slice: { ...step.slice, open } };
}

function startRun(slice: AnswersSlice, userMessage: UserMessage): Run {
	const { run_id: id, author, content, retry_of } = userMessage;
	const message =
		ownMessage(userMessage) ?? (retry_of === undefined ? undefined : messageOf(slice, retry_of));
	return {
		id,
		about: oneLine(content, maxOfAbout),
		...defined({ message, author, at: slice.usedAt }),
	};
}

/**
 * Returns the platform id of a message. Returns undefined for a message from another client, because such a message
 * has no author.
 */
function ownMessage({ author, correlation_id }: UserMessage): string | undefined {
	return author && correlation_id;
}

function isShownHere(userMessage: UserMessage): boolean {
	return ownMessage(userMessage) !== undefined || userMessage.retry_of !== undefined;
}

/** Quotes a message from another client, so that people in the room understand the answer to the message. */
function quote({ author, content, attachments = [] }: UserMessage, scene: Scene): ShowOperation {
	const who = author ? answerTexts.author({ person: nameOf(author, scene) }) : answerTexts.terminal;
	const files = attachments.length === 0 ? "" : answerTexts.files({ count: attachments.length });
	const text = `> ${who}: ${plainLine(content, maxOfQuote)}${files}`;
	return { type: "show", lane: "milestone", text };
}

function nameOf({ id, name }: NonNullable<UserMessage["author"]>, { platform }: Scene): string {
	// Ids of people on chat platforms have the form `PLATFORM:TENANT:USER`.
	const own = id.split(":")[2];
	return own === undefined ? plainLine(name === "" ? id : name, maxOfAbout) : platform.person(own);
}

type Answer = EventPayloads["assistant.message"];

function finish(slice: AnswersSlice, answer: Answer, scene: Scene): ReducerStep<AnswersSlice> {
	const { open } = slice;
	const index = answer.run_id === undefined ? 0 : open.findIndex(({ id }) => id === answer.run_id);
	const run = open[index];
	const id = run?.id ?? answer.run_id;
	if (run === undefined) {
		return {
			slice: id === undefined ? slice : withoutRun(slice, { id }),
			operations: answer.joined === undefined ? answered(answer, id, undefined, scene) : [],
		};
	}
	if (answer.joined !== undefined) {
		const joined = withJoined(slice, run, answer.joined);
		return {
			slice: joined,
			operations: [...showJoined(run), ...showMoved(joined.open, index, scene)],
		};
	}
	const left = withoutRun(slice, run);
	// A person who removed a message from the queue needs no answer.
	const dropped = index > 0 && answer.error === "cancelled" && isBlank(answer.content);
	const answers = dropped ? [] : answered(answer, run.id, run, scene);
	return {
		slice: withActive(left),
		operations: [
			...(dropped ? showQueueOver(run, answerTexts.queue.dropped, scene) : []),
			...showRetryOver(run, retryOver(answer), scene),
			...showStepsOver(run, scene),
			...answers,
			...showMoved(left.open, index, scene),
			...(dropped ? [] : showStatuses(run, statusOf(answer))),
		],
	};
}

function statusOf({ error }: Answer): RunState {
	if (error === "cancelled") return "cancelled";
	return error === "" ? "done" : "failed";
}

function retryOver({ error }: Answer): string {
	const { retry } = answerTexts;
	if (error === "cancelled") return retry.stopped;
	return error === "" ? retry.recovered : retry.failed;
}

function answered(
	answer: Answer,
	id: string | undefined,
	run: Run | undefined,
	scene: Scene,
): ShowOperation[] {
	const { error, origin } = answer;
	const parts = run?.parts ?? [];
	const content = [...earlierTexts(parts, answer.content), answer.content].join("\n\n").trimStart();
	const isQuiet = origin?.show === "silent" && (error === "" || error === "cancelled");
	if (isQuiet) return [];
	const foot = footOf(answer, parts, scene);
	const { grown, retry, rated } = id === undefined ? unknownRun : identityOf(run ?? { id }, scene);
	const reply = {
		...defined({ replyTo: run?.message }),
		...threadOf(id, origin, scene),
	};
	const elsewhere = elsewhereOf(run, scene);
	const userMessage: ShowOperation = {
		type: "show",
		lane: "final",
		text: content,
		...grown,
		...reply,
		...foot,
	};
	const isSilent = isBlank(content);
	if (error === "cancelled" && isSilent)
		return [{ ...userMessage, text: stoppedText(answer, run?.about, scene), ...retry }];
	if (error === "" || error === "cancelled") {
		const text = isSilent ? answerTexts.empty : content;
		return [{ ...userMessage, text, ...rated, ...elsewhere }];
	}
	const failure: ShowOperation = {
		type: "show",
		lane: "error",
		text: failed(error, id !== undefined, scene),
		...reply,
		...elsewhere,
		...defined({ foot: origin && foot.foot }),
	};
	const ended = isSilent ? { ...failure, ...grown } : failure;
	return definedItems([isSilent ? undefined : { ...userMessage, ...elsewhere }, { ...ended, ...retry }]);
}

interface PostIdentity {
	readonly grown: Partial<ReturnType<typeof grownPost>>;
	/** Buttons of the last post. `rated` also has the buttons for ratings. */
	readonly retry: { readonly controls?: Control[][] };
	readonly rated: { readonly controls?: Control[][] };
}

const unknownRun: PostIdentity = { grown: {}, retry: {}, rated: {} };

function identityOf(run: Parameters<typeof grownPost>[0], scene: Scene): PostIdentity {
	const again = control("again", run.id, scene);
	const rates = [control("good", run.id, scene), control("bad", run.id, scene)];
	return {
		grown: grownPost(run, scene, again.id),
		retry: { controls: [[again]] },
		rated: { controls: [[...rates, again]] },
	};
}

function failed(error: string, hasAgain: boolean, { platform, at: from }: Scene): string {
	if (error === "internal error") return answerTexts.internalError({ hasAgain });
	return answerTexts.failed({
		error: plainWithTimes(error.replace(/[.\s]+$/u, ""), 600, { platform, from }),
	});
}

function footOf(answer: Answer, runParts: readonly RunPart[], scene: Scene): { foot?: string } {
	const { content, error, context, origin } = answer;
	const { platform, at, live = () => usualLevel } = scene;
	// After a loss of the database, a post without `buttons` is found by its text. A failed answer has no
	// `buttons`. Its footer omits the calls, because the durations of the calls may differ in a replay.
	const isFailed = error !== "" && error !== "cancelled";
	const showsCalls = !isFailed && ["tools", "everything"].includes(live());
	const until = context.trusted && platform.moment(Date.parse(context.trusted.until), at);
	const parts = definedItems([
		origin ? scheduleFoot(origin, platform) : undefined,
		error === "cancelled" && !isBlank(content)
			? answerTexts.stoppedHere({ who: stopperOf(answer, scene) })
			: undefined,
		showsCalls ? callsFoot(runParts) : undefined,
		until === undefined ? undefined : trustTexts.footer({ until }),
	]);
	return parts.length === 0 ? {} : { foot: parts.join(" · ") };
}

/** Number of failed attempts of a model call that are not shown, because the next attempt follows quickly. */
const triesInSilence = 1;

function retrying(
	slice: AnswersSlice,
	{ at, payload }: { readonly at: number } & { readonly payload: EventPayloads["run.retrying"] },
	scene: Scene,
): ReducerStep<AnswersSlice> {
	const { run_id, reason, attempt, in_ms } = payload;
	const run = slice.open.find(({ id }) => id === run_id);
	if (run === undefined || attempt <= triesInSilence) return { slice, operations: [] };
	return {
		slice: withChange(slice, { ...run, retrying: true }),
		operations: [showRetrying(run, { reason, attempt, at: at + in_ms }, scene)],
	};
}

function share(slice: AnswersSlice, file: EventPayloads["file.created"]): ShowOperation {
	const { file_id: fileId, name, type, bytes: size, run_id } = file;
	const message = messageOf(slice, run_id);
	return {
		type: "show",
		lane: "milestone",
		text: plainLine(name, 200),
		...defined({ replyTo: message }),
		upload: {
			fileId,
			name,
			size,
			...defined({ alt: type.startsWith("image/") ? inWords(name) : undefined }),
		},
	};
}

/** Returns a file name as words, for example `sales chart 2` for `sales-chart_2.png`. */
function inWords(name: string): string {
	const words = name
		.replace(/\.[^.]*$/, "")
		.replace(/[-_.\s]+/gu, " ")
		.trim();
	return words === "" ? name : words;
}
