import { defined, ParleyError } from "@parley/base";
import type { ControlKind } from "../controls/control-kind.ts";
import type { ControlTarget } from "../controls/controls.ts";
import { runOf } from "../conversation/answers/runs.ts";
import { isBlank } from "../conversation/vocabulary/plain.ts";
import { runOfSubject } from "../platform/answer-card.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { answerTexts } from "../texts/answers.ts";
import type { PressHandlers } from "./press.ts";

type Press = HandledEvent<"press">;
type AnswerKind = Extract<ControlKind, "stop" | "stop-answer" | "join" | "again" | "good" | "bad" | "rerun">;

const { replies: texts } = answerTexts;

const maxOfComment = 2_000;

/** Handlers for the controls of answers, of queued messages and of edited messages. */
export const pressesOfAnswers: PressHandlers<AnswerKind> = {
	stop,
	"stop-answer": stop,
	join,
	again: retryRun,
	good: (context, press, target) => rate(context, press, { target, rating: "good" }),
	bad: (context, press, target) => rate(context, press, { target, rating: "bad" }),
	rerun,
};

async function stop(
	context: HandlerContext,
	press: Press,
	{ session, subject }: ControlTarget,
): Promise<Reply> {
	const params = { run_id: runOfSubject(subject), key: press.key, ...behalf(context, press) };
	const { status } = await context.gateway.request("cancel_turn", params, { sessionId: session });
	return { text: status === "cancelled" ? texts.stopped : texts.alreadyEnded };
}

async function join(
	context: HandlerContext,
	press: Press,
	{ session, subject }: ControlTarget,
): Promise<Reply> {
	const params = { run_id: subject, key: press.key, ...behalf(context, press) };
	// The gateway refuses the request of any person except the author of the message.
	const { status } = await context.gateway.request("join_turn", params, { sessionId: session });
	const results = { joined: texts.joined, queued: texts.notJoined, begun: texts.noLongerQueued };
	return { text: results[status] };
}

async function retryRun(
	context: HandlerContext,
	press: Press,
	{ session, subject }: ControlTarget,
): Promise<Reply> {
	const newest = context.session(session)?.state.answers.newest;
	if (newest !== undefined && newest !== subject) {
		return { text: texts.onlyLast };
	}
	const params = { key: press.key, ...behalf(context, press) };
	try {
		await context.gateway.request("retry", params, { sessionId: session });
	} catch (reason) {
		// A retry of this event would block later events of the room, for example a stop.
		if (ParleyError.from(reason).code !== "resource_exhausted") throw reason;
		return { text: texts.busy };
	}
	return { text: texts.again };
}

async function rate(
	context: HandlerContext,
	press: Press,
	{ target, rating }: { readonly target: ControlTarget; readonly rating: "good" | "bad" },
): Promise<Reply> {
	const comment = press.event.fields["text"]?.trim().slice(0, maxOfComment) ?? "";
	const input = {
		run_id: target.subject,
		rating,
		...defined({ comment: comment || undefined }),
	};
	const params = { ...input, key: press.key, ...behalf(context, press) };
	await context.gateway.request("feedback", params, { sessionId: target.session });
	return { text: rating === "good" ? texts.thanks : texts.thanksOperator };
}

/**
 * Runs the edited message again. The earlier runs of the message are stopped after the new run has started, so that
 * the message gets one answer.
 */
async function rerun(
	context: HandlerContext,
	press: Press,
	{ session, subject }: ControlTarget,
): Promise<Reply> {
	const { room, person } = press.event;
	const state = context.session(session)?.state.answers;
	const before = state && runOf(state, subject);
	if (before?.author !== undefined && !before.author.id.endsWith(`:${person.id}`)) {
		return { text: texts.onlyAuthor };
	}
	const content = await context.editedText(room, subject);
	if (content === undefined || isBlank(content)) {
		return { text: texts.textLost };
	}
	const input = { content, correlation_id: subject, key: press.key, ...behalf(context, press) };
	const { run_id, queued_position } = await context.gateway.request("send_message", input, {
		sessionId: session,
	});
	const older = state?.open.filter(({ id, message }) => message === subject && id !== run_id) ?? [];
	for (const { id } of older) {
		const stopping = { run_id: id, key: `${press.key}/${id}`, ...behalf(context, press) };
		await context.gateway.request("cancel_turn", stopping, { sessionId: session });
	}
	return { text: queued_position === undefined ? texts.rerunning : texts.rerunQueued };
}

function behalf(context: HandlerContext, { event }: Press): ReturnType<HandlerContext["onBehalf"]> {
	return context.onBehalf(event.person, event.room);
}
