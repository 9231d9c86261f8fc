/**
 * Loaded into a Parley process with `--import`. `TEST_ROUTE` contains two addresses, separated by a space. Requests to
 * the first address are sent to the second address over HTTP, with the same path, headers and body. Requests to other
 * addresses fail.
 */
const [from = "", to = ""] = (process.env["TEST_ROUTE"] ?? "").split(" ");
const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
	const url = new URL(input instanceof Request ? input.url : input);
	if (url.origin !== from) throw new TypeError(`no route to ${url.origin}`);
	return send(`${to}${url.pathname}${url.search}`, init);
};
