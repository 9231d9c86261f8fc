import { Redactor } from "@parley/base";

const redactor = new Redactor();

/** Hides user information and queries of addresses in a text, and texts that look like credentials. */
export function withoutCredentials(text: string): string {
	// An unencoded password can contain "/" and "?", so everything up to the last "@" is hidden.
	const plain = text.replace(/(?<=:\/\/)[^\s"]*@/g, "…@").replace(/(?<=:\/\/[^"]*)\?[^"]*/g, "?…");
	return redactor.redact(plain);
}
