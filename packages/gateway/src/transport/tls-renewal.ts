import { stat } from "node:fs/promises";
import type { Clock, Logger, Timer } from "@parley/base";
import { loadTlsIdentity, type TlsFiles, type TlsIdentity } from "./tls-identity.ts";

/** Milliseconds between two checks for a renewed certificate. */
const intervalMs = 60_000;

export interface TlsRenewalOptions {
	readonly files: TlsFiles;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * TLS identity from two files, which are read again after a change. If the files are invalid, the previous identity
 * stays in use.
 */
export class TlsRenewal {
	/** Handles a new identity after it has replaced the previous one. */
	onRenewed: (() => Promise<void>) | undefined;
	readonly #options: TlsRenewalOptions;
	#current: TlsIdentity;
	/** State of the files before the last read. */
	#stamp: string;
	#timer: Timer | undefined;
	#work = Promise.resolve();
	#closed = false;

	private constructor(options: TlsRenewalOptions, current: TlsIdentity, stamp: string) {
		this.#options = options;
		this.#current = current;
		this.#stamp = stamp;
		this.#warnOfDates();
		this.#scheduleCheck();
	}

	/** Opens the identity. Rejects with `failed_precondition` if the files cannot be used. */
	static async open(options: TlsRenewalOptions): Promise<TlsRenewal> {
		const stamp = await stateOf(options.files);
		return new TlsRenewal(options, await loadTlsIdentity(options.files), stamp);
	}

	get current(): TlsIdentity {
		return this.#current;
	}

	/** Reads the files again, even if they have not changed. Never rejects, because errors are logged. */
	reload(): Promise<void> {
		this.#work = this.#work.then(() => this.#read());
		return this.#work;
	}

	close(): void {
		this.#closed = true;
		this.#timer?.cancel();
	}

	#scheduleCheck(): void {
		if (this.#closed) return;
		this.#timer = this.#options.clock.after(intervalMs, () => {
			void this.#check();
		});
	}

	async #check(): Promise<void> {
		if ((await stateOf(this.#options.files)) !== this.#stamp) await this.reload();
		this.#scheduleCheck();
	}

	async #read(): Promise<void> {
		const { files, log } = this.#options;
		// The state is determined before the read, so that the next check detects a change during the read.
		this.#stamp = await stateOf(files);
		try {
			const identity = await loadTlsIdentity(files);
			if (this.#closed) return;
			this.#current = identity;
			await this.onRenewed?.();
			log.info("the certificate was reloaded", { validTo: this.#current.validTo.toISOString() });
			this.#warnOfDates();
		} catch (error) {
			log.warn("the certificate could not be reloaded; the previous one stays in use", { error });
		}
	}

	#warnOfDates(): void {
		const { clock, log, files } = this.#options;
		const { validFrom, validTo } = this.#current;
		const now = clock.now();
		const fields = { file: files.cert, validFrom: validFrom.toISOString(), validTo: validTo.toISOString() };
		if (now > validTo.getTime())
			log.warn("the certificate has expired: clients will refuse it; renew it", fields);
		if (now < validFrom.getTime())
			log.warn(
				"the certificate is not valid yet: clients will refuse it; check the clock of this machine",
				fields,
			);
	}
}

/**
 * Returns a text that differs after a change of the files. Follows links, because renewal programs replace the links.
 */
async function stateOf({ cert, key }: TlsFiles): Promise<string> {
	const facts = [cert, key].map(async (file) => {
		const found = await stat(file, { bigint: true }).catch(() => undefined);
		return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ") : "none";
	});
	return (await Promise.all(facts)).join("\n");
}
