import { defined, definedItems } from "@parley/base";
import type { Room } from "../platform/inbound-event.ts";

/**
 * Content of a session's external key: its channel or thread, its person if it belongs to one person, and its number in
 * the room.
 */
export interface SessionKey {
	readonly platform: string;
	readonly tenant: string;
	readonly channel: string;
	readonly thread?: string;
	/** The only person of the session; absent for a shared session. */
	readonly person?: string;
	/** Number of the session in its room, from 1. The key of the first session contains no number. */
	readonly number: number;
}

const form = /^([^:@/]+):([^:@/]+):([^:@/]+)(?::([^:@/]+))?(?:@([^:@/]+))?(?:\/([1-9]\d{0,8}))?$/;

/**
 * Returns the external key of a session: `PLATFORM:TENANT:CHANNEL[:THREAD][@USER][/N]`. Separators inside ids are
 * escaped.
 */
export function writeSessionKey({ platform, tenant, channel, thread, person, number }: SessionKey): string {
	const place = definedItems([platform, tenant, channel, thread]).map(encodeURIComponent);
	const personPart = person === undefined ? "" : `@${encodeURIComponent(person)}`;
	return `${place.join(":")}${personPart}${number > 1 ? `/${number}` : ""}`;
}

/** Reads an external key. Returns undefined for a key of another form. */
export function readSessionKey(text: string): SessionKey | undefined {
	const parts = form.exec(text)?.slice(1);
	if (parts === undefined) return undefined;
	try {
		// A group of a match may be undefined, although its type is `string`.
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
		// An invalid percent escape shows that another program wrote the key.
		return undefined;
	}
}

/** Returns the key that identifies a room: the key of its first session. */
export function roomKeyOf({ platform, tenant, channel, thread, person }: SessionKey): string {
	const place = { platform, tenant, channel, number: 1 };
	return writeSessionKey({
		...place,
		...defined({ thread, person }),
	});
}

/**
 * Returns the room for a session key. A session key does not contain `shared` and `kind`, so the room gets default
 * values for them.
 */
export function roomOf({ tenant, channel, thread }: SessionKey): Room {
	return { tenant, channel, ...defined({ thread }), shared: false, kind: "channel" };
}
