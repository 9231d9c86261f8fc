import { constants, createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext } from "node:tls";
import { ParleyError } from "@parley/base";
import { errno } from "../data-directory/errno.ts";
import { checkPermissions } from "../data-directory/private-file.ts";
import { certificateTexts } from "../texts/listening.ts";

/** Paths of the certificate and its key, both in PEM form. */
export interface TlsFiles {
	/** File with the certificate, followed by the intermediate certificates. */
	readonly cert: string;
	readonly key: string;
}

export interface TlsIdentity {
	readonly context: SecureContext;
	/** The gateway's own certificate, in PEM form. */
	readonly certificate: string;
	readonly validFrom: Date;
	readonly validTo: Date;
}

const code = "failed_precondition";
const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads and checks the certificate and its key. Rejects with `failed_precondition` and advice if the certificate or
 * the key cannot be used.
 */
export async function loadTlsIdentity(files: TlsFiles): Promise<TlsIdentity> {
	await readable(files.key, (path) => checkPermissions(path, 0o007));
	const [chain, pem] = await Promise.all([files.cert, files.key].map((file) => readable(file, readText)));
	const [leaf, ...between] = readCertificates(files.cert, chain ?? "");
	const key = readKey(files.key, pem ?? "");
	if (!leaf.checkPrivateKey(key)) throw mismatch(files, between, key);
	return {
		context: createSecureContext({
			cert: chain,
			key: pem,
			minVersion: "TLSv1.2",
			// With renegotiation, a client could repeat the expensive part of the handshake:
			// https://www.rfc-editor.org/rfc/rfc9325#section-3.5
			secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
		}),
		certificate: leaf.toString(),
		validFrom: leaf.validFromDate,
		validTo: leaf.validToDate,
	};
}

const readText = (path: string): Promise<string> => readFile(path, "utf8");

async function readable<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
	try {
		return await read(path);
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		throw new ParleyError(certificateTexts.unreadable({ path, reason: errno(cause) }), { code, cause });
	}
}

function readCertificates(file: string, text: string): [X509Certificate, ...X509Certificate[]] {
	try {
		const [leaf, ...between] = (text.match(pemCertificate) ?? []).map((pem) => new X509Certificate(pem));
		if (leaf) return [leaf, ...between];
	} catch (cause) {
		throw new ParleyError(certificateTexts.invalidCertificate({ file }), {
			code,
			cause,
		});
	}
	throw new ParleyError(certificateTexts.noCertificate({ file }), {
		code,
	});
}

function readKey(file: string, text: string): KeyObject {
	try {
		return createPrivateKey(text);
	} catch (cause) {
		if (errno(cause) === "ERR_MISSING_PASSPHRASE" || text.includes("ENCRYPTED")) {
			throw new ParleyError(certificateTexts.passphrase({ file }), { code, cause });
		}
		throw new ParleyError(certificateTexts.noKey({ file }), {
			code,
			cause,
		});
	}
}

function mismatch({ cert, key }: TlsFiles, between: readonly X509Certificate[], own: KeyObject): ParleyError {
	const isLater = between.some((certificate) => certificate.checkPrivateKey(own));
	const fix = isLater ? certificateTexts.orderFix({ cert }) : certificateTexts.pairFix;
	return new ParleyError(certificateTexts.otherKey({ key, certificate: cert, fix }), {
		code,
	});
}
