import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson, silentLogger } from "@parley/base";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { superviseConnectors } from "./supervise-connectors.ts";

const secrets = {
	ANTHROPIC_API_KEY: "model key",
	OPENAI_API_KEY: "model key",
	OPENROUTER_API_KEY: "model key",
	PARLEY_API_KEY: "model key",
	PARLEY_SECRET_KEY: "key of stored passwords",
	PARLEY_TOKEN: "operator token",
	AWS_SECRET_ACCESS_KEY: "another service",
	LD_PRELOAD: "",
	NODE_OPTIONS: "--no-warnings",
};
const tokens = {
	DISCORD_TOKEN: "discord token",
	SLACK_BOT_TOKEN: "slack token",
	SLACK_APP_TOKEN: "slack app token",
};

test("gives a connector the tokens of its platform, and no key of a model", async () => {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-connectors-")));
	const script = join(directory, "connector.mjs");
	await writeFile(
		script,
		`import { writeFileSync, renameSync } from "node:fs";
		const path = import.meta.dirname + "/" + process.argv[2];
		writeFileSync(path + ".part", JSON.stringify(process.env));
		renameSync(path + ".part", path + ".json");
		process.stdin.resume().on("end", () => process.exit(0));`,
	);
	const environment = { PATH: process.env["PATH"], HOME: directory, ...secrets, ...tokens };
	const [, own] = process.argv;
	process.argv[1] = script;
	const connectors = superviseConnectors(
		{ data: directory, logLevel: "silent" },
		{ flags: {}, io: new CapturedIo(environment), log: silentLogger, onLine: () => undefined },
	);
	try {
		const names = ["discord", "slack"];
		expect(connectors.names).toEqual(names);
		await expect
			.poll(async () => (await readdir(directory)).filter((name) => name.endsWith(".json")), {
				timeout: paced(5_000),
			})
			.toHaveLength(2);
		const [discord, slack] = await Promise.all(
			names.map(async (name) => parseJson(await readFile(join(directory, `${name}.json`), "utf8"))),
		);
		const shared = { PATH: environment.PATH, HOME: directory };
		expect(discord).toEqual({ ...shared, DISCORD_TOKEN: "discord token" });
		const { DISCORD_TOKEN: _, ...slackTokens } = tokens;
		expect(slack).toEqual({ ...shared, ...slackTokens });
	} finally {
		await connectors.stop();
		process.argv[1] = own ?? "";
		await rm(directory, { recursive: true });
	}
});
