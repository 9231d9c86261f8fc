import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { type ControlKind, controlKinds } from "./control-kind.ts";

/** Target of a control. `controlKinds` defines the `subject` of each kind. */
export interface ControlTarget {
	readonly kind: ControlKind;
	readonly session: string;
	readonly subject: string;
}

const version = "1";
/** Length of the signature in base64url characters: 84 bits. */
const macLength = 14;
const form = new RegExp(`^${version}(.)\\.([^.]*)\\.(.*)$`, "su");

const kinds: ReadonlyMap<string, ControlKind> = new Map(
	// The cast is safe because these are the keys of the object.
	(Object.keys(controlKinds) as ControlKind[]).map((kind) => [controlKinds[kind], kind]),
);

/**
 * Reads and writes ids of buttons and choices. Subjects must be short, because Discord limits a `custom_id`
 * to 100 characters. The signing key derives from the platform's token, so every process with that token can
 * read the ids.
 */
export class Controls {
	readonly #key: KeyObject;

	constructor(secret: string) {
		// A key object is created once; raw bytes would be converted for each use.
		this.#key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "parley controls", 32)));
	}

	write({ kind, session, subject }: ControlTarget): string {
		const text = `${version}${controlKinds[kind]}.${session}.${subject}`;
		return `${text}.${this.#mac(text)}`;
	}

	/** Reads an id. Returns undefined if the id has another form, an unknown kind or an invalid signature. */
	read(id: string): ControlTarget | undefined {
		const text = id.slice(0, -(macLength + 1));
		const mac = Buffer.from(id.slice(text.length));
		const expected = Buffer.from(`.${this.#mac(text)}`);
		if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
		// Session ids contain no dots, but message ids of a platform may.
		const [, letter = "", session = "", subject = ""] = form.exec(text) ?? [];
		const kind = kinds.get(letter);
		return kind && { kind, session, subject };
	}

	#mac(text: string): string {
		return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, macLength);
	}
}
