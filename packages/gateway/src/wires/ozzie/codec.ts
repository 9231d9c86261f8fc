import { defined, ParleyError, parseJson } from "@parley/base";
import type { Passing, PersonCheck, Recorded, SessionSummary } from "@parley/core";
import {
	type EventFrame,
	issueWords,
	type MethodName,
	type MethodResult,
	methods,
	OnBehalf,
	RequestFrame,
	type ResponseFrame,
} from "@parley/protocol";
import type * as z from "zod";
import { ozzieErrorTexts } from "../../texts/wires/ozzie.ts";
import { encodeEvent } from "../shared/event-json.ts";
import { pageBytes } from "../shared/paging.ts";
import { toTime } from "../shared/time.ts";
import type { WireEvent } from "../shared/wire-event.ts";
import type { FrameShape } from "./envelope.ts";
import { errorPhrases } from "./error-code.ts";
import type { DecodedFrame, Request } from "./schema.ts";

/** Event about a refused message, for clients that ignore responses and wait for an event with the reply. */
interface RefusedMessage extends Omit<Passing, "event"> {
	readonly event: { readonly type: "message.refused"; readonly error: string };
}

interface PersonCheckEvent extends Omit<Passing, "event"> {
	readonly event: { readonly type: "person.check"; readonly check: PersonCheck };
}

export type OzzieEvent = WireEvent | RefusedMessage | PersonCheckEvent;

export function encodeOzzieEvent(happened: OzzieEvent): EventFrame {
	if (isOzzieOnly(happened)) {
		const { sessionId: session_id, seq } = happened;
		const { event, payload } = encodeOfWire(happened.event);
		return { type: "event", event, session_id, payload, seq, transient: true };
	}
	return encodeEvent(happened);
}

type OzzieOnly = RefusedMessage | PersonCheckEvent;

function isOzzieOnly(happened: OzzieEvent): happened is OzzieOnly {
	const { type } = happened.event;
	return type === "message.refused" || type === "person.check";
}

interface NamedPayload {
	readonly event: EventFrame["event"];
	readonly payload: EventFrame["payload"];
}

function encodeOfWire(event: OzzieOnly["event"]): NamedPayload {
	if (event.type === "message.refused") {
		const payload = { content: "", error: event.error, context: {}, run_id: "" };
		return { event: "assistant.message", payload };
	}
	const { id, user, place } = event.check;
	const { tenant, channel, thread, shared } = place;
	const where = defined({ tenant, channel, thread, shared });
	return { event: "person.check", payload: { check_id: id, user, place: where } };
}

/**
 * Returns the maximum number of bytes of the items in one response. Existing Go clients accept at most 32 KiB per
 * frame.
 */
export function answerBudget(envelope: FrameShape): number {
	return envelope === "both" ? smallPageBytes : pageBytes;
}

const smallPageBytes = 30_000;

export function encodeSuccess(id: string, payload: unknown): ResponseFrame {
	return { type: "res", id, ok: true, payload };
}

/** Encodes an error response. `id` is undefined if the frame has no valid id. */
export function encodeFailure(id: string | undefined, reason: unknown): ResponseFrame {
	const error = ParleyError.from(reason);
	const text = errorPhrases[error.code](error.message);
	return { type: "res", ...defined({ id }), ok: false, error: text };
}

export function encodeOzzieSession(
	session: SessionSummary,
): MethodResult<"list_sessions">["sessions"][number] {
	return defined({
		session_id: session.id,
		title: session.title,
		status: session.status,
		root_dir: session.rootDir,
		created_at: toTime(session.createdAt),
		updated_at: toTime(session.updatedAt),
		message_count: session.messageCount,
		external_key: session.externalKey,
		model: session.model,
		profile: session.profile,
		last_seq: session.lastSeq,
		state: session.state,
	});
}

/**
 * Encodes a message for `load_messages`. Returns an empty list for other events, for retries and for empty imported
 * messages.
 */
export function encodeOzzieMessage({ event, at, seq }: Recorded): MethodResult<"load_messages"> {
	if (event.type === "user.message") {
		// A retry repeats an earlier message, which has its own entry.
		if (event.retryOf !== undefined) return [];
	} else if (event.type !== "assistant.message") return [];
	const { content, imported } = event;
	// In an imported history, the message or the answer of a run may be empty.
	if (imported && content === "") return [];
	const role = event.type === "user.message" ? "user" : "assistant";
	const error = event.type === "assistant.message" ? event.error : "";
	const text = content === "" && error !== "" ? `[${error}]` : content;
	return [defined({ role, content: text, ts: toTime(at), seq, imported })];
}

const issueOptions = { error: issueWords };

const SessionId = RequestFrame.pick({ session_id: true });

/** Decodes a text frame. Never throws: returns a refused frame for an invalid request. */
export function decodeRequest(text: string): DecodedFrame {
	let id: string | undefined;
	let read: RequestFrame | undefined;
	try {
		const value = parseJson(text);
		id = readId(value);
		const frame = RequestFrame.safeParse(value, issueOptions);
		if (!frame.success) return { kind: "refused", id, reason: malformed(value, frame.error) };
		read = frame.data;
		return { kind: "request", request: decodeMethod(read) };
	} catch (reason) {
		const error = ParleyError.from(reason);
		const refused = id === undefined ? notARequest(error.message, error) : error;
		return { kind: "refused", id, reason: refused, ...defined({ frame: read }) };
	}
}

function decodeMethod(frame: RequestFrame): Request {
	const { id, method } = frame;
	if (!isMethod(method)) {
		throw new ParleyError(`unknown method: ${method}`, { code: "unimplemented" });
	}
	const params = methods[method].params.safeParse(frame.params, issueOptions);
	if (!params.success) throw new ParleyError(describe(params.error), { code: "invalid_argument" });
	// Only operators call methods that have a parameter `place`, and operators never act for another person.
	const onBehalf = OnBehalf.safeParse(
		"place" in methods[method].params.shape ? {} : frame.params,
		issueOptions,
	);
	if (!onBehalf.success) throw new ParleyError(describe(onBehalf.error), { code: "invalid_argument" });
	const sessionId = "session_id" in methods[method].params.shape ? frame.session_id : readTarget(frame);
	// The cast is safe because the schema of this method has checked the parameters.
	return { id, method, params: params.data, sessionId, onBehalf: onBehalf.data } as Request;
}

/**
 * Returns the session that the frame or its parameters name, or undefined. Throws if the frame and its parameters
 * name different sessions.
 */
function readTarget({ session_id: beside, params }: RequestFrame): string | undefined {
	const among = SessionId.safeParse(params, issueOptions);
	if (!among.success) throw new ParleyError(describe(among.error), { code: "invalid_argument" });
	const { session_id: within } = among.data;
	if (within === undefined || beside === undefined || within === beside) return beside ?? within;
	const message = ozzieErrorTexts.twoSessions;
	throw new ParleyError(message, { code: "invalid_argument" });
}

function isMethod(name: string): name is MethodName {
	return Object.hasOwn(methods, name);
}

function readId(value: unknown): string | undefined {
	if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
	return RequestFrame.shape.id.safeParse(value.id).data;
}

function malformed(value: unknown, error: z.ZodError): ParleyError {
	const numeric =
		typeof value === "object" && value !== null && "id" in value && typeof value.id === "number";
	if (numeric) return new ParleyError("invalid id", { code: "failed_precondition" });
	// Issues are in the order of the schema. If the first issue is about `params` or `session_id`, then type, id and method
	// are valid.
	const [place] = error.issues[0]?.path ?? [];
	if (place !== "params" && place !== "session_id") return notARequest(describe(error));
	return new ParleyError(describe(error), { code: "invalid_argument" });
}

function notARequest(reason: string, cause?: ParleyError): ParleyError {
	return new ParleyError(`invalid request: ${reason}`, {
		code: "failed_precondition",
		...defined({ cause }),
	});
}

function describe(error: z.ZodError): string {
	const [issue] = error.issues;
	if (!issue) return "not understood";
	const path = issue.path.join(".");
	return path === "" ? issue.message : `${path}: ${issue.message}`;
}
