import { expect } from "vitest";
import * as z from "zod";
import { as, discordPlace } from "./discord-place.ts";
import type { OzzieClient } from "./drivers/ozzie-client.ts";
import { verifiesOn } from "./verifies.ts";

const List = z.object({ memories: z.array(z.looseObject({ memory_id: z.string(), content: z.string() })) });

async function texts(client: OzzieClient, method: string, params: object = {}): Promise<string[]> {
	return List.parse(await client.call(method, params)).memories.map(({ content }) => content);
}

verifiesOn(
	"ozzie",
	["memory.store", "memory.query", "memory.scope", "memory.forget"],
	"people store, find and delete their own notes, and never read those of others",
	async () => {
		await using place = await discordPlace({ ann: "member", bob: "member", cy: "approver" });
		const { operator, connector } = place;
		const ann = as("ann");
		const stored = await connector.call("store_memory", { content: "東京に住む", tags: ["home"], ...ann });
		expect(stored).toMatchObject({
			...{ scope: "user", subject: "discord:111:ann", author: "discord:111:ann" },
			...{ content: "東京に住む", tags: ["home"], taint: "U" },
		});
		const channel = { scope: "channel", content: 'Deploy on "Friday"' };
		expect(await connector.call("store_memory", { ...channel, ...ann })).toMatchObject({
			subject: "discord:111:general",
		});
		const everyone = { scope: "everyone", content: "The office opens at nine" };
		expect(await connector.refusal("store_memory", { ...everyone, ...ann })).toMatch(/^forbidden: /);
		const shared = await operator.call("store_memory", { ...everyone, key: "k" });
		expect(shared).toMatchObject({ author: "operator", taint: "" });
		expect(shared).not.toHaveProperty("subject");
		expect(await operator.call("store_memory", { ...everyone, key: "k" })).toEqual(shared);
		expect(await operator.refusal("store_memory", { content: " " })).toBe("invalid params: content: blank");

		expect(await texts(connector, "query_memories", { query: "東京", ...ann })).toEqual(["東京に住む"]);
		expect(await texts(connector, "query_memories", { query: '"friday"?', ...ann })).toEqual([
			channel.content,
		]);
		expect(await texts(connector, "list_memories", ann)).toEqual([
			everyone.content,
			channel.content,
			"東京に住む",
		]);
		expect(await texts(connector, "list_memories", as("bob"))).toEqual([everyone.content, channel.content]);
		expect(await texts(connector, "list_memories", as("bob", "other"))).toEqual([everyone.content]);
		expect(await texts(connector, "list_memories", { ...as("bob"), scope: "user" })).toEqual([]);
		expect(await connector.refusal("list_memories", {})).toMatch(/^forbidden: /);
		const ofAnn = { person: "discord:111:ann" };
		expect(await connector.refusal("list_memories", { ...ofAnn, ...as("bob") })).toMatch(/^forbidden: /);
		expect(await texts(operator, "list_memories", ofAnn)).toEqual([channel.content, "東京に住む"]);
		expect(await texts(operator, "list_memories", { limit: 1 })).toEqual([everyone.content]);

		const id = String(stored["memory_id"]);
		expect(await connector.refusal("forget_memory", { memory_id: id, ...as("bob") })).toContain("not found");
		expect(await connector.refusal("forget_memory", ann)).toContain("give the id of a memory");
		expect(await connector.call("forget_memory", { memory_id: id, ...ann })).toEqual({
			...{ status: "forgotten", forgotten: 1 },
		});
		expect(await connector.call("forget_memory", { person: "me", ...ann })).toEqual({
			...{ status: "forgotten", forgotten: 1 },
		});
		expect(await texts(operator, "list_memories")).toEqual([everyone.content]);
	},
);
