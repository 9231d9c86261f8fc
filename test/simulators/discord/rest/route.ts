import type { Upload } from "../platform/attachments.ts";
import type { State } from "../platform/state.ts";

/** Request for a handler. If the contract is loaded, it has accepted the request. */
export interface Call {
	readonly state: State;
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
	readonly body: unknown;
	readonly files: readonly Upload[];
}

export interface Reply {
	readonly status: number;
	readonly body: unknown;
}

/** Operation of the REST API. The path has the form of Discord's OpenAPI document. */
export interface Route {
	readonly method: string;
	readonly path: string;
	/**
	 * True for routes of interactions and their webhooks. Their paths contain the token, and the global limit does
	 * not apply.
	 */
	readonly open?: true;
	handle(call: Call): Reply;
}

export const nothing: Reply = { status: 204, body: null };

export function ok(body: unknown): Reply {
	return { status: 200, body };
}

export function created(body: unknown): Reply {
	return { status: 201, body };
}

/** Returns a parameter of the path. Throws if the path of the route has no such parameter. */
export function param({ params }: Call, name: string): string {
	const value = params[name];
	if (value === undefined) throw new Error(`the route has no ${name}`);
	return value;
}
