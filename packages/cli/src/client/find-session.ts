import { ParleyError } from "@parley/base";
import { beginsId, requireLongId } from "../command-line/ids.ts";
import { visibleLine } from "../text/visible.ts";
import { sessionTexts } from "../texts/sessions.ts";
import { getJson, type HttpAddress } from "./gateway-http.ts";

/** A session in the form of `/api/sessions`. */
export interface SessionFacts {
	readonly id: string;
	readonly title: string;
	readonly state: "idle" | "running" | "waiting";
	/** Time in RFC 3339 format. */
	readonly created_at: string;
	readonly updated_at: string;
	readonly message_count: number;
	readonly token_usage: { readonly input: number; readonly output: number };
	readonly cost_usd: number;
	readonly root_dir: string;
	readonly profile: string;
	readonly external_key?: string;
}

/** Maximum number of sessions in the error for an ambiguous id. */
const maxNamed = 5;

/**
 * Finds the session with this id. The id may be abbreviated as `beginsId` describes, as long as it is unique. Rejects
 * if no session or several sessions match.
 */
export async function findSession(address: HttpAddress, given: string): Promise<SessionFacts> {
	if (!/^[\w-]{1,128}$/.test(given)) throw unknown(given);
	for (const prefix of [given, `sess_${given}`]) {
		const found = (await sessionsFrom(address, prefix)).filter(({ id }) => beginsId(id, given));
		const exact = found.find(({ id }) => id === prefix);
		const [only, another] = found;
		if (exact) return exact;
		if (another) throw ambiguous(given, found);
		if (only) return only;
	}
	requireLongId(given);
	throw unknown(given);
}

/** Finds all given sessions, without duplicates. Rejects if a session cannot be found. */
export async function findSessions(address: HttpAddress, given: readonly string[]): Promise<SessionFacts[]> {
	const found = new Map<string, SessionFacts>();
	for (const one of given) {
		const session = await findSession(address, one);
		found.set(session.id, session);
	}
	return [...found.values()];
}

async function sessionsFrom(address: HttpAddress, prefix: string): Promise<SessionFacts[]> {
	// The cast is safe because Parley's own gateway lists sessions in this form.
	return (await getJson(address, `/api/sessions?id=${prefix}&limit=${maxNamed + 1}`)) as SessionFacts[];
}

function unknown(given: string): ParleyError {
	const shown = visibleLine(given.slice(0, 100));
	return new ParleyError(sessionTexts.noSession({ id: shown }), {
		code: "not_found",
	});
}

function ambiguous(given: string, found: readonly SessionFacts[]): ParleyError {
	const rows = found
		.slice(0, maxNamed)
		.map(({ id, title }) => `  ${visibleLine(id)}  ${visibleLine(title) || sessionTexts.noTitle}`);
	const more = found.length > maxNamed ? ["  …"] : [];
	const message = [sessionTexts.severalSessions({ id: given }), ...rows, ...more].join("\n");
	return new ParleyError(message, { code: "failed_precondition" });
}
