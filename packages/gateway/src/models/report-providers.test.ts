import { expect, test } from "vitest";
import type { Config } from "../config/load.ts";
import { serveHttp } from "../testing/serve-http.ts";
import { reportProviders } from "./report-providers.ts";

const common = {
	listen: [],
	data: "/data",
	root: [],
	auth: "none",
	logLevel: "silent",
	allowedHosts: [],
} as const;

test("each provider is reported with its key's variable, the number of its models, or its problem, and never its key", async () => {
	await using good = await serveHttp((_, response) => response.end('{"data":[{"id":"a"},{"id":"b"}]}'));
	await using bad = await serveHttp((_, response) => response.writeHead(401).end());
	await using closed = await serveHttp(() => undefined);
	const unreachable = closed.baseUrl;
	await closed[Symbol.asyncDispose]();
	const server = (name: string, baseUrl: string) =>
		({ name, family: "compatible", baseUrl, isOfficial: false }) as const;
	const config: Config = {
		...common,
		provider: "one",
		connections: [
			{ ...server("one", good.baseUrl), apiKey: "secret-one", keyName: "ONE_KEY" },
			{ ...server("two", bad.baseUrl), apiKey: "secret-two", keyName: "TWO_KEY" },
			server("three", unreachable),
		],
	};
	const reports = await reportProviders(config);
	expect(reports).toEqual([
		{ name: "one", host: new URL(good.baseUrl).host, key: "ONE_KEY", keyFound: true, models: 2 },
		{
			...{ name: "two", host: new URL(bad.baseUrl).host, key: "TWO_KEY", keyFound: true },
			problem: `${bad.baseUrl}/models does not accept the key (401); check TWO_KEY`,
		},
		{
			...{ name: "three", host: new URL(unreachable).host, keyFound: false },
			problem: expect.stringContaining("connection refused"),
		},
	]);
	expect(JSON.stringify(reports)).not.toContain("secret-");
	expect(await reportProviders({ ...common, provider: "offline" })).toEqual([]);
});
