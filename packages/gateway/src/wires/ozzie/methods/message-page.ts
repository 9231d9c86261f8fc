import { defined } from "@parley/base";
import type { Recorded } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { beginning } from "../../shared/beginning.ts";
import { jsonBytes, newestWithin } from "../../shared/paging.ts";
import { toTime } from "../../shared/time.ts";
import { answerBudget, encodeMessage, encodeOzzieEvent } from "../codec.ts";
import { capToFit, markOf } from "../envelope-frames.ts";
import { type HandlerContext, type RequestOf, targetNamed } from "./request.ts";

type Messages = MethodResult<"load_messages">;
type Page = Messages[number];

/** Minimum characters of a message that is alone on its page. */
const shortestMessage = 1_000;

/** Returns the newest messages that fit into one response; with `seq`, the text of one event from `offset` on. */
export async function loadMessages(
	connection: HandlerContext,
	request: RequestOf<"load_messages">,
): Promise<Messages> {
	const { runtime, principal } = connection.deps;
	const { limit, before, seq, offset = 0 } = request.params;
	const sessionId = targetNamed(connection, request);
	const most = answerBudget(connection.envelope);
	if (seq !== undefined) {
		const [event] = await runtime.history.newest(principal, { limit: 1, sessionId, afterSeq: seq - 1 });
		return event ? textOf(event).map((page) => cutPage(page, offset, most)) : [];
	}
	const page = { limit, ...defined({ beforeSeq: before }) };
	const messages = (await runtime.history.messages(principal, sessionId, page)).flatMap(encodeMessage);
	return newestWithin(messages, jsonBytes, most).map((message) => shortened(message, most));
}

/** The whole text of an event with its role, without tokens. */
function textOf(recorded: Recorded): Page[] {
	const { event, at, seq } = recorded;
	const said = (role: string, content: string): Page[] => [{ role, content, ts: toTime(at), seq }];
	switch (event.type) {
		case "tool.started":
			return said("tool_log", JSON.stringify(event.arguments));
		case "tool.completed":
			return said("tool_log", event.result);
		case "tool.failed":
			return said("tool_log", event.error);
		case "task.created":
			return said("task", event.description);
		case "task.suspended":
			return said("task", event.content);
		case "task.completed":
			return said("task", event.summary);
		case "prompt.requested":
			return said(
				"prompt",
				JSON.stringify({ ...Object(encodeOzzieEvent(recorded).payload), token: undefined }),
			);
		default:
			return encodeMessage(recorded);
	}
}

function cutPage(page: Page, offset: number, most: number): Page {
	const rest = page.content.slice(offset).toWellFormed();
	let content = beginning(rest, most);
	while (jsonBytes(content) > most) content = beginning(content, content.length >> 1);
	const next = offset + content.length;
	return { ...page, content, ...defined({ next: content.length < rest.length ? next : undefined }) };
}

function shortened(message: Page, most: number): Page {
	if (jsonBytes(message) <= most) return message;
	const fits = (value: unknown): boolean => jsonBytes(value) <= most;
	const cut = capToFit(message.content, { fits, mark: markOf(message.seq), shortest: shortestMessage });
	return { ...message, content: String(cut) };
}
