import { ParleyError } from "@parley/base";
import { tokenTexts } from "./texts.ts";

export type TokenKind = "operator" | "observer" | "connector";

export interface NewToken {
	readonly kind: TokenKind;
	readonly name: string;
	readonly platform?: string;
	readonly tenants?: readonly string[];
	readonly sessions?: readonly string[];
	/** Lifetime in milliseconds. Default: 30 days for observers, unlimited for other tokens. */
	readonly lifeMs?: number;
}

/** Name of the operator's own token, which is stored in the data directory. */
export const operatorsName = "operator";

const bounds = {
	operator: [],
	observer: ["sessions"],
	connector: ["platform", "tenants"],
} as const satisfies Record<TokenKind, readonly ("platform" | "tenants" | "sessions")[]>;

const observersLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Returns the lifetime of the token in milliseconds, or undefined if it does not expire. */
export function lifeOf({ kind, lifeMs }: NewToken): number | undefined {
	return lifeMs ?? (kind === "observer" ? observersLifeMs : undefined);
}

/** Throws `invalid_argument` if the name is reserved, or if the fields do not fit the kind of the token. */
export function checkNewToken(requested: NewToken): void {
	const { kind, name, platform } = requested;
	if (name === operatorsName) {
		throw refused(tokenTexts.reserved(operatorsName));
	}
	for (const bound of ["platform", "tenants", "sessions"] as const) {
		const has: readonly string[] = bounds[kind];
		if (requested[bound] !== undefined && !has.includes(bound)) {
			throw refused(tokenTexts.hasNone(bound, kind));
		}
	}
	if (kind === "connector" && platform === undefined) {
		throw refused(tokenTexts.onePlatform);
	}
}

function refused(reason: string): ParleyError {
	return new ParleyError(reason, { code: "invalid_argument" });
}
