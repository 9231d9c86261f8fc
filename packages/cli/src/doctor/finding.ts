import { CorrectableError } from "@parley/base";
import type { Found } from "../tables/finding-rows.ts";
import { doctorTexts } from "../texts/doctor/shared.ts";
import type { System } from "./system.ts";

export interface Check {
	readonly id: string;
	readonly examine: (system: System) => Promise<Found>;
}

/** Result of each check that needs a valid configuration, while the configuration is invalid. */
export const configInvalid = doctorTexts.configInvalid;

export function ok(what: string): Found {
	return { status: "ok", what };
}

export function warn(what: string, fix: string): Found {
	return { status: "warn", what, fix };
}

export function fail(what: string, fix: string): Found {
	return { status: "fail", what, fix };
}

/** Returns the failure for a caught error. Uses `fix` for an error without its own correction. */
export function failWith(reason: unknown, fix: string): Found {
	if (reason instanceof CorrectableError) return fail(reason.what, reason.fix);
	return fail(reason instanceof Error ? reason.message : String(reason), fix);
}
