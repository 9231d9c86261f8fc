import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsFiles } from "../transport/tls-identity.ts";

export type TestCertificate = "first" | "second" | "expired";

function fixture(name: string): string {
	return readFileSync(new URL(`../../../../test/fixtures/tls/${name}.pem`, import.meta.url), "utf8");
}

/** Certificate authority that clients in tests trust. */
export const authority = fixture("authority");

export function testCertificate(name: TestCertificate): { readonly cert: string; readonly key: string } {
	return { cert: fixture(name), key: fixture(`${name}-test-key`) };
}

/** A temporary directory with a certificate and its key. Its disposal removes the directory. */
export class TlsPlace implements Disposable {
	readonly #directory = mkdtempDisposableSync(join(tmpdir(), "parley-tls-"));
	readonly files: TlsFiles;

	constructor(name: TestCertificate = "first") {
		this.files = { cert: this.at("cert.pem"), key: this.at("key.pem") };
		this.write(testCertificate(name));
	}

	at(name: string): string {
		return join(this.#directory.path, name);
	}

	write({ cert, key }: Partial<TlsFiles>): void {
		if (cert !== undefined) writeFileSync(this.files.cert, cert);
		if (key === undefined) return;
		writeFileSync(this.files.key, key);
		chmodSync(this.files.key, 0o600);
	}

	[Symbol.dispose](): void {
		this.#directory.remove();
	}
}
