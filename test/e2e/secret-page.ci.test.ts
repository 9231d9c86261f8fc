import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { paced } from "@parley/base/testing";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import type { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { adapt, documented } from "../remote/document.ts";
import { RemoteSetup } from "../remote/setup.ts";

const password = "correct horse & <battery> ü=1%";

/**
 * Returns the path of Chromium, or undefined if no such file is executable. `PARLEY_CHROMIUM` replaces `chromium` in
 * PATH.
 */
function findChromium(): string | undefined {
	const named = process.env["PARLEY_CHROMIUM"];
	const paths = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "chromium"));
	return (named === undefined ? paths : [named]).find((path) => {
		try {
			accessSync(path, constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

async function open(executablePath: string) {
	await using undo = new AsyncDisposableStack();
	const setup = undo.use(await RemoteSetup.create());
	const settings = adapt(documented("certificate"), { "https://parley.example:7778": setup.publicUrl });
	const environment = { PARLEY_CONFIG: setup.write("parley.config.json", settings) };
	await setup.start({ environment, listen: [`127.0.0.1:${setup.publicPort}`] });
	const client = undo.use(await setup.connect());
	// The browser runs without its own sandbox, because root cannot start the browser with that sandbox. The second
	// option lets foreign pages open local pages, so only the gateway can refuse their requests.
	const args = ["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"];
	const browser = undo.adopt(
		await chromium.launch({ executablePath, args, chromiumSandbox: false }),
		(opened) => opened.close(),
	);
	const resources = undo.move();
	return { setup, client, browser, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function visit(browser: Browser, url: string, javaScriptEnabled = false) {
	const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled });
	const page = await context.newPage();
	const output: string[] = [];
	page.on("console", (message) => output.push(message.text()));
	const response = await page.goto(url);
	return { page, output, status: response?.status() };
}

async function askFor(client: OzzieClient, label: string): Promise<unknown> {
	await client.call("send_message", { content: `secret: ${label}` });
	return (await client.event("prompt.request")).payload["token"];
}

async function send(page: Page, text: string): Promise<number> {
	await page.getByLabel("Password").fill(text);
	const [response] = await Promise.all([
		page.waitForResponse((one) => one.request().method() === "POST"),
		page.waitForEvent("load"),
		page.getByRole("button", { name: "Send" }).click(),
	]);
	return response.status();
}

test("a person opens the link in a browser without scripts, types the password, and the tool gets it", {
	timeout: paced(90_000),
}, async ({ skip }) => {
	const executablePath = findChromium();
	if (executablePath === undefined) return skip("there is no chromium: set PARLEY_CHROMIUM or install one");
	await using setup = await open(executablePath);
	const { client, browser } = setup;
	await client.open({ title: "Deploy" });
	const token = await askFor(client, "The <b>key</b>");
	const url = String((await client.call("secret_page", { token }))["url"]);
	const { page, output, status } = await visit(browser, url);
	expect(status).toBe(200);
	expect(await page.getByRole("blockquote").textContent()).toBe("The <b>key</b>");
	expect(await page.getByText("Deploy").count()).toBe(1);
	expect(await page.getByLabel("Password").getAttribute("type")).toBe("password");
	// The page contains its own style, which the content security policy must allow.
	expect(await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).not.toBe("none");
	const other = await visit(browser, url);
	expect(other.status).toBe(200);
	expect(await send(page, password)).toBe(200);
	expect(await page.getByRole("heading").textContent()).toBe("Thank you");
	expect(await page.content()).not.toContain("battery");
	await client.event("prompt.response", { token, value: null });
	const handle = (await client.event("tool.call", { status: "completed" })).payload["result"];
	await client.event("assistant.message");
	const run = { cmd: 'printf %s "$KEY" > used', secrets: { KEY: handle } };
	await client.call("send_message", { content: `tool: run_command ${JSON.stringify(run)}` });
	const approval = (await client.event("prompt.request")).payload["token"];
	await client.call("prompt_response", { token: approval, value: "yes" });
	await client.event("assistant.message");
	expect(await readFile(join(setup.setup.directory, "work", "used"), "utf8")).toBe(password);
	// After the answer, the gateway returns 410 for an answer from a page that was opened earlier, and for a
	// later visit.
	expect(await send(other.page, "another")).toBe(410);
	const late = await visit(browser, url);
	expect([late.status, await late.page.getByRole("main").textContent()]).toEqual([
		410,
		expect.stringContaining("already used"),
	]);
	expect((await page.goBack())?.status()).toBe(410);
	expect([...output, ...late.output].filter((text) => !text.includes("410"))).toEqual([]);
});

test("with scripts allowed, no injected script runs, and an invalid answer is explained", {
	timeout: paced(90_000),
}, async ({ skip }) => {
	const executablePath = findChromium();
	if (executablePath === undefined) return skip("there is no chromium: set PARLEY_CHROMIUM or install one");
	await using setup = await open(executablePath);
	const { client, browser } = setup;
	await client.open();
	const token = await askFor(
		client,
		'"><script>document.title="caught"</script><img src=x onerror=alert(1)>',
	);
	const url = String((await client.call("secret_page", { token }))["url"]);
	const { page, status } = await visit(browser, url, true);
	expect([status, await page.title()]).toEqual([200, "An agent requests a password from you"]);
	expect(await page.locator("script, img").count()).toBe(0);
	// The content security policy must block an injected script.
	const ran = page.evaluate(`
		const script = document.createElement("script");
		script.textContent = 'document.title = "caught"';
		document.body.append(script);
		document.title`);
	expect(await ran).toBe("An agent requests a password from you");
	// Another program might send the form without an answer.
	await page.getByLabel("Password").evaluate((input) => input.removeAttribute("required"));
	expect(await send(page, "")).toBe(400);
	expect(await page.getByRole("alert").textContent()).toContain("an answer is required");
	expect(await send(page, password)).toBe(200);
	await client.event("prompt.response", { token, value: null });
	// The gateway refuses a form from another site, and the gateway's pages do not load in a frame.
	const secondToken = await askFor(client, "Once more");
	const next = String((await client.call("secret_page", { token: secondToken }))["url"]);
	const foreign = await visit(browser, "about:blank", true);
	await foreign.page.setContent(
		`<form method="post" action="${next}"><input name="value" value="x"><button>Go</button>`,
	);
	const answered = foreign.page.waitForResponse((response) => response.url() === next);
	await foreign.page.getByRole("button").click();
	expect((await answered).status()).toBe(403);
	const framed = await visit(browser, "about:blank", true);
	const refused = framed.page.waitForEvent("requestfailed");
	await framed.page.setContent(`<iframe src="${next}"></iframe>`);
	expect((await refused).failure()?.errorText).toBe("net::ERR_BLOCKED_BY_RESPONSE");
	expect(await framed.page.frameLocator("iframe").getByText("Once more").count()).toBe(0);
	expect((await visit(browser, next)).status).toBe(200);
});
