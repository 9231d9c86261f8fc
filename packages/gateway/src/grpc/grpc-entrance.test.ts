import { Socket } from "node:net";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { GrpcEntrance } from "./grpc-entrance.ts";
import type { GrpcServer } from "./grpc-server.ts";

test("a server that cannot be loaded ends its connection, and the next connection loads it again", async () => {
	const log = new MemoryLogger();
	const served: Socket[] = [];
	let loads = 0;
	const load = async (): Promise<GrpcServer> => {
		loads += 1;
		if (loads === 1) throw new Error("EMFILE: too many open files");
		// The cast is safe because the entrance uses only these members of a server.
		return { accept: (socket: Socket) => served.push(socket), calls: 3 } as unknown as GrpcServer;
	};
	const entrance = new GrpcEntrance(load, log);
	const [first, second, third] = [new Socket(), new Socket(), new Socket()];
	const closed = new Promise((resolve) => first.once("close", resolve));
	entrance.accept(first);
	await closed;
	expect(log.records).toMatchObject([
		{ level: "error", message: expect.stringContaining("the next connection tries again") },
	]);
	entrance.accept(second);
	entrance.accept(third);
	await expect.poll(() => served).toEqual([second, third]);
	expect([loads, entrance.clients]).toEqual([2, 3]);
});
