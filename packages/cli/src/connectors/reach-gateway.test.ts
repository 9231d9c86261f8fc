import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setImmediate as tick } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { checkReady, reachGateway } from "./reach-gateway.ts";

const away = new ParleyError("no gateway answers", { code: "unavailable" });

test("retries after 1, 2, 4, 8 and then every 15 seconds until the gateway answers", async () => {
	const clock = new ManualClock();
	const [tries, messages]: [number[], string[]] = [[], []];
	const began = clock.now();
	const reached = reachGateway(
		async () => {
			tries.push((clock.now() - began) / 1000);
			if (tries.length < 7) throw away;
			return "there";
		},
		{ clock, stopRequest: new Promise(() => undefined), onWait: async (why) => void messages.push(why) },
	);
	for (let second = 0; second < 60; second++) {
		await tick();
		clock.advance(1_000);
	}
	expect(await reached).toEqual({ reached: "there" });
	expect(tries).toEqual([0, 1, 3, 7, 15, 30, 45]);
	expect(messages).toEqual(Array.from({ length: 6 }, () => "no gateway answers"));
});

test("stops waiting at a stop request or another error", async () => {
	const clock = new ManualClock();
	const stopRequest = Promise.withResolvers<string>();
	const refusing = async (): Promise<never> => {
		throw away;
	};
	const waiting = reachGateway(refusing, {
		clock,
		stopRequest: stopRequest.promise,
		onWait: async () => undefined,
	});
	await tick();
	expect(clock.pending).toBe(1);
	stopRequest.resolve("SIGINT");
	expect(await waiting).toEqual({ ended: "SIGINT" });
	expect(clock.pending).toBe(0);
	const revoked = new ParleyError("revoked", { code: "unauthenticated" });
	const denied = reachGateway(() => Promise.reject(revoked), {
		clock,
		stopRequest: new Promise<string>(() => undefined),
		onWait: async () => undefined,
	});
	await expect(denied).rejects.toBe(revoked);
});

async function listening(server: Server, protocol = "http"): Promise<string> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// A server that listens on a port, not on a path, has an address of this form.
	return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(status: number, body: string): RequestListener {
	return (_request, response) => response.writeHead(status).end(body);
}

const unavailable = "unavailable";
const final = "failed_precondition";

const question = /answers with HTTP \d+: check that a gateway is running at this address$/;

test.each([
	["that is ready", [200, '{"status":"ok"}'], undefined],
	["whose storage has trouble", [503, '{"status":"degraded"}'], undefined],
	["that is stopping", [503, '{"status":"draining"}'], [unavailable, /is stopping$/]],
	["behind a proxy, and away", [502, "<h1>Bad</h1>"], [unavailable, question]],
	["that wants a token", [401, '{"error":"?"}'], ["unauthenticated", /requires a valid token.*HTTP 401/]],
	["that refuses the host name", [421, "{}"], [final, /does not accept this host name/]],
	["that is another program, with 200", [200, "<h1>Hi</h1>"], [final, /another program.*HTTP 200/]],
	["that is another program, with a redirect", [302, ""], [final, /another program.*HTTP 302/]],
] as const)("judges the health of a gateway that %s at any address", async (_, [status, body], refusal) => {
	await using server = createHttpServer(answering(status, body));
	const url = await listening(server);
	// Awaits each check, because the server must not close before it has sent its response.
	for (const isNamed of [false, true]) {
		const checked = checkReady({ url, isNamed });
		if (refusal === undefined) await checked;
		else {
			const [code, message] = refusal;
			await expect(checked).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
		}
	}
});

test.each([404, 429, 500, 521])(
	"treats HTTP %i as an answer of a proxy only at an address of the operator",
	async (status) => {
		await using server = createHttpServer(answering(status, "404 page not found"));
		const url = await listening(server);
		await expect(checkReady({ url, isNamed: true })).rejects.toMatchObject({
			code: unavailable,
			message: `${url} answers with HTTP ${status}: check that a gateway is running at this address`,
		});
		await expect(checkReady({ url, isNamed: false })).rejects.toMatchObject({
			code: final,
			message: expect.stringMatching(`another program answers at .*HTTP ${status}`),
		});
	},
);

test("retries a closed port and a port that never answers", async () => {
	const closed = createServer();
	const url = await listening(closed);
	closed.close();
	await once(closed, "close");
	const away = {
		code: unavailable,
		message: `no gateway answers at ${url}; check the address, or start a gateway with \`parley start\``,
	};
	await expect(checkReady({ url, isNamed: true })).rejects.toMatchObject(away);
	const silent = createServer();
	const abort = new AbortController();
	silent.once("connection", () => abort.abort());
	const waiting = checkReady({ url: await listening(silent), isNamed: false }, abort.signal);
	await expect(waiting).rejects.toMatchObject({ code: unavailable });
	silent.close();
});

test("reports a service without HTTP, and one without TLS at an https address", async () => {
	const mail = createServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
	await expect(checkReady({ url: await listening(mail), isNamed: true })).rejects.toMatchObject({
		code: final,
		message: expect.stringContaining("another program answers"),
	});
	mail.close();
	const plain = createHttpServer(answering(200, '{"status":"ok"}'));
	await expect(checkReady({ url: await listening(plain, "https"), isNamed: true })).rejects.toMatchObject({
		code: final,
		message: expect.stringContaining("if it does not use TLS, use an address that begins with http"),
	});
	plain.close();
});
