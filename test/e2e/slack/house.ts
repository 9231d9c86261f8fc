import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandTable } from "@parley/connector";
import { hasBubblewrap } from "@parley/core/testing";
import { manifestOf } from "@parley/slack";
import { choosePort } from "../../gateway-process.ts";
import { Random, testSeed } from "../../random.ts";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Shown } from "../../simulators/slack/people/shown.ts";
import { SlackServer } from "../../simulators/slack/server.ts";
import { defaultSettings } from "../../simulators/slack/world/settings.ts";
import { World } from "../../simulators/slack/world/world.ts";
import { Watch } from "../../watch.ts";
import { Program } from "../discord/program.ts";

/** Of sockets more than one a minute may be opened: "a small amount of burst behavior is tolerated". What takes minutes takes seconds. */
const settings = { tiers: { ...defaultSettings.tiers, 1: 100 }, retriesMs: [0, 6_000, 12_000] };

/** One machine with the real programs of Parley on it, and a Slack that they reach over real sockets. */
export class House implements AsyncDisposable {
	readonly world = new World({ settings, manifest: manifestOf({ shapes: commandTable }) });
	readonly watch = new Watch();
	readonly #undo = new AsyncDisposableStack();
	readonly #programs: Program[] = [];
	#server: SlackServer | undefined;
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
		return Number(readFileSync(join(this.data, "connectors", "slack", "run", "lock.pid"), "utf8"));
	}

	get server(): SlackServer {
		if (this.#server === undefined) throw new Error("the house is not open");
		return this.#server;
	}

	/** Runs `parley` here, with these variables besides what it needs. */
	run(args: readonly string[], tokens: Readonly<Record<string, string>> = {}): Program {
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
	start(tokens: Readonly<Record<string, string>> = this.tokens): Program {
		const places = ["--listen", `127.0.0.1:${this.#port}`, "--root", join(this.#directory, "root")];
		return this.run(["start", ...places], tokens);
	}

	/** What `parley slack` needs of the environment to use sockets. */
	get tokens(): Record<string, string> {
		return { SLACK_BOT_TOKEN: this.world.token, SLACK_APP_TOKEN: this.world.appToken };
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

	/** Resolves when the newest message there can be approved. */
	approvable(channel: Channel): Promise<void> {
		const buttons = (): readonly string[] => channel.shows().at(-1)?.buttons ?? [];
		return this.until("it can be approved", () => buttons().includes("Approve once"));
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
		this.#directory = await realpath(await mkdtemp(join(tmpdir(), "parley-slack-")));
		this.#undo.defer(() => rm(this.#directory, { recursive: true, force: true }));
		this.#port = await choosePort(new Random(testSeed()));
		await mkdir(join(this.#directory, "root"));
		const { world, watch } = this;
		// What has happened shows a moment later.
		const notify = (): void => void setImmediate(() => watch.notify());
		world.state.listen(notify);
		const server = await SlackServer.start(world);
		this.#server = server;
		server.listen(notify);
		this.#undo.defer(() => server.close());
		this.#undo.defer(async () => {
			for (const program of this.#programs) program.kill("SIGKILL");
			await Promise.all(this.#programs.map(({ exited }) => exited));
		});
		const slack = { apiUrl: server.apiUrl };
		await writeFile(join(this.#directory, "parley.config.json"), JSON.stringify({ slack }));
	}
}

/** The text without what escapes its marks and what ends its lines, which nobody reads. */
export function read({ text }: Shown): string {
	return text.replace(/\\(?=[!-/:-@[-`{-~])/g, "").replace(/[ \\]+$/gm, "");
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
