import { ParleyError, parseJson } from "@parley/base";
import {
	issueWords,
	type MethodName,
	type MethodParams,
	methods,
	OnBehalf,
	plannedMethods,
	RequestFrame,
} from "@parley/protocol";
import type * as z from "zod";

/** A request that is well-formed and names a method that exists. */
export type Request = {
	[Name in MethodName]: {
		readonly id: string;
		readonly method: Name;
		readonly params: MethodParams<Name>;
		readonly sessionId: string | undefined;
		/** What a connector says of the person it acts for. */
		readonly onBehalf: OnBehalf;
	};
}[MethodName];

/** What a text frame turned out to be: `id` is there where it could be read, for the answer. */
export type Decoded = { readonly kind: "request"; readonly request: Request } | RefusedFrame;

export interface RefusedFrame {
	readonly kind: "refused";
	readonly id: string | undefined;
	readonly reason: ParleyError;
	/** The frame, if its parameters are what is wrong. */
	readonly frame?: Pick<RequestFrame, "method" | "params">;
}

/** What is wrong is told in words for people. */
const ours = { error: issueWords };

const SessionId = RequestFrame.pick({ session_id: true });

const unavailable = new Set<string>(plannedMethods);

/** Reads one text frame. Never throws: whatever is wrong becomes the one answer that it gets. */
export function decodeRequest(text: string): Decoded {
	let id: string | undefined;
	let read: RequestFrame | undefined;
	try {
		const value = parseJson(text);
		id = readId(value);
		const frame = RequestFrame.safeParse(value, ours);
		if (!frame.success) return { kind: "refused", id, reason: malformed(value, frame.error) };
		read = frame.data;
		return { kind: "request", request: decodeMethod(read) };
	} catch (reason) {
		const error = ParleyError.from(reason);
		const refused = id === undefined ? notARequest(error.message, error) : error;
		return { kind: "refused", id, reason: refused, ...(read && { frame: read }) };
	}
}

function decodeMethod(frame: RequestFrame): Request {
	const { id, method } = frame;
	if (!isMethod(method)) {
		const text = unavailable.has(method) ? "not available" : `unknown method: ${method}`;
		throw new ParleyError(text, { code: "unimplemented" });
	}
	const params = methods[method].params.safeParse(frame.params, ours);
	if (!params.success) throw new ParleyError(describe(params.error), { code: "invalid_argument" });
	// Those whose own `place` is another thing are the operator's, who acts for nobody.
	const onBehalf = OnBehalf.safeParse("place" in methods[method].params.shape ? {} : frame.params, ours);
	if (!onBehalf.success) throw new ParleyError(describe(onBehalf.error), { code: "invalid_argument" });
	const sessionId = "session_id" in methods[method].params.shape ? frame.session_id : readTarget(frame);
	// True because the params were just checked by the schema of this very method.
	return { id, method, params: params.data, sessionId, onBehalf: onBehalf.data } as Request;
}

/** Which session is meant stands beside the parameters; among them it means the same, and is never just dropped. */
function readTarget({ session_id: beside, params }: RequestFrame): string | undefined {
	const among = SessionId.safeParse(params, ours);
	if (!among.success) throw new ParleyError(describe(among.error), { code: "invalid_argument" });
	const { session_id: within } = among.data;
	if (within === undefined || beside === undefined || within === beside) return beside ?? within;
	const message = "session_id: the one in params is another than the one beside them; say it once";
	throw new ParleyError(message, { code: "invalid_argument" });
}

function isMethod(name: string): name is MethodName {
	return Object.hasOwn(methods, name);
}

/** The id of whatever came, where it has one that can be echoed. */
function readId(value: unknown): string | undefined {
	if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
	return RequestFrame.shape.id.safeParse(value.id).data;
}

function malformed(value: unknown, error: z.ZodError): ParleyError {
	const numeric =
		typeof value === "object" && value !== null && "id" in value && typeof value.id === "number";
	if (numeric) return new ParleyError("invalid id", { code: "failed_precondition" });
	// The schema's own order: what is wrong first stands behind a type, an id and a method that are right.
	const [place] = error.issues[0]?.path ?? [];
	if (place !== "params" && place !== "session_id") return notARequest(describe(error));
	return new ParleyError(describe(error), { code: "invalid_argument" });
}

function notARequest(why: string, cause?: ParleyError): ParleyError {
	return new ParleyError(`invalid request: ${why}`, { code: "failed_precondition", ...(cause && { cause }) });
}

/** The first thing that is wrong, with the place where it stands. */
function describe(error: z.ZodError): string {
	const [issue] = error.issues;
	if (!issue) return "not understood";
	const path = issue.path.join(".");
	return path === "" ? issue.message : `${path}: ${issue.message}`;
}
