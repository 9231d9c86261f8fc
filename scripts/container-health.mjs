// Health check of the container. It exits 0 if the gateway of the data directory is healthy, on any port, with or
// without TLS.

import { readFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { join } from "node:path";

// The gateway writes this file when it starts to listen.
const file = join(process.env["PARLEY_DATA"] ?? "/data", "run/gateway.json");
const { local, certificate } = JSON.parse(readFileSync(file, "utf8"));
const target = new URL("/api/health", local);
const get = target.protocol === "https:" ? getSecure : getPlain;
// Only the certificate of this gateway is accepted, for any host name.
const options = { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
get(target, options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on("error", (error) => {
	console.error(error.message);
	process.exit(1);
});
