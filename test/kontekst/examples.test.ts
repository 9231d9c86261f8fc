import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { ExamplesGateway, folder } from "./examples-gateway.ts";
import { testExample } from "./test-example.ts";

let gateway: ExamplesGateway;
beforeAll(async () => {
	gateway = await ExamplesGateway.start();
});
afterAll(() => gateway[Symbol.asyncDispose]());

testExample("ask.ts", () => ({ gateway, command: [process.execPath, join(folder, "ask.ts")] }));
