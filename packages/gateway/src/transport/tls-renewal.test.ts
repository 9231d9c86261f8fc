import { X509Certificate } from "node:crypto";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type TestCertificate, TlsPlace, testCertificate } from "../testing/tls-place.ts";
import { TlsRenewal } from "./tls-renewal.ts";

const intervalMs = 60_000;
const now = Date.UTC(2026, 0, 1);

class Renewal implements Disposable {
	readonly place: TlsPlace;
	readonly clock = new ManualClock(now);
	readonly log = new MemoryLogger();
	#opened: TlsRenewal | undefined;

	constructor(name: TestCertificate = "first") {
		this.place = new TlsPlace(name);
	}

	async open(): Promise<TlsRenewal> {
		const { clock, log } = this;
		this.#opened = await TlsRenewal.open({ files: this.place.files, clock, log });
		return this.#opened;
	}

	get messages(): string[] {
		return this.log.records.map(({ level, message }) => `${level}: ${message}`);
	}

	[Symbol.dispose](): void {
		this.#opened?.close();
		this.place[Symbol.dispose]();
	}
}

function name(renewal: TlsRenewal): string {
	return new X509Certificate(renewal.current.certificate).subject.replace("CN=", "");
}

const renewed = "info: the certificate was reloaded";
const message = "warn: the certificate could not be reloaded; the previous one stays in use";

test("changed files are loaded within a minute, and listeners are notified", async () => {
	using t = new Renewal();
	const renewal = await t.open();
	const warned = Promise.withResolvers<string>();
	renewal.onRenewed = async () => warned.resolve(name(renewal));
	t.clock.advance(intervalMs - 1);
	t.place.write(testCertificate("second"));
	expect(name(renewal)).toBe("first.parley.example");
	t.clock.advance(1);
	expect(await warned.promise).toBe("second.parley.example");
	await renewal.reload();
	expect(t.messages).toContain(renewed);
});

test("a link that is moved to other files counts as a change", async () => {
	using t = new Renewal();
	const { files } = t.place;
	for (const file of [files.cert, files.key]) {
		renameSync(file, `${file}.1`);
		symlinkSync(`${file}.1`, file);
	}
	const renewal = await t.open();
	using other = new TlsPlace("second");
	const warned = Promise.withResolvers<void>();
	renewal.onRenewed = async () => warned.resolve();
	for (const kind of ["cert", "key"] as const) {
		rmSync(files[kind]);
		symlinkSync(other.files[kind], files[kind]);
	}
	t.clock.advance(intervalMs);
	await warned.promise;
	expect(name(renewal)).toBe("second.parley.example");
});

test("files that do not match leave the last certificate in place, until they do", async () => {
	using t = new Renewal();
	const renewal = await t.open();
	const second = testCertificate("second");
	t.place.write({ cert: second.cert });
	await renewal.reload();
	expect(name(renewal)).toBe("first.parley.example");
	rmSync(t.place.files.cert);
	await renewal.reload();
	expect(name(renewal)).toBe("first.parley.example");
	expect(t.messages).toEqual([message, message]);
	t.place.write(second);
	await renewal.reload();
	expect(name(renewal)).toBe("second.parley.example");
	expect(t.messages).toEqual([message, message, renewed]);
});

test("simultaneous reloads run one after another", async () => {
	using t = new Renewal();
	const renewal = await t.open();
	const seen: string[] = [];
	renewal.onRenewed = async () => {
		seen.push(name(renewal));
	};
	t.place.write(testCertificate("second"));
	await Promise.all([renewal.reload(), renewal.reload()]);
	expect(seen).toEqual(["second.parley.example", "second.parley.example"]);
});

test.each([
	["expired", now, "warn: the certificate has expired: clients will refuse it; renew it"],
	[
		"first",
		Date.UTC(2019, 0, 1),
		"warn: the certificate is not valid yet: clients will refuse it; check the clock of this machine",
	],
] as const)("a certificate that is %s at its time is used with a warning", async (which, at, warning) => {
	using t = new Renewal(which);
	using renewal = {
		log: t.log,
		clock: new ManualClock(at),
		files: t.place.files,
		[Symbol.dispose]: () => {},
	};
	const opened = await TlsRenewal.open(renewal);
	opened.close();
	expect(t.messages).toEqual([warning]);
});

test("after the end the files are not checked", async () => {
	using t = new Renewal();
	const renewal = await t.open();
	renewal.close();
	expect(t.clock.pending).toBe(0);
});

test("files that are being read at the end are not used", async () => {
	using t = new Renewal();
	const renewal = await t.open();
	let warned = 0;
	renewal.onRenewed = async () => void warned++;
	t.place.write(testCertificate("second"));
	const reloaded = renewal.reload();
	renewal.close();
	await reloaded;
	expect([warned, name(renewal)]).toEqual([0, "first.parley.example"]);
});
