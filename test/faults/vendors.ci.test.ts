import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { only, streamed, ZotClient } from "../conformance/drivers/zot-client.ts";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";
import { type Vendor, vendors } from "../simulators/providers/vendors.ts";

/** A PNG of one pixel. */
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const route = fileURLToPath(new URL("../simulators/providers/route-fetch.ts", import.meta.url));

/** Starts an agent whose requests to the vendor's official URL go to the simulator. */
async function start(vendor: Vendor, service: FakeProvider): Promise<ZotClient> {
	const { name, origin, model, key, environment, flags = [], row } = vendor;
	const limits = { context_window: 100_000, max_output: 8_000, images: true };
	const client = await ZotClient.start({
		flags: ["--provider", name, "--model", model, "--reasoning", "max", ...flags],
		models: row ? [{ id: model, provider: name, sampling: true, ...limits, ...row }] : [],
		environment: {
			NODE_OPTIONS: `--import ${route}`,
			TEST_ROUTE: `${origin} ${new URL(service.url).origin}`,
			...environment,
			...(key === undefined ? {} : { [key]: service.apiKey }),
		},
	});
	await writeFile(client.path("work", "door.txt"), "It is green.");
	await writeFile(client.path("work", "window.png"), Buffer.from(png, "base64"));
	return client;
}

test.for(vendors.map((vendor) => [`${vendor.name} ${vendor.model}`, vendor] as const))(
	"%s works with a key and a name: calls, images, reasoning, usage and a refusal",
	async ([, vendor]) => {
		await using service = await FakeProvider.start(vendor.wire, { keyless: vendor.key === undefined });
		await using agent = await start(vendor, service);
		service.script(
			{
				content: [
					{ type: "thinking", thinking: "I should look." },
					{ type: "text", text: "Let me see." },
					{ type: "tool_use", id: "call_0", name: "read", input: { path: "door.txt" } },
					{ type: "tool_use", id: "call_1", name: "read", input: { path: "window.png" } },
				],
			},
			{ content: [{ type: "text", text: "Both are green." }] },
			{ content: [{ type: "text", text: "You are welcome." }] },
			{ status: 401 },
		);
		agent.send({ id: "1", type: "prompt", message: "Look at the door and the window" });
		const frames = await agent.turn();
		expect(streamed(frames)).toBe("Let me see.Both are green.");
		expect(only(frames, "tool_result")).toHaveLength(2);
		expect(only(frames, "usage").map(({ output }) => output)).toEqual(
			service.requests.map(({ counted }) => counted?.output),
		);
		agent.send({ id: "2", type: "prompt", message: "Thank you" });
		expect(streamed(await agent.turn())).toBe("You are welcome.");

		expect(service.takeViolations()).toEqual([]);
		const [first, second, third] = service.requests.map(({ body }) => JSON.stringify(body));
		expect(service.requests[0]?.url).toContain(service.wire.base);
		expect(first).toContain(vendor.wire.name === "google" ? "Look at the door" : `"model":"${vendor.model}"`);
		expect(second).toContain(png);
		expect(second).toMatch(vendor.returned ?? /^(?!.*I should look)/);
		expect(third).toContain("Thank you");
		expect(service.requests[0]?.headers).not.toHaveProperty("x-api-key");
		if (vendor.key === undefined) expect(service.requests[0]?.headers).not.toHaveProperty("authorization");

		agent.send({ id: "3", type: "prompt", message: "And the roof?" });
		const refused = JSON.stringify(await agent.turn());
		expect(refused).toMatch(/API key/);
		if (vendor.key !== undefined) expect(refused).toContain(vendor.key);
		expect(refused).not.toContain(service.apiKey);
		expect(await agent.end()).toEqual({ code: 0, signal: null });
	},
);
