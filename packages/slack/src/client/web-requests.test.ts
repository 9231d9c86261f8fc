import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { paced } from "@parley/base/testing";
import { downloadTexts } from "@parley/connector";
import { expect, test } from "vitest";
import { download } from "./download.ts";
import { demandSlack, respond, upload } from "./web-requests.ts";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(serve: Serve) {
	const server = createServer(serve).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	// `address()` returns an address with a port, because the server listens on TCP.
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		apiUrl: `${url}/api/`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

const signal = AbortSignal.timeout(paced(10_000));

test.each([
	"https://files.slack.com/files-pri/T1-F1/notes.txt",
	"https://hooks.slack.com/actions/T1/1/2",
	"https://acme.slack.com/files/U1/F1",
	"https://slack-files.com/T1-F1",
])("%s is a host of Slack", (url) => {
	expect(() => demandSlack(url, { apiUrl: undefined }, downloadTexts.foreign)).not.toThrow();
});

test.each([
	"http://files.slack.com/a",
	"https://slack.com.example.org/a",
	"https://notslack.com/a",
	"https://user@evil.example/slack.com",
	"file:///etc/passwd",
	"http://169.254.169.254/latest",
	"nonsense",
])("%s is not Slack's host, and gets no request", async (url) => {
	expect(() => demandSlack(url, { apiUrl: undefined }, downloadTexts.foreign)).toThrow(
		"does not belong to Slack",
	);
	await expect(respond(url, {}, { apiUrl: undefined })).rejects.toThrow("does not belong to Slack");
	await expect(download({ url, token: "xoxb", maximum: 10, signal, apiUrl: undefined })).rejects.toThrow(
		"does not belong to Slack",
	);
});

test("a response is posted once as JSON, and each response of Slack is distinguished", async () => {
	const seen: string[] = [];
	await using slack = await serving((request, response) => {
		seen.push(`${request.method} ${request.headers["content-type"]}`);
		const status = Number(request.url?.slice(1));
		response.writeHead(status, { "retry-after": "7" }).end(status === 200 ? "ok" : "used_url");
	});
	const to = (status: number) => respond(`${slack.url}/${status}`, { text: "hi" }, slack);
	expect(await to(200)).toEqual({ type: "ok", body: {} });
	expect(await to(404)).toEqual({ type: "refused", error: "used_url", body: {} });
	expect(await to(429)).toEqual({ type: "rate-limited", retryAfterMs: 7000 });
	await expect(to(500)).rejects.toMatchObject({ code: "unavailable" });
	expect(seen).toEqual(Array(4).fill("POST application/json; charset=utf-8"));
});

test("answers of a proxy are understood", async () => {
	await using slack = await serving((request, response) => {
		if (request.url === "/date") {
			response.writeHead(429, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }).end();
		} else response.writeHead(403).end(`<html>${"blocked ".repeat(1000)}</html>`);
	});
	const to = (path: string) => respond(`${slack.url}/${path}`, {}, slack);
	expect(await to("date")).toEqual({ type: "rate-limited", retryAfterMs: 30_000 });
	expect(await to("page")).toMatchObject({ error: expect.stringMatching(/^<html>blocked .{86}$/) });
});

test("a lost connection rejects, and the request is not repeated", async () => {
	let requests = 0;
	await using slack = await serving((request) => {
		requests += 1;
		request.socket.destroy();
	});
	await expect(respond(`${slack.url}/x`, {}, slack)).rejects.toMatchObject({ code: "unavailable" });
	expect(requests).toBe(1);
});

test("bytes arrive unchanged", async () => {
	const bytes = new Uint8Array([0, 1, 254, 255]);
	let got = Buffer.alloc(0);
	await using slack = await serving((request, response) => {
		request.on("data", (chunk: Buffer) => {
			got = Buffer.concat([got, chunk]);
		});
		request.on("end", () => response.end("OK - 4"));
	});
	expect(await upload(`${slack.url}/upload`, bytes, slack)).toMatchObject({ type: "ok" });
	expect([...got]).toEqual([...bytes]);
});

test("a file is read with the bot's token, up to the limit", async () => {
	await using slack = await serving((request, response) => {
		const allowed = request.headers.authorization === "Bearer xoxb-1";
		const location =
			request.headers.authorization === "Bearer xoxb-2" ? "/?redir=%2Fnotes.txt" : "/moved.txt";
		response.writeHead(allowed ? 200 : 302, { "content-type": "text/plain", location }).end("twelve bytes");
	});
	const options = { url: `${slack.url}/notes.txt`, token: "xoxb-1", signal, apiUrl: slack.apiUrl };
	expect(Buffer.from(await download({ ...options, maximum: 12 })).toString()).toBe("twelve bytes");
	await expect(download({ ...options, maximum: 11 })).rejects.toMatchObject({ code: "resource_exhausted" });
	await expect(download({ ...options, maximum: 12, token: "xoxb-2" })).rejects.toThrow(
		"the app is not allowed to read files",
	);
	await expect(download({ ...options, maximum: 12, token: "xoxb-3" })).rejects.toThrow("Slack answered 302");
});

test("the sign-in page is not used as the file", async () => {
	await using slack = await serving((_, response) => {
		response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!DOCTYPE html>");
	});
	const options = { token: "xoxb-1", signal, apiUrl: slack.apiUrl, maximum: 100 };
	await expect(download({ ...options, url: `${slack.url}/photo.png` })).rejects.toThrow(
		"the app is not allowed to read files",
	);
	expect(await download({ ...options, url: `${slack.url}/page.html` })).toHaveLength(15);
});

test("a canvas is a page, and is distinguished from the sign-in page", async () => {
	const pages: Record<string, string> = {
		"/files-pri/T1-F1/canvas":
			'<!DOCTYPE html><html><body><h1>How we use Slack</h1><a href="/signin">x</a></body></html>',
		"/files-pri/T1-F2/notes_v1.2": "<h1>Notes</h1>",
		"/files-pri/T1-F5/canvas":
			'<!DOCTYPE html><html><body><p>/?redir=</p><a href="https://a.slack.com/?redir=%2Farchives%2FC1">x</a></body></html>',
		"/files-pri/T1-F3/canvas": "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>",
		"/files-pri/T1-F4/canvas": '<html><body><form id="signin_form"></form></body></html>',
		"/files-pri/T1-F6/canvas":
			'<html><a href="/signin?x=1&amp;redir=%2Ffiles-pri%2FT1-F6%2Fcanvas">in</a></html>',
		"/files-pri/T1-F7/download/canvas": '<html><a href="/?redir=/files/U1/F7/canvas">in</a></html>',
		"/files-pri/T1-F8/canvas": '<html><meta http-equiv="refresh" content="0; url=/?redir=%2F"></html>',
		"/files-pri/T1-F9/canvas": '<html><form action="/?redir=%2F"></form></html>',
		"/files-pri/T1-F10/canvas": '<html><script>location = "/?redir=" + location.pathname</script></html>',
		"/elsewhere": '<html><a href="/?redir=%2F">in</a></html>',
	};
	await using slack = await serving(({ url = "" }, response) => {
		response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pages[url]);
	});
	const read = async (path: string): Promise<string> => {
		const options = {
			token: "xoxb-1",
			signal,
			apiUrl: slack.apiUrl,
			maximum: 1000,
			url: `${slack.url}${path}`,
		};
		return Buffer.from(await download(options)).toString();
	};
	const [canvas = "", notes = "", linking = "", ...logins] = Object.keys(pages);
	for (const path of [canvas, notes, linking]) expect(await read(path)).toBe(pages[path]);
	for (const login of logins)
		await expect(read(login)).rejects.toThrow("the app is not allowed to read files");
});

test.each([
	[404, "attach it again"],
	[403, "attach it again"],
	[500, "cannot read the file, because Slack answered 500: attach it again"],
])("a status of %i has an explanation", async (status, words) => {
	await using slack = await serving((_, response) => void response.writeHead(status).end());
	const options = { url: `${slack.url}/a.png`, token: "x", signal, apiUrl: slack.apiUrl, maximum: 100 };
	await expect(download(options)).rejects.toThrow(words);
});

test("a cancelled download stops at once", async () => {
	await using slack = await serving(() => undefined);
	const stopping = new AbortController();
	const reading = download({
		url: `${slack.url}/a.png`,
		token: "x",
		apiUrl: slack.apiUrl,
		maximum: 100,
		signal: stopping.signal,
	});
	stopping.abort();
	await expect(reading).rejects.toMatchObject({ code: "cancelled" });
});
