import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import type { Sandbox } from "../vocabulary/sandbox.ts";
import { ifThere } from "./bubblewrap/if-there.ts";
import { MARK_NAME } from "./marked-processes.ts";
import { type Probe, type ProbeFacts, probeScript, probes, ROOT_SOCKET } from "./probes.ts";

const TIMEOUT_MS = 20_000;

/** Listeners outside the sandbox while the probes run: at a loopback port, at a socket file, and at an abstract name. */
export interface ProbeListeners extends AsyncDisposable {
	readonly port: number;
	readonly socket: string;
}

/** Facts without listeners. The probes cannot reach any. */
const nobody: Pick<ProbeListeners, "port" | "socket"> = { port: 0, socket: "nobody" };

interface Tested {
	/** Makes the sandbox of a directory as for a session. */
	readonly sandboxOf: (root: string) => Sandbox;
	/** Minor version of bubblewrap 0.x. */
	readonly minor: number;
	/** Directories that no command may see. */
	readonly hidden: readonly string[];
	/** The names of variables that commands get. */
	readonly variables: readonly string[];
	readonly listen?: (file: string) => Promise<ProbeListeners>;
	/** Whether commands may use Unix sockets. */
	readonly unixSockets: boolean;
}

/**
 * Tries every way out from within the real profile and resolves with their number. Rejects with `failed_precondition`
 * and the names of ways that lead out, or with the reason why no command runs there.
 */
export async function testSandbox(tested: Tested): Promise<number> {
	const isPromised = ({ since = 0, unixSockets = false }: Probe): boolean =>
		tested.minor >= since && !(unixSockets && tested.unixSockets);
	const tried = probes.filter(isPromised);
	const { output, beside } = await inProbeGround(tested, (ground) => tryAll(tried, tested, ground));
	const lines = new Set(output.split("\n"));
	const out = tried.filter(({ name }) => lines.has(`escaped ${name}`)).map(({ name }) => name);
	const unknown = tried.filter(({ name }) => !lines.has(`held ${name}`)).map(({ name }) => name);
	if (out.length > 0) throw failed(`a command can get out of the sandbox: ${out.join(", ")}`);
	if (beside) throw failed("a command can get out of the sandbox: write-beside");
	if (unknown.length > 0) throw failed(`the sandbox could not be tried: ${unknown[0]} said nothing`);
	return tried.length;
}

interface Ground {
	readonly root: string;
	readonly facts: ProbeFacts;
}

async function tryAll(tried: readonly Probe[], { sandboxOf }: Tested, { root, facts }: Ground) {
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

/** Makes a root with a repository, a directory with a canary beside it, and listeners, until the work is done. */
async function inProbeGround<T>(tested: Tested, work: (ground: Ground) => Promise<T>): Promise<T> {
	await using undo = new AsyncDisposableStack();
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-sandbox-")));
	undo.defer(() => rm(directory, { recursive: true, force: true }));
	const [root, beside] = [join(directory, "root"), join(directory, "beside")];
	await mkdir(join(root, ".git/hooks"), { recursive: true });
	await mkdir(beside);
	await writeFile(join(root, ".git/config"), "");
	await writeFile(join(beside, "canary"), "canary\n");
	const listening = tested.listen && undo.use(await tested.listen(join(root, ROOT_SOCKET)));
	const { port, socket } = listening ?? nobody;
	const facts: ProbeFacts = {
		...{ beside, data: tested.hidden.find(existsSync) ?? beside, system: "/usr", devices: "/dev" },
		...{ port, socket, pid: process.pid, ...(await ownFacts()) },
		variables: [...tested.variables, MARK_NAME, "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"],
	};
	return await work({ root, facts });
}

/** Facts about this process that a sandbox would show if its /proc were that of the host. */
async function ownFacts(): Promise<Pick<ProbeFacts, "started" | "namespaces">> {
	const line = await readFile("/proc/self/stat", "utf8");
	const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
	const names = ["pid", "net", "ipc", "mnt", "uts", "user"];
	const namespaces = await Promise.all(names.map((name) => ifThere(readlink(`/proc/self/ns/${name}`))));
	return { started: fields[19] ?? "", namespaces: namespaces.filter((one) => one !== undefined) };
}

function failed(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
