// A program that runs as another user or in another network namespace. It sends one request and prints the response as
// one line of JSON. It is plain JavaScript, because the other user may not be able to read the directory of compiled
// code.
import { connect } from "node:net";

const [host = "", port = "", manner = ""] = process.argv.slice(2);
const upgrade = [
	"GET /api/ws HTTP/1.1",
	`Host: ${host}:${port}`,
	"Connection: Upgrade",
	"Upgrade: websocket",
	"Sec-WebSocket-Version: 13",
	"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
	"",
	"",
].join("\r\n");

/** A frame that opens a session, masked with zeros: RFC 6455, section 5.3. */
function openSession() {
	const text = Buffer.from(
		JSON.stringify({ type: "req", id: "1", method: "open_session", params: { title: "stolen" } }),
	);
	return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

const socket = connect({ host, port: Number(port), timeout: 3_000 });
let answer = "";
/** @param {object} fields */
const print = (fields) => process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), ...fields })}\n`);
socket.on("connect", () => {
	socket.write(Buffer.concat([Buffer.from(upgrade), openSession()]));
	// The kernel reports no owner for a closed socket. This must not let an attacker in who closes the socket.
	if (manner === "and-close") socket.destroy();
});
socket.on("data", (chunk) => {
	answer += chunk.toString("latin1");
	if (answer.includes("\r\n")) socket.end();
});
socket.on("timeout", () => socket.destroy(new Error("ETIMEDOUT")));
socket.on("error", (error) => print({ error: "code" in error ? error.code : error.message }));
socket.on("close", (failed) => {
	if (!failed) print({ status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0) });
});
