import { serveGateway } from "../measure/serve-gateway.ts";

/** The gateway with the provider `anthropic`, connected to the server in the first argument. */
const [, , url = ""] = process.argv;
await serveGateway({ flags: { provider: "anthropic", baseUrl: url, model: "bench" } });
