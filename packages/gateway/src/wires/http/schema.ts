import { defined, ParleyError } from "@parley/base";
import {
	type EventFilter,
	type SessionFilter,
	type TaskFilter,
	type TaskState,
	taskStates,
} from "@parley/core";
import { httpErrorTexts } from "../../texts/wires/http.ts";
import { decodeEventName } from "../shared/event-json.ts";
import { decodeStatuses, encodeState } from "../shared/task-json.ts";

/** Decodes the query of `/api/events`. Throws `invalid_argument` for an invalid value. */
export function decodeEventsQuery(query: URLSearchParams): Omit<EventFilter, "limit"> {
	const sessionId = query.get("session");
	const names = query.getAll("type").filter((name) => name !== "");
	const types = [...new Set(names.flatMap(decodeEventName))];
	const after = query.get("after");
	if (after !== null && !sessionId) throw refused("after", after, httpErrorTexts.needsSession);
	return defined({
		sessionId: sessionId || undefined,
		types: types.length > 0 ? types : undefined,
		afterSeq: after === null ? undefined : readNumber("after", after),
	});
}

export function readLimit<T>(query: URLSearchParams, fallback: T): number | T {
	const text = query.get("limit");
	if (text === null) return fallback;
	const limit = Number(text);
	if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= 1000) return limit;
	throw refused("limit", text, httpErrorTexts.limit);
}

/** Reads a whole number of at most 15 digits, for example a `seq`. Throws `invalid_argument` for any other text. */
export function readNumber(name: string, text: string): number {
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw refused(name, text, httpErrorTexts.position);
}

export function refused(name: string, text: string, reason: string): ParleyError {
	return new ParleyError(`${name}: ${JSON.stringify(text.slice(0, 100))} ${reason}`, {
		code: "invalid_argument",
	});
}

/** Decodes the query of `/api/tasks`. Throws `invalid_argument` for an invalid value. */
export function decodeTasksQuery(query: URLSearchParams): TaskFilter {
	const sessionId = query.get("session_id");
	const named = query.getAll("status").filter((name) => name !== "");
	return defined({
		limit: readLimit(query, 50),
		sessionId: sessionId || undefined,
		states: named.length > 0 ? decodeStatuses(named.map(readStatus)) : undefined,
	});
}

function readStatus(name: string): ReturnType<typeof encodeState> {
	const statuses = [...new Set(taskStates.map((state: TaskState) => encodeState(state)))];
	const status = statuses.find((each) => each === name);
	if (status !== undefined) return status;
	throw refused("status", name, httpErrorTexts.oneOf({ names: statuses.join(", ") }));
}

const maxQueryCharacters = 200;

/** Decodes the query of `/api/sessions`. Throws `invalid_argument` for an invalid value. */
export function decodeSessionsQuery(query: URLSearchParams): SessionFilter {
	const search = query.get("query")?.trim() ?? "";
	const idPrefix = query.get("id") ?? "";
	if (search.length > maxQueryCharacters) {
		throw refused("query", search, httpErrorTexts.longQuery({ max: maxQueryCharacters }));
	}
	if (!/^[\w-]{0,128}$/.test(idPrefix)) throw refused("id", idPrefix, httpErrorTexts.idPrefix);
	return defined({
		limit: readLimit(query, 1000),
		query: search === "" ? undefined : search,
		idPrefix: idPrefix === "" ? undefined : idPrefix,
	});
}
