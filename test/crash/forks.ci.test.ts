import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, parseJson } from "@parley/base";
import { paced } from "@parley/base/testing";
import { checkStoredTexts, migrations, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

/** A gateway that is killed and restarted with the same data. */
class Installation implements AsyncDisposable {
	readonly data: string;
	readonly #directory: string;
	readonly #port: number;
	#gateway: GatewayProcess | undefined;

	constructor(directory: string, port: number) {
		this.#directory = directory;
		this.data = join(directory, "data");
		this.#port = port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async start(hooks?: string): Promise<OzzieClient> {
		const root = join(this.#directory, "root");
		this.#gateway = new GatewayProcess({ port: this.#port, data: this.data, root, ...(hooks && { hooks }) });
		if (!(await this.#gateway.ready)) throw new Error(this.#gateway.stderr.join("\n"));
		return await OzzieClient.connect(this.url);
	}

	async killed(): Promise<NodeJS.Signals | null | undefined> {
		return (await this.#gateway?.exited)?.signal;
	}

	async kill(): Promise<void> {
		this.#gateway?.kill("SIGKILL");
		await this.#gateway?.exited;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
		await rm(this.#directory, { recursive: true, force: true });
	}
}

test.each(["fork-files", "fork"])(
	"a gateway that is killed at %s makes one complete fork for a repeated request",
	{ timeout: paced(patienceMs * 3) },
	async (point) => {
		const directory = await mkdtemp(join(tmpdir(), "parley-forks-"));
		await mkdir(join(directory, "root"));
		await using installation = new Installation(directory, await choosePort());
		const first = await installation.start(`${point}=kill@1`);
		const session_id = await first.open({ title: "Tides" });
		const stored = await fetch(`${installation.url}/api/files?name=a.txt`, { method: "POST", body: "x" });
		const { file_id } = Object(parseJson(await stored.text()));
		await first.call("send_message", { content: "say: hi", attachments: [file_id] });
		await first.event("assistant.message");
		const params = { session_id, key: "k" };
		first.send({ type: "req", id: "fork", method: "fork_session", params });
		expect(await installation.killed()).toBe("SIGKILL");

		const second = await installation.start();
		const fork = await second.call("fork_session", params);
		expect(fork).toMatchObject({ title: "Tides (fork)", at: 1 });
		await second.call("delete_session", { session_id });
		await second.open({ session_id: fork["session_id"] });
		await second.call("send_message", { content: "say: on" });
		await expect(second.event("assistant.message", { error: "" })).resolves.toMatchObject({
			payload: { content: "[offline] on" },
		});
		const { sessions } = await second.call("list_sessions", {});
		expect(sessions).toMatchObject([{ session_id: fork["session_id"] }]);
		await installation.kill();

		await (await installation.start()).call("list_sessions", {});
		await installation.kill();
		expect(await readdir(join(installation.data, "files"))).toHaveLength(1);
		const store = await openSqliteStore<Tables>({
			file: join(installation.data, "parley.sqlite"),
			migrations,
		});
		expect(await checkStoredTexts(store)).toMatchObject({ ok: true, unverified: 0 });
		await store.close();
	},
);
