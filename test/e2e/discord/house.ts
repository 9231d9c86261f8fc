import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasBubblewrap } from "@parley/core/testing";
import { choosePort } from "../../gateway-process.ts";
import { Random, testSeed } from "../../random.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Shown } from "../../simulators/discord/people/shown.ts";
import { DiscordServer } from "../../simulators/discord/server.ts";
import { World } from "../../simulators/discord/world/world.ts";
import { Watch } from "../../watch.ts";
import { Program } from "./program.ts";

/** One machine with the real programs of Parley on it, and a Discord that they reach over real sockets. */
export class House implements AsyncDisposable {
	readonly world = new World();
	readonly watch = new Watch();
	/** Requests that Discord got, by method and route, in order. */
	readonly requests: string[] = [];
	readonly #undo = new AsyncDisposableStack();
	readonly #programs: Program[] = [];
	#directory = "";
	#port = 0;

	static async open(): Promise<House> {
		const house = new House();
		await house.#open();
		return house;
	}

	get data(): string {
		return join(this.#directory, "data");
	}

	/** Of the connector that runs, or ran last. */
	get connectorPid(): number {
		return Number(readFileSync(join(this.data, "connectors", "discord", "run", "lock.pid"), "utf8"));
	}

	/** Runs `parley` here; with a token where it is about Discord. */
	run(args: readonly string[], { token }: { readonly token?: string } = {}): Program {
		const environment = {
			HOME: this.#directory,
			NODE_COMPILE_CACHE: join(this.#directory, "compiled"),
			PARLEY_CONFIG: join(this.#directory, "parley.config.json"),
			// For people of a chat something must confine commands.
			PARLEY_SANDBOX: hasBubblewrap ? "required" : "container",
			...(token !== undefined && { DISCORD_TOKEN: token }),
		};
		const program = new Program([...args, "--data", this.data], environment, () => this.watch.notify());
		this.#programs.push(program);
		return program;
	}

	/** `parley start`, as somebody starts it. */
	start(token?: string): Program {
		const places = ["--listen", `127.0.0.1:${this.#port}`, "--root", join(this.#directory, "root")];
		return this.run(["start", ...places], token === undefined ? {} : { token });
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

	/** Resolves with the newest message in a channel that holds the text. */
	async seen(text: string, channel: Channel): Promise<Shown> {
		const find = (): Shown | undefined => channel.shows().findLast((shown) => read(shown).includes(text));
		await this.#until(
			`"${text}" is to be read`,
			() => find() !== undefined,
			() => channel.transcript(),
		);
		return find() ?? channel.last();
	}

	/** Resolves when it holds. */
	until(what: string, holds: () => boolean): Promise<void> {
		return this.#until(what, holds, () => "");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#undo.disposeAsync();
	}

	async #until(what: string, holds: () => boolean, seen: () => string): Promise<void> {
		await this.watch.until(what, holds).catch((cause: unknown) => {
			const told = this.#programs.flatMap(({ lines }) => lines.slice(-20));
			throw new Error([String(cause), seen(), ...told].join("\n"), { cause });
		});
	}

	async #open(): Promise<void> {
		this.#directory = await realpath(await mkdtemp(join(tmpdir(), "parley-discord-")));
		this.#undo.defer(() => rm(this.#directory, { recursive: true, force: true }));
		this.#port = await choosePort(new Random(testSeed()));
		await mkdir(join(this.#directory, "root"));
		const { world, watch } = this;
		// What has happened shows a moment later.
		const notify = (): void => void setImmediate(() => watch.notify());
		world.state.listen(notify);
		world.network.each((label) => {
			this.requests.push(label);
			notify();
			return undefined;
		});
		const server = await DiscordServer.start(world);
		this.#undo.defer(() => server.close());
		this.#undo.defer(async () => {
			for (const program of this.#programs) program.kill("SIGKILL");
			await Promise.all(this.#programs.map(({ exited }) => exited));
		});
		const discord = { apiUrl: server.apiUrl, cdnUrl: server.cdnUrl };
		await writeFile(join(this.#directory, "parley.config.json"), JSON.stringify({ discord }));
	}
}

/** The text without what escapes its marks, which nobody reads. */
export function read({ text }: Shown): string {
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
