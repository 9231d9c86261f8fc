import { createHash, createHmac } from "node:crypto";

/** Letters and digits that nobody takes for one another: 32 of them. */
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const length = 8;

/**
 * The code of a pairing: made of its id, so that it can be shown again and is kept nowhere. `fingerprint` holds the key
 * of the data directory, without which nobody can make it.
 */
export function pairingCode(id: string, fingerprint: (text: string) => string): string {
	const bytes = createHmac("sha256", fingerprint(`pairing code ${id}`))
		.update(id)
		.digest();
	// 256 is a multiple of 32: every letter is as likely as any other.
	return [...bytes.subarray(0, length)].map((byte) => letters[byte % letters.length]).join("");
}

/** Whether a text can be a code at all, as people type it. */
export function isPairingCode(text: string): boolean {
	const plain = plainCode(text);
	return plain.length === length && [...plain].every((letter) => letters.includes(letter));
}

function plainCode(text: string): string {
	return text.toUpperCase().replaceAll(/[\s-]/g, "");
}

/**
 * What is kept of a code, and looked up: of small letters, blanks and hyphens as people type them nothing depends. A
 * keyed hash, so that neither how long the look-up takes nor the database tells what would have been right.
 */
export function codeHash(code: string, fingerprint: (text: string) => string): string {
	return createHash("sha256")
		.update(fingerprint(`pairing hash ${plainCode(code)}`))
		.digest("hex");
}
