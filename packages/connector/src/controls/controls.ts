import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { type ControlKind, controlKinds } from "./control-kind.ts";

/** What a control stands for. `subject`: a run, a prompt, a task, a grant, by its kind. */
export interface ControlTarget {
	readonly kind: ControlKind;
	readonly session: string;
	readonly subject: string;
}

const version = "1";
/** Characters of base64url: 84 bits. */
const macLength = 14;
const form = new RegExp(`^${version}(.)\\.([^.]*)\\.(.*)$`, "su");

const kinds: ReadonlyMap<string, ControlKind> = new Map(
	// True because these are the keys of the object.
	(Object.keys(controlKinds) as ControlKind[]).map((kind) => [controlKinds[kind], kind]),
);

/**
 * Ids of buttons and choices: at most 100 characters (Discord's limit for `custom_id`), telling nothing to people, and
 * signed with a key that is derived from the platform's token, so that they are read by every process with that token
 * and whatever became of the database.
 */
export class Controls {
	readonly #key: KeyObject;

	constructor(secret: string) {
		// A key object is made once; bytes would be made one at every use.
		this.#key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "parley controls", 32)));
	}

	write({ kind, session, subject }: ControlTarget): string {
		const text = `${version}${controlKinds[kind]}.${session}.${subject}`;
		return `${text}.${this.#mac(text)}`;
	}

	/** Undefined for what this did not write. */
	read(id: string): ControlTarget | undefined {
		const text = id.slice(0, -(macLength + 1));
		const mac = Buffer.from(id.slice(text.length));
		const expected = Buffer.from(`.${this.#mac(text)}`);
		if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
		// Ids of sessions are the gateway's, without dots; those of messages are the platform's, which may have some.
		const [, letter = "", session = "", subject = ""] = form.exec(text) ?? [];
		const kind = kinds.get(letter);
		return kind && { kind, session, subject };
	}

	#mac(text: string): string {
		return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, macLength);
	}
}
