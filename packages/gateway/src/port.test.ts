import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { silentLogger, systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openPort } from "./port.ts";
import { TlsPlace } from "./testing/tls-place.ts";
import { Admission } from "./transport/admission.ts";
import { createNetworks } from "./transport/networks.ts";
import { loadTlsIdentity } from "./transport/tls-identity.ts";

function http2(socket: Socket): void {
	socket.destroy();
}

/** Keeps Node's thread pool busy, so that a name lookup finishes after other work. */
function delayLookups(): Promise<unknown> {
	return Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)("", "", 100_000, 64, "sha512")));
}

/** Opens a free port and then a second one on `localhost`. Meanwhile, a client sends a request to the first port. */
async function openDuringCheck(second: number) {
	const probe = createServer().listen(0, "127.0.0.1");
	await once(probe, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = probe.address() as AddressInfo;
	probe.close();
	await once(probe, "close");

	let opened = false;
	const served: boolean[] = [];
	const http = createHttp((_request, response) => {
		served.push(opened);
		response.end("here");
	});
	const delay = delayLookups();
	const places = [
		{ host: "127.0.0.1", port },
		{ host: "localhost", port: second },
	];
	const admission = new Admission();
	const opening = openPort(places, { clock: systemClock, log: silentLogger, admission, http, http2 }).then(
		(port) => {
			opened = true;
			return port;
		},
	);
	const client = connect({ host: "127.0.0.1", port });
	client.on("error", () => undefined);
	client.end("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	return { opening, client, served, delay };
}

test("clients that connect while listeners are opened are served when all are open", async () => {
	const { opening, client, served, delay } = await openDuringCheck(0);
	expect(await text(client)).toContain("here");
	expect(served).toEqual([true]);
	const port = await opening;
	expect(port.urls).toHaveLength(2);
	await port.close(0);
	await delay;
});

test("if one listener fails, no client was served at another", async () => {
	const occupant = createServer().listen(0, "localhost");
	await once(occupant, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = occupant.address() as AddressInfo;
	const { opening, client, served, delay } = await openDuringCheck(port);
	const ended = once(client, "close");
	await expect(opening).rejects.toMatchObject({ code: "failed_precondition" });
	await ended;
	expect(served).toEqual([]);
	occupant.close();
	await delay;
});

test.runIf(process.platform === "linux")(
	"a client of the gateway's own user is served when all slots of its address are used",
	async () => {
		const http = createHttp((_request, response) => {
			response.end("here");
		});
		// The clock is stopped, so the first connection does not time out.
		const clock = new ManualClock();
		const admission = new Admission({ perPeer: 1 });
		const places = [{ host: "127.0.0.1", port: 0 }];
		const port = await openPort(places, { clock, log: silentLogger, admission, http, http2 });
		const address = new URL(port.urls[0] ?? "");
		const call = () => connect({ host: address.hostname, port: Number(address.port) });
		const silent = call();
		await once(silent, "connect");
		const client = call();
		client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
		expect(await text(client)).toContain("here");
		const [closed, left] = [port.close(0), once(silent.resume(), "close")];
		clock.advance(0);
		await Promise.all([closed, left]);
	},
);

test("with a certificate a listener beyond this machine accepts TLS only, and one at loopback accepts both", async () => {
	using place = new TlsPlace();
	const tls = { current: await loadTlsIdentity(place.files) };
	const http = createHttp((_request, response) => {
		response.end("here");
	});
	const places = [
		{ host: "127.0.0.1", port: 0 },
		{ host: "0.0.0.0", port: 0 },
	];
	const rest = { clock: systemClock, log: silentLogger, admission: new Admission(), http, http2 };
	const port = await openPort(places, { ...rest, tls });
	expect(port.listeners).toEqual([
		{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/), tls: true },
		{ url: expect.stringMatching(/^https:\/\/0\.0\.0\.0:/), tls: true },
	]);
	const ask = async (url = "") =>
		(await fetch(url.replace(/^https:..0\.0\.0\.0/, "http://127.0.0.1"))).status;
	expect(await Promise.all(port.urls.map(ask))).toEqual([200, 400]);
	await port.close(0);
});

test("without a certificate a listener beyond this machine serves only this machine and proxies, unless all are allowed", async () => {
	const http = createHttp((_request, response) => {
		response.end("here");
	});
	const rest = { clock: systemClock, log: silentLogger, admission: new Admission(), http, http2 };
	const proxies = createNetworks(["192.0.2.1"]);
	for (const reach of [
		{ insecureLan: false, proxies },
		{ insecureLan: true, proxies },
	]) {
		const port = await openPort([{ host: "0.0.0.0", port: 0 }], { ...rest, reach });
		const { port: number } = new URL(port.urls[0] ?? "");
		expect((await fetch(`http://127.0.0.1:${number}`)).status).toBe(200);
		await port.close(0);
	}
});
