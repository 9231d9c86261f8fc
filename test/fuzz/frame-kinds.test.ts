import { methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { messageNames } from "../proto/message-names.ts";
import { kontekstCommands, rozRequests } from "./grpc-messages.ts";
import { httpPaths } from "./http-requests.ts";
import { httpRoutes } from "./http-routes.ts";
import { validFrames } from "./valid-frames.ts";

const frames = validFrames({ sessions: [], tokens: [] });

test.each(Object.entries(methods))("the fuzz list has valid requests of %s", (name, { params }) => {
	const requests = frames.filter(({ method }) => method === name);
	expect(requests).not.toEqual([]);
	for (const request of requests) expect(() => params.parse(request.params ?? {})).not.toThrow();
});

test.each([
	["kontekst", kontekstCommands, messageNames("kontekst.proto", "kontekst.RunCommand")],
	["roz", rozRequests, messageNames("roz/v1/agent.proto", "roz.v1.SessionRequest")],
])("the fuzz list of %s has each message that clients send", (_, list, names) => {
	expect(Object.keys(list).sort()).toEqual(names.sort());
});

test("the fuzz list of HTTP has each route of the gateway", () => {
	const listed = httpPaths.map((path) => new URL(path, "http://gateway").pathname);
	const missing = httpRoutes().filter(
		(route) => !listed.some((path) => path === route || (route.endsWith("/") && path.startsWith(route))),
	);
	expect(missing, "add an address of the route to httpPaths in test/fuzz/http-requests.ts").toEqual([]);
	expect(httpRoutes()).toContain("/api/ws");
});
