import { execFileSync } from "node:child_process";
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { effectsFile, gatePipe } from "./turns.ts";

/** The directories of one gateway. Counts the effects of tools in the files themselves, independent of the gateway. */
export class GatewayDirectories {
	readonly data: string;
	readonly root: string;
	/** Environment with a compile cache, which speeds up the many starts. */
	readonly environment: Readonly<Record<string, string>>;
	readonly #directory: string;
	readonly #gate: FileHandle;
	readonly #watcher: FSWatcher;

	private constructor(directory: string, gate: FileHandle, onChange: () => void) {
		this.#directory = directory;
		this.data = join(directory, "data");
		this.root = join(directory, "root");
		this.environment = { NODE_COMPILE_CACHE: join(directory, "compiled") };
		this.#gate = gate;
		this.#watcher = watch(this.root, onChange);
	}

	static async create(onChange: () => void): Promise<GatewayDirectories> {
		const directory = await mkdtemp(join(tmpdir(), "parley-crash-"));
		const root = join(directory, "root");
		await mkdir(root);
		await writeFile(join(root, effectsFile), "");
		execFileSync("mkfifo", [join(root, gatePipe)]);
		// Opened for reading and writing, so that opening does not wait for the other end: fifo(7).
		return new GatewayDirectories(directory, await open(join(root, gatePipe), "r+"), onChange);
	}

	async openGate(): Promise<void> {
		await this.#gate.write("\n");
	}

	/** Whether the command with this effect has written its line. */
	happened(effect: string): boolean {
		return readFileSync(join(this.root, effectsFile), "utf8").split("\n").includes(effect);
	}

	async effects(): Promise<Map<string, number>> {
		const lines = (await readFile(join(this.root, effectsFile), "utf8")).trim().split("\n");
		const counts = new Map([...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]));
		const files = (await readdir(this.root)).filter((name) => name.endsWith(".db"));
		for (const name of files) {
			const effect = name.slice(0, -".db".length);
			const content = await readFile(join(this.root, name), "utf8");
			// Unexpected content counts as a separate effect, which no message requested.
			counts.set(content === effect ? effect : `${name} holding ${JSON.stringify(content)}`, 1);
		}
		return counts;
	}

	async remove(): Promise<void> {
		this.#watcher.close();
		await this.#gate.close();
		await rm(this.#directory, { recursive: true });
	}
}
