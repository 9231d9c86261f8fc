import { status } from "@grpc/grpc-js";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { as, discordConnector } from "./discord-connector.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"roz",
	["roz.chat-channel"],
	"a client continues the session of a chat channel, and can offer no tools there",
	async () => {
		await using discord = await discordConnector({ ada: "member" });
		const { gateway, connector } = discord;
		const session = await connector.open(as("ada"));
		const token = (await readOperatorToken(gateway.path("data"))) ?? "";
		const access = { token, headers: { "parley-session-id": session } };
		const look = { name: "look", description: "Looks" };

		await using stream = new RozStream(gateway.url, access);
		expect(await stream.start()).toMatchObject({ sessionId: session });
		stream.say("say: hello");
		await stream.until("turnComplete");
		expect(stream.text("textDelta")).toContain("hello");
		await connector.event("assistant.message", { content: "[offline] hello" });
		for (const frame of [
			{ registerTools: { source: "sim", tools: [look] } },
			{ userMessage: { content: "say: hello", tools: [look] } },
		]) {
			stream.send(frame);
			const { code, message } = await stream.until("error");
			expect(code).toBe("invalid_argument");
			expect(message).toContain("belongs to the channel discord:111:general");
		}
		stream.say("say: again");
		await stream.until("turnComplete");

		await using other = new RozStream(gateway.url, access);
		other.send({ start: { tools: [look] } });
		expect(await other.ended()).toMatchObject({ code: status.PERMISSION_DENIED });
		expect(other.frames).toEqual([]);
	},
);
