import { expect, test } from "vitest";
import { isGoHandshake, isGoOpening } from "./envelope.ts";

/** Handshake as coder/websocket v1.8.14 sends it. */
const handshake = {
	host: "127.0.0.1:18420",
	"user-agent": "Go-http-client/1.1",
	connection: "Upgrade",
	"sec-websocket-key": "2Djshx8lGMi6J1A8gIQD6Q==",
	"sec-websocket-version": "13",
	upgrade: "websocket",
	"accept-encoding": "gzip",
};

test("the handshake of coder/websocket is a Go handshake, with a token too", () => {
	expect(isGoHandshake(handshake)).toBe(true);
	expect(isGoHandshake({ ...handshake, authorization: "Bearer gw_x" })).toBe(true);
	expect(isGoHandshake({ ...handshake, "x-forwarded-for": "203.0.113.9" })).toBe(true);
});

test.each([
	["gorilla/websocket, which does not accept gzip", { "accept-encoding": undefined }],
	["Node's ws", { "user-agent": undefined, "sec-websocket-extensions": "permessage-deflate" }],
	["Python's websockets", { "user-agent": "Python/3.13 websockets/15.0" }],
	["curl", { "user-agent": "curl/8.14.1", "accept-encoding": undefined }],
	["a Go client with a user agent of its own", { "user-agent": "mybot/1.0" }],
	["a browser", { origin: "http://127.0.0.1:18420" }],
	["a client that offers a subprotocol", { "sec-websocket-protocol": "parley" }],
	["a client that offers compression", { "sec-websocket-extensions": "permessage-deflate" }],
])("%s has another handshake", (_, headers) => {
	expect(isGoHandshake({ ...handshake, ...headers })).toBe(false);
});

test.each([
	'{"type":"req","id":"req-1","method":"open_session","params":{}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"root_dir":"/home/ada"}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"session_id":"sess_1","root_dir":"/home/ada"}}',
])("the Go clients open with %s", (text) => {
	expect(isGoOpening(text)).toBe(true);
});

test.each([
	'{"type": "req", "id": "req-1", "method": "open_session", "params": {"root_dir": "/"}}',
	'{"id":"req-1","method":"open_session","params":{},"type":"req"}',
	'{"type":"req","id":"1","method":"open_session","params":{}}',
	'{"type":"req","id":"req-2","method":"open_session","params":{}}',
	'{"type":"req","id":"req-1","method":"open_session"}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"root_dir":""}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"title":"x"}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"session_id":"sess_1","after_seq":3}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{},"session_id":"sess_1"}',
	'{"type":"req","id":"req-1","method":"send_message","params":{"content":"hi"}}',
	'{"type":"req","id":"req-1","method":"open_session","params":{"root_dir":"/"}',
	"",
])("the Go clients do not open with %s", (text) => {
	expect(isGoOpening(text)).toBe(false);
});
