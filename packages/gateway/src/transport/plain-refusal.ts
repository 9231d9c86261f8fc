/** HTTP/1.1 response for a plaintext request on a TLS port. */
export const speaksTls = answer("400 Bad Request", {
	error: "this port speaks https",
	hint: "write https:// and wss:// instead of http:// and ws://",
});

/** The same of a port where only proxies may. */
export const servesProxies = answer("403 Forbidden", {
	error: "this port serves its proxies alone",
	hint: "call the address of the proxy; trustedProxies of the configuration says which proxies there are",
});

function answer(status: string, body: object): string {
	const text = JSON.stringify(body);
	const head = [
		`HTTP/1.1 ${status}`,
		"content-type: application/json",
		`content-length: ${Buffer.byteLength(text)}`,
		"connection: close",
	];
	return `${head.join("\r\n")}\r\n\r\n${text}`;
}
