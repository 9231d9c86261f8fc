import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { authority, TlsPlace, testCertificate } from "../testing/tls-place.ts";
import { loadTlsIdentity } from "./tls-identity.ts";

const first = testCertificate("first");
const second = testCertificate("second");
const locked = createPrivateKey(first.key).export({
	type: "pkcs8",
	format: "pem",
	cipher: "aes-256-cbc",
	passphrase: "secret",
});

test("a certificate with its key is an identity, also with intermediate certificates after it", async () => {
	using place = new TlsPlace();
	for (const cert of [first.cert, `${first.cert}\n${authority}`, `a word before\n${first.cert}`]) {
		place.write({ cert });
		const identity = await loadTlsIdentity(place.files);
		expect(new X509Certificate(identity.certificate).subject).toBe("CN=first.parley.example");
		expect(identity.validFrom.toISOString()).toBe("2020-01-01T00:00:00.000Z");
		expect(identity.validTo.toISOString()).toBe("2120-01-01T00:00:00.000Z");
	}
});

test.each<[string, Partial<typeof first>, RegExp]>([
	[
		"another's key",
		{ key: second.key },
		/key\.pem does not belong to the .*cert\.pem; name a key and a certificate/,
	],
	[
		"the certificates in a wrong order",
		{ cert: authority + first.cert },
		/is not the first one in .*: move it to the beginning of the file$/,
	],
	["an empty certificate", { cert: "" }, /cert\.pem contains no certificate in PEM form .*openssl x509/],
	[
		"a key where the certificate should be",
		{ cert: first.key },
		/cert\.pem contains no certificate in PEM form/,
	],
	[
		"a damaged certificate",
		{ cert: first.cert.replace("MII", "AAA") },
		/cert\.pem contains a certificate that cannot/,
	],
	["no key", { key: "nothing" }, /key\.pem contains no readable private key in PEM form/],
	["a certificate where the key should be", { key: first.cert }, /key\.pem contains no readable private key/],
	["a key with a passphrase", { key: String(locked) }, /key\.pem has a passphrase, .*openssl pkey -in FILE/],
])("%s is refused with advice", async (_name, written, message) => {
	using place = new TlsPlace();
	place.write(written);
	await expect(loadTlsIdentity(place.files)).rejects.toMatchObject({
		name: "ParleyError",
		code: "failed_precondition",
		message: expect.stringMatching(message),
	});
});

test("a key that every user of the machine can read is refused, and one that a group can read is not", async () => {
	using place = new TlsPlace();
	chmodSync(place.files.key, 0o644);
	await expect(loadTlsIdentity(place.files)).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/key\.pem is open to other users .*chmod 600/),
	});
	chmodSync(place.files.key, 0o640);
	await expect(loadTlsIdentity(place.files)).resolves.toBeDefined();
});

test("a missing file is named", async () => {
	using place = new TlsPlace();
	rmSync(place.files.cert);
	await expect(loadTlsIdentity(place.files)).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/cannot read .*cert\.pem \(ENOENT\)/),
	});
});
