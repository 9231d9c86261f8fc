import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { TestGateway } from "./gateway.ts";
import { type AuthMode, expectedStatus, type GatewaySettings, type Probe, paths } from "./matrix-oracle.ts";
import { verifiesOn } from "./verifies.ts";

/** Number of concurrent requests, below the gateway's limit of unauthenticated connections per address. */
const workers = 32;
const name = "box.test";

function hosts(port: number): string[][] {
	return [
		...["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "[0:0:0:0:0:0:0:1]", name].map((host) => [
			`${host}:${port}`,
		]),
		...["evil.test", "127.0.0.1.evil.test", "localhost.", "0.0.0.0", "[::]"].map((host) => [
			`${host}:${port}`,
		]),
		...[[], [""], ["127.0.0.1"], [`127.0.0.1:${port - 1}`], [`127.0.0.1:${port}@evil.test`]],
		...[
			[`127.0.0.1:${port}`, `127.0.0.1:${port}`],
			[`127.0.0.1:${port}`, "evil.test"],
		],
	];
}

function origins(port: number): string[][] {
	const own = `http://127.0.0.1:${port}`;
	return [
		...[[], [own], [`http://localhost:${port}`], [`http://[::1]:${port}`]],
		...[
			["null"],
			[""],
			["http://evil.test"],
			[`https://127.0.0.1:${port}`],
			[`http://127.0.0.1:${port - 1}`],
		],
		...[[`${own}.evil.test`], [`http://127.evil.test:${port}`], [own, own], ["file://"]],
	];
}

function credentials(token: string): string[][] {
	const wrong = `${token.slice(0, -7)}${token.at(-7) === "A" ? "B" : "A"}${token.slice(-6)}`;
	return [
		...[[], [`Bearer ${token}`], [`bearer ${token}`], [`Bearer ${wrong}`], ["Bearer undefined"], [token]],
		...[
			[`Basic ${Buffer.from(`operator:${token}`).toString("base64")}`],
			[`Bearer ${token}`, `Bearer ${token}`],
		],
	];
}

const others = [
	...[
		[],
		["X-Forwarded-For: 127.0.0.1"],
		["X-Real-IP: 127.0.0.1"],
		["Forwarded: for=127.0.0.1"],
		["Via: 1.1 x"],
	],
	...[["X-Forwarded-Host: 127.0.0.1"], ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Mode: websocket"]],
];

/** Paths to test with all combinations. Requests for other paths have at most one fault. */
const thorough = ["/api/health", "/api/sessions", "/api/files"];

type Route = Pick<Probe, "path" | "upgrade">;

const routes: readonly Route[] = [
	...paths.map((path) => ({ path, upgrade: false })),
	{ path: "/api/ws", upgrade: true },
];

function cases(settings: GatewaySettings): Probe[] {
	return routes.flatMap((route) => {
		const probes = [
			...namings(route, settings),
			...introductions(route, settings),
			...addresses(route, settings),
		];
		const isThorough = route.upgrade || thorough.includes(route.path);
		return isThorough ? probes : probes.filter((each) => isWrongOnce(each, settings));
	});
}

function plain(route: Route, { port }: GatewaySettings): Probe {
	const nothing = { origins: [], credentials: [], others: [], absolute: false, query: "" };
	return { ...route, ...nothing, hosts: [`127.0.0.1:${port}`] };
}

function known(route: Route, settings: GatewaySettings): Probe {
	return {
		...plain(route, settings),
		credentials: settings.mode === "token" ? [`Bearer ${settings.token}`] : [],
	};
}

function namings(route: Route, settings: GatewaySettings): Probe[] {
	const probe = known(route, settings);
	return hosts(settings.port).flatMap((host) =>
		origins(settings.port).map((origin) => ({ ...probe, hosts: host, origins: origin })),
	);
}

function introductions(route: Route, settings: GatewaySettings): Probe[] {
	const probe = plain(route, settings);
	return [[], [`http://127.0.0.1:${settings.port}`]].flatMap((origin) =>
		credentials(settings.token).flatMap((credential) =>
			others.map((more) => ({ ...probe, origins: origin, credentials: credential, others: more })),
		),
	);
}

function addresses(route: Route, settings: GatewaySettings): Probe[] {
	const [unknown, probe] = [plain(route, settings), known(route, settings)];
	const queries = ["token", "access_token", "Token"].map((key) => `${key}=${settings.token}`);
	return [
		...queries.flatMap((query) => [unknown, probe].map((each) => ({ ...each, query }))),
		{ ...probe, absolute: true },
	];
}

function isWrongOnce(
	{ hosts: [host, ...more], origins: from, others: signs, query }: Probe,
	{ port }: GatewaySettings,
): boolean {
	const isOwn = host === `127.0.0.1:${port}` && more.length === 0;
	return [!isOwn, from.length > 0, signs.length > 0, query !== ""].filter(Boolean).length <= 1;
}

function bytesOf({ path, upgrade, absolute, query, ...probe }: Probe, port: number): string {
	const address = query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
	const target = absolute ? `http://127.0.0.1:${port}${address}` : address;
	const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
	const lines = [
		`GET ${target} HTTP/1.1`,
		...probe.hosts.map((host) => `Host: ${host}`),
		...probe.origins.map((origin) => `Origin: ${origin}`),
		...probe.credentials.map((credential) => `Authorization: ${credential}`),
		...probe.others,
		upgrade ? `Connection: Upgrade\r\nUpgrade: websocket\r\n${key}` : "Connection: close",
	];
	return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Returns the status of the response to `bytes`. The 429 after too many failures becomes 401. */
function statusOf(bytes: string, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const socket = connect({ host: "127.0.0.1", port }, () => socket.write(bytes));
		let received = "";
		socket.on("data", (data) => {
			received += data.toString("latin1");
			if (!received.includes("\r\n")) return;
			const status = Number(received.split(" ", 2)[1]);
			socket.destroy();
			resolve(status === 429 ? 401 : status);
		});
		socket.on("error", reject);
		socket.on("end", () => reject(new Error(`no answer to ${bytes}`)));
	});
}

async function judge(mode: AuthMode): Promise<{ readonly count: number; readonly wrong: string[] }> {
	await using gateway = await TestGateway.start({
		clock: new ManualClock(),
		config: { auth: mode, allowedHosts: [name] },
	});
	const token = (await readFile(gateway.path("data", "tokens", "operator"), "utf8")).trim();
	const port = Number(new URL(gateway.url).port);
	const settings: GatewaySettings = { mode, port, token, name };
	const wrong: string[] = [];
	let count = 0;
	const remaining = cases(settings).values();
	const work = async (): Promise<void> => {
		for (const probe of remaining) {
			count++;
			const bytes = bytesOf(probe, port);
			const [expected, status] = [expectedStatus(probe, settings), await statusOf(bytes, port)];
			if (status !== expected) wrong.push(`${mode}: ${status} instead of ${expected}: ${bytes}`);
		}
	};
	await Promise.all(Array.from({ length: workers }, work));
	return { count, wrong };
}

for (const mode of ["token", "none"] as const) {
	verifiesOn(
		"ozzie",
		["http.guarded"],
		`wrong host names, foreign pages and unknown callers are refused (auth ${mode})`,
		async () => {
			const { count, wrong } = await judge(mode);
			expect(wrong.slice(0, 10)).toEqual([]);
			expect(count).toBeGreaterThan(1_500);
		},
	);
}
