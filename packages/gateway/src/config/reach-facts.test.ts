import { expect, test } from "vitest";
import type { Config } from "./load.ts";
import { reachOf } from "./reach-facts.ts";

const here = [
	{ host: "127.0.0.1", port: 1 },
	{ host: "localhost", port: 2 },
];
const everywhere = [...here, { host: "0.0.0.0", port: 3 }];
const tls = { cert: "c", key: "k" };

function reach(config: Partial<Config>) {
	return reachOf({
		listen: here,
		data: "",
		root: [],
		provider: "offline",
		providerReason: "configured",
		auth: "local",
		logLevel: "info",
		allowedHosts: [],
		...config,
	});
}

test.each<[Partial<Config>, boolean]>([
	[{}, true],
	[{ tls }, true],
	[{ insecureLan: true }, true],
	[{ auth: "token" }, false],
	[{ auth: "none" }, false],
	[{ listen: everywhere }, false],
	[{ publicUrl: "https://a.test" }, false],
	[{ trustedProxies: ["10.0.0.1"] }, false],
])("with %j programs of this user are trusted without a token: %s", (config, localTrust) => {
	expect(reach(config).localTrust).toBe(localTrust);
});

test.each<[Partial<Config>, boolean]>([
	[{ listen: everywhere, insecureLan: true }, true],
	[{ listen: everywhere, insecureLan: true, trustedProxies: ["10.0.0.1"] }, true],
	[{ listen: everywhere, insecureLan: true, tls }, false],
	[{ listen: everywhere, trustedProxies: ["10.0.0.1"] }, false],
	[{ insecureLan: true }, false],
])("with %j other clients connect without TLS and proxy: %s", (config, insecureLan) => {
	expect(reach(config).insecureLan).toBe(insecureLan);
});
