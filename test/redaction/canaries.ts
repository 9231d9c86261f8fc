// Secrets that must not appear in any output, and their encodings.

const hex = (n: number): string =>
	[...`${n}`].map((digit) => String.fromCharCode(103 + Number(digit))).join("");

/**
 * Secrets for the gateway's redactor, with spaces, quotes, signs and letters of several scripts. None has the format of
 * a known credential.
 */
export const registered: readonly string[] = Array.from({ length: 20 }, (_, n) => {
	const id = `${hex(n + 11)}Qx${n}zVb7`;
	const kinds = [
		`cnry-${id}-plainLettersAndDigits42`,
		`cnry ${id} with spaces in it`,
		`cnry"${id}"\\quoted\\and/slashed`,
		`cnry+${id}==&?=%/form`,
		`cnry_${id}_ümläüt_字_🔑`,
	];
	return kinds[n % kinds.length] ?? id;
});

const letters = (seed: number, length: number): string =>
	Array.from({ length }, (_, n) => "abcdefghijkmnpqrstuvwxyz23456789"[(seed * 7 + n * 11 + n * n) % 32]).join(
		"",
	);

/**
 * Texts with the format of a credential. The source assembles them, because secret scanners would report complete
 * credentials.
 */
export const shaped: readonly string[] = [
	...["a", "b", "e", "p", "r", "s"].map((kind, n) => `xox${kind}-${letters(n, 30)}`),
	`xapp-${letters(7, 40)}`,
	`sk-ant-${letters(8, 40)}`,
	...["p", "o", "u", "s", "r"].map((kind, n) => `gh${kind}_${letters(n + 9, 36)}`),
	`AKIA${letters(14, 16).toUpperCase()}`,
	`MTk4${letters(15, 20)}.${letters(16, 6)}.${letters(17, 27)}`,
	`eyJ${letters(18, 12)}.eyJ${letters(19, 20)}.${letters(20, 30)}`,
	...["operator", "observer", "connector", "ticket"].map(
		(kind, n) => `gw_${kind}_${letters(n + 21, 26)}_${letters(n + 31, 49)}`,
	),
];

/** Returns a secret in the encodings of common tools and programs. */
function formsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const json = JSON.stringify(secret).slice(1, -1);
	return [
		secret,
		json,
		JSON.stringify(json).slice(1, -1),
		bytes.toString("base64"),
		bytes.toString("base64url"),
		bytes.toString("hex"),
		bytes.toString("hex").toUpperCase(),
		encodeURIComponent(secret),
		encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
		new URLSearchParams({ "": secret }).toString().slice(1),
	];
}

/** Returns a text that contains every encoding of every secret, between words. */
export function textOf(secrets: readonly string[]): string {
	return secrets.flatMap((secret) => formsOf(secret).map((form, n) => `form ${n}: <${form}> end`)).join("\n");
}

/** Returns a secret in base64 together with other text, broken into lines like the output of `base64`. */
export function wrappedIn(secret: string, before: string): string {
	return Buffer.from(`${before}${secret} and after`).toString("base64").replaceAll(/.{76}/g, "$&\n");
}

/**
 * Returns the secrets that the text contains: in an encoding of `formsOf`, in different case, or in base64 together
 * with other text.
 */
export function findIn(secrets: readonly string[], text: string): string[] {
	const plain = text.toLowerCase();
	const joined = text.replaceAll("\n", "").replaceAll("\\n", "");
	return secrets.filter((secret) => {
		const bytes = Buffer.from(secret);
		// The part of the base64 text that depends only on the secret, at each of the three possible offsets.
		const inside = [0, 1, 2].map((offset) => {
			const padded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
			return padded.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + bytes.length)) / 6));
		});
		return (
			formsOf(secret).some((form) => text.includes(form)) ||
			plain.includes(secret.toLowerCase()) ||
			inside.some((form) => joined.includes(form))
		);
	});
}
