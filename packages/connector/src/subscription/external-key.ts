import { defined, definedItems } from "@parley/base";
import type { Room } from "../platform/inbound-event.ts";

/** What the external key of a session says: where it is talked to, by whom alone, and which one of that room it is. */
export interface SessionKey {
	readonly platform: string;
	readonly tenant: string;
	readonly channel: string;
	readonly thread?: string;
	/** The person it belongs to, where each has one of their own. */
	readonly person?: string;
	/** From 1: the first of a room has no number in its key. */
	readonly number: number;
}

const form = /^([^:@/]+):([^:@/]+):([^:@/]+)(?::([^:@/]+))?(?:@([^:@/]+))?(?:\/([1-9]\d{0,8}))?$/;

/** `PLATFORM:TENANT:CHANNEL[:THREAD][@USER][/N]`; what stands between ids is escaped within them. */
export function writeSessionKey({ platform, tenant, channel, thread, person, number }: SessionKey): string {
	const place = definedItems([platform, tenant, channel, thread]).map(encodeURIComponent);
	const whose = person === undefined ? "" : `@${encodeURIComponent(person)}`;
	return `${place.join(":")}${whose}${number > 1 ? `/${number}` : ""}`;
}

/** Undefined for what is no key of ours. */
export function readSessionKey(text: string): SessionKey | undefined {
	const parts = form.exec(text)?.slice(1);
	if (parts === undefined) return undefined;
	try {
		// Where a part is not there, the type of a match does not say so.
		const [platform = "", tenant = "", channel = "", thread, person] = parts
			.slice(0, 5)
			.map((part: string | undefined) => (part === undefined ? undefined : decodeURIComponent(part)));
		const key = {
			platform,
			tenant,
			channel,
			number: Number(parts[5] ?? 1),
			...defined({ thread, person }),
		};
		return writeSessionKey(key) === text ? key : undefined;
	} catch {
		// A percent sign that stands for nothing: somebody else's key.
		return undefined;
	}
}

/** The key of a room's first session, and with that the name that its sessions have in common. */
export function roomKeyOf({ platform, tenant, channel, thread, person }: SessionKey): string {
	const place = { platform, tenant, channel, number: 1 };
	return writeSessionKey({
		...place,
		...defined({ thread, person }),
	});
}

/** The room of a key, as far as a key tells: what else a room is, its events say. */
export function roomOf({ tenant, channel, thread }: SessionKey): Room {
	return { tenant, channel, ...defined({ thread }), shared: false, kind: "channel" };
}
