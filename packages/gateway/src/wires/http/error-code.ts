import type { ErrorCode } from "@parley/base";
import { type ErrorRedactor, shownError } from "../shared/error-text.ts";

export interface Answer {
	readonly status: number;
	readonly body: unknown;
}

type Statuses = Partial<Record<ErrorCode, number>>;

/** HTTP statuses by error code. All other codes have the status 500. */
const statuses: Statuses = {
	invalid_argument: 400,
	not_found: 404,
	permission_denied: 403,
	unavailable: 503,
};

/** HTTP statuses of requests for files. 507 reports that the store of files is full: RFC 4918, section 11.5. */
const fileStatuses: Statuses = { ...statuses, resource_exhausted: 507 };

export function fileStatusOf(code: ErrorCode): number {
	return fileStatuses[code] ?? 500;
}

export function errorAnswer(reason: unknown, redactor?: ErrorRedactor): Answer {
	const { code, message } = shownError(reason, redactor);
	return { status: statuses[code] ?? 500, body: { error: message } };
}
