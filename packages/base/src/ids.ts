import { customRandom } from "nanoid";

/** Source of unpredictable identifiers. */
export interface Ids {
	/** Returns the prefix, an underscore and 26 characters of `[0-9a-z]` (134 random bits). Example: `create("sess")`. */
	create(prefix: string): string;
	/** Returns a random UUID (version 4, RFC 9562). */
	uuid(): string;
}

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * Number of random bytes in one request to the operating system. A separate request for each id would be much slower.
 */
const POOL_BYTES = 8192;

/** Creates ids from the secure random source of the operating system, or from the given source of bytes. */
export function createIds(random: (bytes: number) => Uint8Array = pooledRandom()): Ids {
	const suffix = customRandom(ALPHABET, 26, random);
	return {
		create: (prefix) => `${prefix}_${suffix()}`,
		uuid: () => formatUuid(random(16)),
	};
}

/** Returns a random number of at least 0 and below 1, with 32 random bits. */
export function chanceOf(ids: Ids): number {
	return Number.parseInt(ids.uuid().slice(-8), 16) / 2 ** 32;
}

/** Returns a function that returns the requested number of random bytes. Each byte of the pool is used only once. */
function pooledRandom(): (bytes: number) => Uint8Array {
	const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
	let used = POOL_BYTES;
	return (bytes) => {
		if (used + bytes > POOL_BYTES) {
			// `node:crypto` is loaded when the first id is created, because a process can start without an id.
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
