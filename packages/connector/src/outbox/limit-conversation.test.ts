import { expect, test } from "vitest";
import { limitConversation } from "./limit-conversation.ts";
import { DeliveryError } from "./surface.ts";

const surface = { scopes: () => ["general", "create"] };
const row = { conversation: "general", lane: "final" } as const;

function limited(scope: string): Promise<unknown> {
	return limitConversation(surface, row, async () => {
		throw new DeliveryError("wait", { kind: "rate-limited", limit: { scope, retryAfterMs: 5 } });
	});
}

test("a limit that the row counts towards stays what it is, and any other one is of its conversation", async () => {
	await expect(limited("create")).rejects.toMatchObject({ limit: { scope: "create", retryAfterMs: 5 } });
	await expect(limited("read")).rejects.toMatchObject({
		...{ message: "wait", kind: "rate-limited", limit: { scope: "general", retryAfterMs: 5 } },
	});
});

test("all else passes", async () => {
	expect(await limitConversation(surface, row, async () => 1)).toBe(1);
	const failing = limitConversation(surface, row, () => Promise.reject(new Error("no")));
	await expect(failing).rejects.toThrow("no");
});
