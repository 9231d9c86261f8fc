import { customRandom } from "nanoid";

/** Makes identifiers that nobody can guess. */
export interface Ids {
	/** The prefix, an underscore and 26 characters of `[0-9a-z]` (134 random bits): `create("sess")`. */
	create(prefix: string): string;
	/** A random (version 4) UUID as of RFC 9562. */
	uuid(): string;
}

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Asking the operating system costs ten microseconds a time, several times what an id costs otherwise. */
const POOL_BYTES = 8192;

/** Ids from the operating system's secure random source, or from the given source of bytes. */
export function createIds(random: (bytes: number) => Uint8Array = pooledRandom()): Ids {
	const suffix = customRandom(ALPHABET, 26, random);
	return {
		create: (prefix) => `${prefix}_${suffix()}`,
		uuid: () => formatUuid(random(16)),
	};
}

/** Chance from 0 up to but without 1, out of the last 32 bits of a UUID, which are random in every version in use. */
export function chanceOf(ids: Ids): number {
	return Number.parseInt(ids.uuid().slice(-8), 16) / 2 ** 32;
}

/** Bytes of a pool that is filled by the operating system; none is given out twice. */
function pooledRandom(): (bytes: number) => Uint8Array {
	const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
	let used = POOL_BYTES;
	return (bytes) => {
		if (used + bytes > POOL_BYTES) {
			// Loaded with the first id: who starts a process waits for it, and none is needed yet.
			process.getBuiltinModule("node:crypto").randomFillSync(pool);
			used = 0;
		}
		used += bytes;
		return pool.subarray(used - bytes, used);
	};
}

function formatUuid(bytes: Uint8Array): string {
	const hex = Buffer.from(bytes).toString("hex");
	const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
	return [
		hex.slice(0, 8),
		hex.slice(8, 12),
		`4${hex.slice(13, 16)}`,
		`${variant}${hex.slice(17, 20)}`,
		hex.slice(20, 32),
	].join("-");
}
