import { auditMessages } from "../texts/commands/access/audit.ts";
import { UsageError } from "./usage.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * Reads `--since` and `--until`: `30m`, `12h`, `2d` and `1w` ago, a date, or an ISO 8601 time. Returns ISO 8601 in UTC.
 * Throws for any other text.
 */
export function readMoment(text: string, now: number): string {
	const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
	// The cast is safe because the pattern allows no other unit.
	if (unit !== undefined)
		return new Date(now - Number(count) * units[unit as keyof typeof units]).toISOString();
	const time = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN;
	if (!Number.isNaN(time)) return new Date(time).toISOString();
	throw new UsageError(auditMessages.invalidTime({ text: JSON.stringify(text) }));
}
