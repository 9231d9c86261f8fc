import { serveGateway } from "../measure/serve-gateway.ts";

/** The gateway with the provider `anthropic`, asking the server that the first argument names. */
const [, , url = ""] = process.argv;
await serveGateway({ flags: { provider: "anthropic", baseUrl: url, model: "bench" } });
