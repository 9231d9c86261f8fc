import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { ParleyError } from "@parley/base";
import { secretTexts } from "./texts.ts";

/**
 * Encrypts stored secrets, such as typed passwords, earlier contents of files and logins, with AES-256-GCM. The handle of
 * a secret is the associated data, so an encrypted value cannot be used under a different handle.
 */
export class SecretBox {
	readonly #key: Buffer;

	/** Throws `data_loss` unless `key` has 32 bytes. */
	constructor(key: Buffer) {
		if (key.length !== 32) throw new ParleyError(secretTexts.keyLength(key.length), { code: "data_loss" });
		this.#key = key;
	}

	/**
	 * Returns a keyed hash of a text, so that texts can be compared without storing them. A guess can only be tested with the
	 * key.
	 */
	fingerprint(text: string): string {
		return createHmac("sha256", this.#key).update("fingerprint\0").update(text).digest("base64url");
	}

	seal(handle: string, value: string): string {
		const nonce = randomBytes(12);
		const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
		cipher.setAAD(Buffer.from(handle));
		const sealed = Buffer.concat([nonce, cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
		return sealed.toString("base64url");
	}

	/**
	 * Decrypts a value that `seal` returned. Throws `data_loss` if the value was encrypted under a different key or handle, or was
	 * changed.
	 */
	open(handle: string, sealed: string): string {
		const bytes = Buffer.from(sealed, "base64url");
		try {
			const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, 12), {
				authTagLength: 16,
			});
			decipher.setAAD(Buffer.from(handle));
			decipher.setAuthTag(bytes.subarray(-16));
			return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8");
		} catch (cause) {
			throw new ParleyError(secretTexts.otherKey(handle), {
				code: "data_loss",
				cause,
			});
		}
	}
}
