import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasBubblewrap } from "@parley/core/testing";
import { choosePort } from "../gateway-process.ts";
import { Watch } from "../watch.ts";
import { Program } from "./program.ts";

type Environment = Readonly<Record<string, string>>;

interface PlatformServer {
	readonly settings: object;
	close(): Promise<void>;
}

interface ShownChannel<Shown> {
	shows(): Shown[];
	last(): Shown;
	transcript(): string;
}

/** The real programs of Parley and a simulated chat platform, in a temporary directory. */
export class Machine implements AsyncDisposable {
	readonly watch = new Watch();
	readonly #platform: string;
	readonly #undo = new AsyncDisposableStack();
	readonly #programs: Program[] = [];
	#directory = "";
	#port = 0;

	constructor(platform: "discord" | "slack") {
		this.#platform = platform;
	}

	/**
	 * Creates the directory, and starts the platform with `serve`. The platform then calls `changed` after each change.
	 */
	async begin(serve: (changed: () => void) => Promise<PlatformServer>): Promise<void> {
		this.#directory = await realpath(await mkdtemp(join(tmpdir(), `parley-${this.#platform}-`)));
		this.#undo.defer(() => rm(this.#directory, { recursive: true, force: true }));
		this.#port = await choosePort();
		await mkdir(join(this.#directory, "root"));
		// A change is visible only after the request that caused the change is complete.
		const server = await serve(() => void setImmediate(() => this.watch.notify()));
		this.#undo.defer(() => server.close());
		this.#undo.defer(async () => {
			for (const program of this.#programs) program.kill("SIGKILL");
			await Promise.all(this.#programs.map(({ exited }) => exited));
		});
		const config = { [this.#platform]: server.settings };
		await writeFile(join(this.#directory, "parley.config.json"), JSON.stringify(config));
	}

	get data(): string {
		return join(this.#directory, "data");
	}

	/** Process id of the running connector. If no connector is running, process id of the last connector. */
	get connectorPid(): number {
		return Number(readFileSync(join(this.data, "connectors", this.#platform, "run", "lock.pid"), "utf8"));
	}

	/** Starts `parley` with these environment variables in addition to the required ones. */
	run(args: readonly string[], tokens: Environment = {}): Program {
		const environment = {
			HOME: this.#directory,
			NODE_COMPILE_CACHE: join(this.#directory, "compiled"),
			PARLEY_CONFIG: join(this.#directory, "parley.config.json"),
			// Commands of chat users require a sandbox or a container.
			PARLEY_SANDBOX: hasBubblewrap ? "required" : "container",
			...tokens,
		};
		const program = new Program([...args, "--data", this.data], environment, () => this.watch.notify());
		this.#programs.push(program);
		return program;
	}

	start(tokens: Environment): Program {
		const places = ["--listen", `127.0.0.1:${this.#port}`, "--root", join(this.#directory, "root")];
		return this.run(["start", ...places], tokens);
	}

	/** Runs `parley`. Resolves with its trimmed stdout. Rejects if the exit code is not 0 or stdout is empty. */
	async ask(...args: readonly string[]): Promise<string> {
		const program = this.run(args);
		const { code } = await program.exited;
		if (code !== 0)
			throw new Error(`parley ${args.join(" ")} ended with ${code}: ${program.lines.join("\n")}`);
		await this.watch.until(`parley ${args.join(" ")} has printed something`, () => program.stdout !== "");
		return program.stdout.trim();
	}

	/** Resolves with the newest message that contains the text. `read` returns the text of a message. */
	async find<Shown>(
		text: string,
		channel: ShownChannel<Shown>,
		read: (shown: Shown) => string,
	): Promise<Shown> {
		const find = (): Shown | undefined => channel.shows().findLast((shown) => read(shown).includes(text));
		await this.until(
			`"${text}" is to be read`,
			() => find() !== undefined,
			() => channel.transcript(),
		);
		return find() ?? channel.last();
	}

	/**
	 * Resolves when the condition is true. A timeout error contains the text from `seen`, and the last lines of all
	 * programs.
	 */
	async until(condition: string, isTrue: () => boolean, seen: () => string = () => ""): Promise<void> {
		await this.watch.until(condition, isTrue).catch((cause: unknown) => {
			const logged = this.#programs.flatMap(({ lines }) => lines.slice(-20));
			throw new Error([String(cause), seen(), ...logged].join("\n"), { cause });
		});
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#undo.disposeAsync();
	}
}

/** Removes the backslashes that escape punctuation. */
export function unescaped(text: string): string {
	return text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
}

export function runs(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
