import { openPassword } from "../session/passwords.ts";
import type { Session } from "../session/session.ts";
import type { ReadyCall, RefusedCall } from "../tool-call.ts";
import { visible } from "../tools/visible.ts";

/** What is shorter could not be kept out of what a tool says: it is no more than an ordinary word. Characters. */
const shortest = 4;

/**
 * The call as its tool gets it, just before it runs: with passwords in the place of their handles, in the parameters
 * that the tool declares. Refused where a handle is not one of this session; why is nobody's business but the person's.
 */
export async function releaseSecrets(session: Session, ready: ReadyCall): Promise<ReadyCall | RefusedCall> {
	const { tool, args } = ready;
	if (!tool.secrets || typeof args !== "object" || args === null) return ready;
	const given = Object.entries(args).filter(([name]) => tool.secrets?.includes(name));
	const opened: [string, unknown][] = [];
	for (const [name, value] of given) {
		const clear = await open(session, value, name);
		if ("refused" in clear) return { kind: "refused", text: clear.refused };
		opened.push([name, clear.value]);
	}
	return { ...ready, args: { ...args, ...Object.fromEntries(opened) } };
}

type Opened = { readonly value: unknown } | { readonly refused: string };

/** One handle, or a record of handles. */
async function open(session: Session, value: unknown, place: string): Promise<Opened> {
	if (value === undefined) return { value };
	if (typeof value === "string") return openOne(session, value, place);
	if (typeof value !== "object" || value === null || Array.isArray(value)) return unknown(place);
	const entries: [string, unknown][] = [];
	for (const [name, handle] of Object.entries(value)) {
		const clear =
			typeof handle === "string" ? await openOne(session, handle, `${place}.${name}`) : unknown(place);
		if ("refused" in clear) return clear;
		entries.push([name, clear.value]);
	}
	return { value: Object.fromEntries(entries) };
}

async function openOne(session: Session, handle: string, place: string): Promise<Opened> {
	const password = await openPassword(session.home, handle);
	if (password === undefined) return unknown(place);
	if (password.length < shortest) {
		const why = `the password is shorter than ${shortest} characters and could not be kept out of what the tool says`;
		return { refused: `not run: ${visible(place)}: ${why}` };
	}
	session.redactor.add(password);
	return { value: password };
}

function unknown(place: string): Opened {
	return {
		refused: `not run: ${visible(place)}: there is no such secret here; ask for it with ask_user, type password, and use the handle that you get`,
	};
}
