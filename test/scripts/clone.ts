import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const copied = ["packages", "scripts", "pnpm-lock.yaml", "package.json"];
/** Modification time of written files. A time in whole seconds is stored without rounding. */
const someTime = new Date(1_700_000_000_000);

export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** The current sources in a new directory without a bundle, with the installed packages of the repository. */
export class Clone implements AsyncDisposable {
	readonly root = mkdtempSync(join(tmpdir(), "parley-clone-"));
	readonly dist = join(this.root, "packages/cli/dist");

	#gateway: ChildProcessByStdio<null, Readable, Readable> | undefined;

	constructor() {
		const generated = /[/\\](?:dist|\.cache)$/;
		for (const name of copied) {
			cpSync(join(repository, name), join(this.root, name), {
				recursive: true,
				verbatimSymlinks: true,
				filter: (path) => !generated.test(path),
			});
		}
		symlinkSync(join(repository, "node_modules"), join(this.root, "node_modules"));
	}

	/** Writes a file, always with the same modification time. */
	write(path: string, content: string): void {
		const file = join(this.root, path);
		writeFileSync(file, content);
		utimesSync(file, someTime, someTime);
	}

	remove(path: string): void {
		rmSync(join(this.root, path), { recursive: true, force: true });
	}

	/** Runs the build step of `npm run build`, without its installation step. */
	build(): Promise<Ended> {
		const program = `import { build } from "./scripts/build.mjs"; process.exitCode = (await build()) ? 0 : 1;`;
		return this.#node(["--input-type=module", "--eval", program]);
	}

	parley(...args: readonly string[]): Promise<Ended> {
		return this.#node(["packages/cli/bin/parley.mjs", ...args]);
	}

	/** Returns the names of all bundle directories, including incomplete ones. */
	bundles(): string[] {
		return readdirSync(this.dist);
	}

	/** Starts a gateway with a new data directory and the root directory `root`. Disposal of the clone stops it. */
	async startGateway(root: string): Promise<void> {
		const flags = ["--listen", "127.0.0.1:0", "--data", join(this.root, "data"), "--root", root];
		const gateway = this.#start(["packages/cli/bin/parley.mjs", "gateway", ...flags, "--log-level", "error"]);
		gateway.stderr.pipe(process.stderr);
		this.#gateway = gateway;
		await once(gateway.stdout, "data");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#gateway) {
			const exited = once(this.#gateway, "exit");
			this.#gateway.kill();
			await exited;
		}
		rmSync(this.root, { recursive: true });
	}

	async #node(args: readonly string[]): Promise<Ended> {
		const child = this.#start(args);
		const [[code], stdout, stderr] = await Promise.all([
			once(child, "close"),
			text(child.stdout),
			text(child.stderr),
		]);
		return { code, stdout, stderr };
	}

	#start(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
		return spawn(process.execPath, args, {
			cwd: this.root,
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], HOME: this.root, PARLEY_DATA: join(this.root, "data") },
		});
	}
}
