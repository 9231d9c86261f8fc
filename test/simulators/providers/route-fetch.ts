/**
 * Module for `--import` in a Parley process. `TEST_ROUTE` contains two origins, separated by a space. `fetch` calls
 * to the first origin are sent to the second origin. Calls to other origins fail.
 */
const [from = "", to = ""] = (process.env["TEST_ROUTE"] ?? "").split(" ");
const send = globalThis.fetch;

globalThis.fetch = (input, init) => {
	const url = new URL(input instanceof Request ? input.url : input);
	if (url.origin !== from) throw new TypeError(`no route to ${url.origin}`);
	return send(`${to}${url.pathname}${url.search}`, init);
};
