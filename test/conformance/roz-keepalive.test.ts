import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"roz",
	["roz.keepalive"],
	"a client gets a keepalive every 15 s while a turn runs, and none after it",
	async () => {
		const clock = new ManualClock();
		const model = new ScriptedModel([calls("c1", "list_files", { path: "." })], stuck("so"));
		await using gateway = await TestGateway.start({ clock, model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("dig");
		await stream.until("textDelta");
		const count = () => stream.frames.filter(({ kind }) => kind === "keepalive").length;
		clock.advance(14_999);
		expect(count()).toBe(0);
		clock.advance(1);
		const { tokensUsed, tokensMax } = await stream.until("keepalive");
		expect(tokensUsed).toBeGreaterThan(0);
		expect(tokensMax).toBeGreaterThan(Number(tokensUsed));
		clock.advance(15_000);
		await stream.until("keepalive");
		stream.send({ cancelTurn: { reason: "enough" } });
		await stream.until("turnComplete");
		clock.advance(60_000);
		stream.send({ ping: {} });
		await stream.until("pong");
		expect(count()).toBe(2);
	},
);
