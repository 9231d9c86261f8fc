import { createHash, randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import {
	type FileHandle,
	mkdir,
	mkdtemp,
	open,
	readFile,
	readlink,
	realpath,
	rename,
	rm,
	stat,
	writeFile,
} from "node:fs/promises";
import { release, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ParleyError } from "@parley/base";
import { ifThere } from "../filesystem/file-error.ts";
import type { Sandbox } from "../vocabulary/sandbox.ts";
import type { Bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { MARK_NAME } from "./commands/process-group.ts";
import { type Probe, type ProbeFacts, probeScript, probes, ROOT_SOCKET } from "./probes.ts";
import { sandboxTexts } from "./texts.ts";

const TIMEOUT_MS = 20_000;

/** Listeners outside the sandbox while the probes run: at a loopback port, at a socket file, and at an abstract name. */
export interface ProbeListeners extends AsyncDisposable {
	readonly port: number;
	readonly socket: string;
}

/** Port and socket name for a check without listeners. No listener uses the port or the name. */
const noListeners = { port: 0, socket: "nobody" };

interface Tested {
	/** Creates a sandbox with the root `root`, as for a session of the operator, but without access to hosts. */
	readonly sandboxOf: (root: string) => Sandbox;
	/** Minor version of bubblewrap (0.x), or infinity from version 1.0 on. */
	readonly minor: number;
	readonly hidden: readonly string[];
	readonly variables: readonly string[];
	readonly listen?: (file: string) => Promise<ProbeListeners>;
	readonly unixSockets: boolean;
}

/**
 * Tries to escape from a sandbox. Runs the probes that the installed version of bubblewrap and the configuration must
 * prevent. Resolves with the number of these probes. Rejects with `failed_precondition` if an escape succeeds, or if a
 * probe prints nothing. Also rejects if the sandbox cannot start.
 */
export async function testSandbox(tested: Tested): Promise<number> {
	const isPromised = ({ since = 0, unixSockets = false }: Probe): boolean =>
		tested.minor >= since && !(unixSockets && tested.unixSockets);
	const tried = probes.filter(isPromised);
	const { output, beside } = await inProbeRoot(tested, (probeRoot) => tryAll(tried, tested, probeRoot));
	const lines = new Set(output.split("\n"));
	const out = tried.filter(({ name }) => lines.has(`escaped ${name}`)).map(({ name }) => name);
	const unknown = tried.filter(({ name }) => !lines.has(`held ${name}`)).map(({ name }) => name);
	if (out.length > 0) throw failed(sandboxTexts.escapes(out));
	if (beside) throw failed(sandboxTexts.escapes(["write-beside"]));
	if (unknown.length > 0) throw failed(sandboxTexts.untested(unknown[0]));
	return tried.length;
}

interface ProbeRoot {
	readonly root: string;
	readonly facts: ProbeFacts;
}

async function tryAll(tried: readonly Probe[], { sandboxOf }: Tested, { root, facts }: ProbeRoot) {
	const { output } = await sandboxOf(root).run({
		executable: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
		args: ["-c", probeScript(tried, facts)],
		cwd: root,
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 16 * 1024,
		signal: new AbortController().signal,
	});
	return { output, beside: existsSync(join(facts.beside, "written")) };
}

/** Runs `work` in a temporary root. Then removes the root, the directory beside the root, and the listeners. */
async function inProbeRoot<T>(tested: Tested, work: (probeRoot: ProbeRoot) => Promise<T>): Promise<T> {
	await using undo = new AsyncDisposableStack();
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-sandbox-")));
	undo.defer(() => rm(directory, { recursive: true, force: true }));
	const [root, beside] = [join(directory, "root"), join(directory, "beside")];
	await mkdir(join(root, ".git/hooks"), { recursive: true });
	await mkdir(beside);
	await writeFile(join(root, ".git/config"), "");
	await writeFile(join(beside, "canary"), "canary\n");
	const listening = tested.listen && undo.use(await tested.listen(join(root, ROOT_SOCKET)));
	const { port, socket } = listening ?? noListeners;
	const facts: ProbeFacts = {
		beside,
		data: tested.hidden.find(existsSync) ?? beside,
		system: "/usr",
		devices: "/dev",
		port,
		socket,
		pid: process.pid,
		...(await ownFacts()),
		variables: [...tested.variables, MARK_NAME, "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"],
	};
	return await work({ root, facts });
}

interface ProbeFactsOfGateway {
	readonly started: ProbeFacts["started"];
	readonly namespaces: ProbeFacts["namespaces"];
}

/** Returns facts about the gateway's process. The facts must not appear in the sandbox. */
async function ownFacts(): Promise<ProbeFactsOfGateway> {
	const line = await readFile("/proc/self/stat", "utf8");
	const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
	const names = ["pid", "net", "ipc", "mnt", "uts", "user"];
	const namespaces = await Promise.all(names.map((name) => ifThere(readlink(`/proc/self/ns/${name}`))));
	return { started: fields[19] ?? "", namespaces: namespaces.filter((one) => one !== undefined) };
}

function failed(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}

/** Maximum verdicts in one file. Gateways with different environments share the file. */
const MAX_VERDICTS = 16;
const MAX_BYTES = 16 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/** Pattern of a line in the file of verdicts: the key of the circumstances, and the number of probes. */
const line = /^([0-9a-f]{64}) ([1-9][0-9]{0,3})$/;

interface Verdict {
	readonly key: string;
	readonly probes: number;
}

interface Circumstances {
	/** Absolute path of bubblewrap. */
	readonly program: string;
	readonly version: Bubblewrap["version"];
	/** Version of the gateway, because the code of the gateway builds the sandbox. */
	readonly build: string;
	/** See `Sandbox.profile`. */
	readonly profile: string;
	/** Arguments and filter with which the gateway would start a sample command (see `sampleOf`). */
	readonly sample: string;
	readonly system: TriedSystem;
}

interface TriedSystem {
	/** Identifier that the kernel creates at each boot: random(4). */
	readonly boot: string;
	/** Numeric id of the gateway's user. */
	readonly user: number | undefined;
}

/**
 * File with keys of circumstances. Under these circumstances, all probes failed to escape, so the next process of the
 * gateway does not repeat the probes. The file never causes a command to run without a sandbox. If another user owns
 * the file or its directory, or can write to the file or the directory, the file is treated as absent.
 */
export class StoredVerdict {
	/**
	 * Absolute path of the file. The directory of the file is created with mode 0700 before the first result is stored.
	 */
	readonly #path: string;

	constructor(path: string) {
		this.#path = path;
	}

	/**
	 * Resolves with the number of probes that failed to escape under the circumstances with the key `key`. Resolves with
	 * undefined if no valid result is stored.
	 */
	async find(key: string): Promise<number | undefined> {
		const stored = await this.#read();
		return stored.find((one) => one.key === key)?.probes;
	}

	async add(key: string, count: number): Promise<void> {
		const others = (await this.#read()).filter((one) => one.key !== key);
		await this.#write([{ key, probes: count }, ...others].slice(0, MAX_VERDICTS));
	}

	/** Deletes all verdicts. After a failed start of a sandbox, no verdict is valid. */
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
			// Without a readable verdict, the probes run again.
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

/** Resolves with the id of the current boot and the user of this process. Rejects if the boot id cannot be read. */
export async function thisSystem(): Promise<TriedSystem> {
	return { boot: await readFile("/proc/sys/kernel/random/boot_id", "utf8"), user: process.getuid?.() };
}

/** Resolves with the key of the circumstances. Rejects if the program file of bubblewrap cannot be inspected. */
export async function keyOf(circumstances: Circumstances): Promise<string> {
	const { program, version, build, profile, sample, system } = circumstances;
	const { dev, ino, size, mtimeNs, ctimeNs } = await stat(program, { bigint: true });
	const binary = [program, version, dev, ino, size, mtimeNs, ctimeNs].map(String);
	const tried: readonly Probe[] = probes;
	const all = [system.boot, release(), system.user, binary, build, profile, sample, tried];
	return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}
