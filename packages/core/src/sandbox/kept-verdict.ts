import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { release } from "node:os";
import { dirname } from "node:path";
import type { Bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { type Probe, probes } from "./probes.ts";

/** Maximum of verdicts in one file, which programs with different environments share. */
const MAX_KEPT = 16;
const MAX_BYTES = 16 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** A line of the file: the key of the circumstances, and the number of probes. */
const line = /^([0-9a-f]{64}) ([1-9][0-9]{0,3})$/;

interface Verdict {
	readonly key: string;
	readonly probes: number;
}

/** The circumstances under which the probes were tried. */
interface Circumstances extends Pick<Bubblewrap, "program" | "version"> {
	/** Version of the gateway, whose code builds the sandbox. */
	readonly build: string;
	/** See `Sandbox.profile`. */
	readonly profile: string;
	/** Arguments and filter with which the code of this version starts a command, as `sampleOf` of the sandbox. */
	readonly sample: string;
	readonly system: TriedSystem;
}

interface TriedSystem {
	/** Identifier that the kernel makes at each boot: random(4). */
	readonly boot: string;
	/** Numeric user of the gateway. */
	readonly user: number | undefined;
}

/**
 * File that says under which circumstances all probes held, so that the next process does not try them again. It never
 * allows a command to run without a sandbox: commands start in bubblewrap or not at all. A file that another user can
 * write counts as absent.
 */
export class KeptVerdict {
	readonly #path: string;

	/** The directory of an absolute path is created, with mode 0700, when there is a verdict to keep. */
	constructor(path: string) {
		this.#path = path;
	}

	/** Number of probes that held under this key; undefined if they were not tried. */
	async find(key: string): Promise<number | undefined> {
		const kept = await this.#read();
		return kept.find((one) => one.key === key)?.probes;
	}

	async add(key: string, count: number): Promise<void> {
		const others = (await this.#read()).filter((one) => one.key !== key);
		await this.#write([{ key, probes: count }, ...others].slice(0, MAX_KEPT));
	}

	/** Deletes all verdicts. None is valid after a sandbox failed to start. */
	async clear(): Promise<void> {
		await rm(this.#path, { force: true });
	}

	async #read(): Promise<Verdict[]> {
		try {
			if (!isPrivate(await stat(dirname(this.#path)))) return [];
			await using file = await open(
				this.#path,
				constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
			);
			return await readVerdicts(file);
		} catch {
			// Without a readable verdict the probes are tried.
			return [];
		}
	}

	async #write(verdicts: readonly Verdict[]): Promise<void> {
		await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
		const draft = `${this.#path}.${randomBytes(6).toString("hex")}`;
		try {
			await using file = await open(draft, "wx", 0o600);
			await file.writeFile(verdicts.map(({ key, probes: count }) => `${key} ${count}\n`).join(""));
		} catch (reason) {
			await rm(draft, { force: true });
			throw reason;
		}
		await rename(draft, this.#path);
	}
}

async function readVerdicts(file: FileHandle): Promise<Verdict[]> {
	const stats = await file.stat();
	if (!stats.isFile() || !isPrivate(stats) || stats.size > MAX_BYTES) return [];
	const matches = (await file.readFile("utf8")).split("\n").map((text) => line.exec(text));
	return matches.flatMap((match) => (match?.[1] ? [{ key: match[1], probes: Number(match[2]) }] : []));
}

function isPrivate({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
	return uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0;
}

/** This boot of the system and the user of this process. Rejects if the boot cannot be read. */
export async function thisSystem(): Promise<TriedSystem> {
	return { boot: await readFile("/proc/sys/kernel/random/boot_id", "utf8"), user: process.getuid?.() };
}

/** Name of these circumstances. Rejects if the program cannot be read. */
export async function keyOf(circumstances: Circumstances): Promise<string> {
	const { program, version, build, profile, sample, system } = circumstances;
	const { dev, ino, size, mtimeNs, ctimeNs } = await stat(program, { bigint: true });
	const binary = [program, version, dev, ino, size, mtimeNs, ctimeNs].map(String);
	const tried: readonly Probe[] = probes;
	const all = [system.boot, release(), system.user, binary, build, profile, sample, tried];
	return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}
