import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasBubblewrap } from "@parley/core/testing";
import { choosePort } from "../gateway-process.ts";
import { Random, testSeed } from "../random.ts";
import { Watch } from "../watch.ts";
import { Program } from "./program.ts";

type Environment = Readonly<Record<string, string>>;

/** A platform over real sockets. */
interface PlatformServer {
	/** What the configuration of Parley says of it. */
	readonly settings: object;
	close(): Promise<void>;
}

/** What is shown in one place of a platform. */
interface ShownPlace<Shown> {
	shows(): Shown[];
	last(): Shown;
	transcript(): string;
}

/** One machine with the real programs of Parley on it, and a chat platform that they reach. */
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

	/** `serve` starts the platform, which calls what it is given whenever something has happened there. */
	async begin(serve: (changed: () => void) => Promise<PlatformServer>): Promise<void> {
		this.#directory = await realpath(await mkdtemp(join(tmpdir(), `parley-${this.#platform}-`)));
		this.#undo.defer(() => rm(this.#directory, { recursive: true, force: true }));
		this.#port = await choosePort(new Random(testSeed()));
		await mkdir(join(this.#directory, "root"));
		// What has happened shows a moment later.
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

	/** Of the connector that runs, or ran last. */
	get connectorPid(): number {
		return Number(readFileSync(join(this.data, "connectors", this.#platform, "run", "lock.pid"), "utf8"));
	}

	/** Runs `parley` here, with these variables besides what it needs. */
	run(args: readonly string[], tokens: Environment = {}): Program {
		const environment = {
			HOME: this.#directory,
			NODE_COMPILE_CACHE: join(this.#directory, "compiled"),
			PARLEY_CONFIG: join(this.#directory, "parley.config.json"),
			// For people of a chat something must confine commands.
			PARLEY_SANDBOX: hasBubblewrap ? "required" : "container",
			...tokens,
		};
		const program = new Program([...args, "--data", this.data], environment, () => this.watch.notify());
		this.#programs.push(program);
		return program;
	}

	/** `parley start`, as somebody starts it. */
	start(tokens: Environment): Program {
		const places = ["--listen", `127.0.0.1:${this.#port}`, "--root", join(this.#directory, "root")];
		return this.run(["start", ...places], tokens);
	}

	/** Runs `parley` to its end; resolves with what it printed. */
	async ask(...args: readonly string[]): Promise<string> {
		const program = this.run(args);
		const { code } = await program.exited;
		if (code !== 0)
			throw new Error(`parley ${args.join(" ")} ended with ${code}: ${program.lines.join("\n")}`);
		await this.watch.until(`parley ${args.join(" ")} has printed something`, () => program.said !== "");
		return program.said.trim();
	}

	/** Resolves with the newest message in a place that holds the text, as `read` reads it. */
	async find<Shown>(text: string, place: ShownPlace<Shown>, read: (shown: Shown) => string): Promise<Shown> {
		const find = (): Shown | undefined => place.shows().findLast((shown) => read(shown).includes(text));
		await this.until(
			`"${text}" is to be read`,
			() => find() !== undefined,
			() => place.transcript(),
		);
		return find() ?? place.last();
	}

	/** Resolves when it holds; `seen` is for who reads that it never did. */
	async until(what: string, holds: () => boolean, seen: () => string = () => ""): Promise<void> {
		await this.watch.until(what, holds).catch((cause: unknown) => {
			const told = this.#programs.flatMap(({ lines }) => lines.slice(-20));
			throw new Error([String(cause), seen(), ...told].join("\n"), { cause });
		});
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#undo.disposeAsync();
	}
}

/** The text without what escapes its marks, which nobody reads. */
export function unescaped(text: string): string {
	return text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
}

/** Whether a process of that id runs. */
export function runs(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		// There is none.
		return false;
	}
}
